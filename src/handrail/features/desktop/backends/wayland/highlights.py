"""Shows outlines on the screen: four thin surfaces above all windows, which take no input."""

import asyncio
import os
import struct
from contextlib import suppress

from handrail.features.desktop.backends.picture import frame_bars
from handrail.features.desktop.backends.wayland.connection import Proxy
from handrail.features.desktop.backends.wayland.session import Session, Wayland
from handrail.features.desktop.desktop_port import Rect
from handrail.ports.errors import Failure, Unsupported

LAYER_SHELL = "zwlr_layer_shell_v1"
_DISTANCE, _THICKNESS = 4, 3
_RED = struct.pack("<I", 0xFFE6002D)
_OVERLAY = 3
_TOP_LEFT = 1 | 4
_IGNORE_PANELS = -1
_XRGB = 1
_MAX_HIGHLIGHTS = 16


class Highlights:
    def __init__(self, wayland: Wayland) -> None:
        self._wayland = wayland
        self._highlights: list[tuple[Session, list[Proxy]]] = []

    async def show(self, frame: Rect, duration_ms: int) -> None:
        session = self._wayland.session()
        if not session.connection.has(LAYER_SHELL):
            raise Unsupported("This Wayland compositor doesn't let programs draw above windows.")
        if len(self._highlights) >= _MAX_HIGHLIGHTS:
            self._hide(self._highlights[0])
        surfaces: list[Proxy] = []
        for bar in frame_bars(frame, _DISTANCE, _THICKNESS):
            for output in session.outputs:
                if (part := bar.intersection(output.area)) is not None:
                    relative_bar = Rect(part.x - output.area.x, part.y - output.area.y, part.width, part.height)
                    surfaces += _bar(session, output.proxy, relative_bar)
        session.connection.roundtrip()
        highlight = (session, surfaces)
        self._highlights.append(highlight)
        asyncio.get_running_loop().call_later(duration_ms / 1000, self._hide, highlight)

    def close(self) -> None:
        for highlight in list(self._highlights):
            self._hide(highlight)

    def _hide(self, highlight: tuple[Session, list[Proxy]]) -> None:
        if highlight not in self._highlights:
            return
        self._highlights.remove(highlight)
        session, surfaces = highlight
        if not session.connection.is_lost:
            with suppress(Failure, OSError):
                for surface in surfaces:
                    surface.destroy()
                session.connection.roundtrip()


def _bar(session: Session, output: Proxy, bar: Rect) -> list[Proxy]:
    """Shows a bar. Returns the objects to destroy, in this order."""
    connection = session.connection
    compositor, memory, layers = (connection.bind(name) for name in ("wl_compositor", "wl_shm", LAYER_SHELL))
    surface = compositor.send("create_surface")
    layer = layers.send("get_layer_surface", surface, output, _OVERLAY, "handrail")
    configured: list[int] = []
    layer.on = {"configure": lambda serial, *_: configured.append(serial)}
    layer.send("set_size", bar.width, bar.height)
    layer.send("set_anchor", _TOP_LEFT)
    layer.send("set_exclusive_zone", _IGNORE_PANELS)
    layer.send("set_margin", bar.y, 0, 0, bar.x)
    empty_region = compositor.send("create_region")
    surface.send("set_input_region", empty_region)
    empty_region.destroy()
    surface.send("commit")
    connection.wait(lambda: bool(configured))
    layer.send("ack_configure", configured[-1])
    surface.send("attach", _red_buffer(memory, bar.width, bar.height), 0, 0)
    surface.send("damage", 0, 0, bar.width, bar.height)
    surface.send("commit")
    return [layer, surface]


def _red_buffer(memory: Proxy, width: int, height: int) -> Proxy:
    pixels = _RED * (width * height)
    descriptor = os.memfd_create("highlight", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, pixels)
        pool = memory.send("create_pool", descriptor, len(pixels))
    finally:
        os.close(descriptor)
    buffer = pool.send("create_buffer", 0, width, height, width * 4, _XRGB)
    pool.destroy()
    return buffer
