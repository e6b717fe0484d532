"""Small programs with the same window in each toolkit, and how they are started."""

import sys
from pathlib import Path
from typing import Literal

Toolkit = Literal["gtk3", "gtk4", "qt5", "qt6", "mute", "editors", "login", "pad"]

ROOT = Path(__file__).parents[2]
SYSTEM_PYTHON = "/usr/bin/python3"


def command(toolkit: Toolkit, *arguments: str) -> list[str]:
    """What starts the window of `texts` in that toolkit."""
    python = sys.executable if toolkit == "mute" else SYSTEM_PYTHON
    module, *version = ["qt", toolkit[-1]] if toolkit.startswith("qt") else [toolkit]
    return ["env", f"PYTHONPATH={ROOT}", python, "-m", f"tests.desktop_apps.{module}", *version, *arguments]
