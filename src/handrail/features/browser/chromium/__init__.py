"""Runs Chromium through a private pipe: with handrail's extension, or headless for previews."""

from handrail.features.browser.chromium.launching import branded_program, program
from handrail.features.browser.chromium.paired import Chromium

__all__ = ["Chromium", "branded_program", "program"]
