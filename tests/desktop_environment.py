"""The environment of programs on a test desktop: its own folders, accessibility on, nothing of the person's."""

import os
from pathlib import Path

SHARED = ("PATH", "PYTHON", "VIRTUAL_ENV", "LD_", "MALLOC_", "SSL_", "TZ")
"""Prefixes of variables for Python, so that our programs start as fast as elsewhere (`quick_start.py`)."""
PLACES = {
    "HOME": "home",
    "XDG_RUNTIME_DIR": "runtime",
    "XDG_CONFIG_HOME": "home/.config",
    "XDG_CACHE_HOME": "home/.cache",
    "XDG_DATA_HOME": "home/.local/share",
    "XDG_STATE_HOME": "home/.local/state",
    "TMPDIR": "tmp",
}


def make(folder: Path) -> dict[str, str]:
    """Returns a program's environment, and creates the folders that it names; the display isn't known yet."""
    for place in PLACES.values():
        (folder / place).mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / "logs").mkdir()
    return {
        "LANG": "C.UTF-8",
        **{name: value for name, value in os.environ.items() if name.startswith(SHARED)},
        **{name: str(folder / place) for name, place in PLACES.items()},
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/runtime/bus",
        "XDG_SESSION_TYPE": "x11",
        "GDK_BACKEND": "x11",
        "GTK_A11Y": "atspi",
        "GTK_MODULES": "",
        "GSK_RENDERER": "cairo",
        "QT_ACCESSIBILITY": "1",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "QT_QPA_PLATFORM": "xcb",
        "SAL_USE_VCLPLUGIN": "gtk3",
        # A desktop that exists for a minute needs no settings or mounting daemons.
        "GSETTINGS_BACKEND": "memory",
        "GIO_USE_VFS": "local",
    }
