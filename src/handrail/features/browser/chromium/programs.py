"""Which Chromium there is on the PATH."""

import shutil

NAMES = ("chromium", "chromium-browser", "ungoogled-chromium")
BRANDED = ("google-chrome", "google-chrome-stable", "microsoft-edge", "microsoft-edge-stable", "brave-browser")


def program() -> str | None:
    """The first Chromium on the PATH that takes an extension from its command line."""
    return next((found for name in NAMES if (found := shutil.which(name)) is not None), None)


def branded_program() -> str | None:
    return next((found for name in BRANDED if (found := shutil.which(name)) is not None), None)
