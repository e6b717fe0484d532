"""Finds out what draws this session's windows."""

from handrail.features.desktop.backends.compositor import Compositor
from handrail.features.desktop.backends.wayland.compositor import NEEDED, WlrootsCompositor
from handrail.features.desktop.backends.wayland.session import Wayland, offered
from handrail.features.desktop.backends.x11.compositor import X11Compositor


def open_compositor() -> Compositor:
    """A Wayland compositor that can be used; otherwise an X server, which may also be one inside a Wayland session."""
    path = Wayland().path
    return WlrootsCompositor() if path and offered(path) >= NEEDED else X11Compositor()
