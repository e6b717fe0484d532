"""Chromium, steered through a pipe that nobody else holds: with handrail's extension, or headless for previews."""

from handrail.features.browser.chromium.paired import Chromium
from handrail.features.browser.chromium.programs import branded_program, program

__all__ = ["Chromium", "branded_program", "program"]
