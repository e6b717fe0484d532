"""Pixels of the monitors, copied by the compositor into shared memory."""

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

from handrail.features.desktop.backends.wayland.connection import Proxy
from handrail.features.desktop.backends.wayland.session import SCREENCOPY, Output, Session, Wayland
from handrail.features.desktop.desktop_port import Rect
from handrail.ports.errors import PermissionMissing, Timeout, Unsupported

_BYTES_A_PIXEL = 4
_BLUE_FIRST = (0, 1)
"""ARGB8888 and XRGB8888: in memory blue, green, red."""
_RED_FIRST = (0x34324241, 0x34324258)
"""ABGR8888 and XBGR8888."""
_UPSIDE_DOWN = 1


class Screencopy:
    def __init__(self, wayland: Wayland) -> None:
        self._wayland = wayland
        self._bound: tuple[Session, Proxy, Proxy] | None = None

    def grab(self, area: Rect) -> bytearray:
        session = self._wayland.session()
        parts = [(output, part) for output in session.outputs if (part := output.area.intersection(area)) is not None]
        if len(parts) == 1 and parts[0][1] == area:
            return self._copy(session, parts[0][0], area)
        whole = bytearray(area.width * area.height * _BYTES_A_PIXEL)
        for output, part in parts:
            _paste(whole, area, self._copy(session, output, part), part)
        return whole

    def _copy(self, session: Session, output: Output, part: Rect) -> bytearray:
        manager, memory = self._managers(session)
        place = (part.x - output.area.x, part.y - output.area.y, part.width, part.height)
        frame = manager.send("capture_output_region", 0, output.proxy, *place)
        formats: list[tuple[int, int, int, int]] = []
        ends: list[str] = []
        flags = [0]
        frame.on = {
            "buffer": lambda *told: formats.append(told),
            "flags": lambda told: flags.__setitem__(0, told),
            "ready": lambda *_: ends.append("ready"),
            "failed": lambda: ends.append("failed"),
        }
        session.connection.wait(lambda: bool(formats or ends))
        if not formats:
            raise _no_picture()
        kind, width, height, stride = formats[0]
        with _shared(memory, kind, width, height, stride) as (buffer, pixels):
            frame.send("copy", buffer)
            session.connection.wait(lambda: bool(ends))
            frame.destroy()
            if ends[0] != "ready":
                raise _no_picture()
            rows = [pixels[at : at + width * _BYTES_A_PIXEL] for at in range(0, stride * height, stride)]
        if flags[0] & _UPSIDE_DOWN:
            rows.reverse()
        return _fitted(_blue_first(kind, bytearray(b"".join(rows))), (width, height), (part.width, part.height))

    def _managers(self, session: Session) -> tuple[Proxy, Proxy]:
        if self._bound is None or self._bound[0] is not session:
            if not session.connection.has(SCREENCOPY):
                raise PermissionMissing("This Wayland compositor gives no picture of the screen to other programs.")
            connection = session.connection
            self._bound = (session, connection.bind(SCREENCOPY), connection.bind("wl_shm"))
        return self._bound[1], self._bound[2]


@contextmanager
def _shared(memory: Proxy, kind: int, width: int, height: int, stride: int) -> Iterator[tuple[Proxy, mmap.mmap]]:
    """A buffer that the compositor writes into, and what it has written."""
    descriptor = os.memfd_create("screen", os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, stride * height)
        pixels = mmap.mmap(descriptor, stride * height)
        pool = memory.send("create_pool", descriptor, stride * height)
    finally:
        os.close(descriptor)
    buffer = pool.send("create_buffer", 0, width, height, stride, kind)
    pool.destroy()
    try:
        yield buffer, pixels
    finally:
        buffer.destroy()
        pixels.close()


def _blue_first(kind: int, pixels: bytearray) -> bytearray:
    if kind in _RED_FIRST:
        pixels[0::4], pixels[2::4] = pixels[2::4], pixels[0::4]
    elif kind not in _BLUE_FIRST:
        raise Unsupported(f"The compositor's pixels are of an unknown kind ({kind:#x}).")
    return pixels


def _fitted(pixels: bytearray, real: tuple[int, int], wanted: tuple[int, int]) -> bytearray:
    """A monitor with a scale has more pixels than programs count: of those that count as one, the first is taken."""
    if real == wanted:
        return pixels
    (width, height), (columns, rows) = real, wanted
    source = memoryview(pixels).cast("I")
    xs = [column * width // columns for column in range(columns)]
    lines = (source[row * height // rows * width :][:width].tolist() for row in range(rows))
    return bytearray(b"".join(_line(line, xs) for line in lines))


def _line(line: list[int], xs: list[int]) -> bytes:
    return b"".join(line[x].to_bytes(_BYTES_A_PIXEL, "little") for x in xs)


def _paste(whole: bytearray, area: Rect, pixels: bytearray, part: Rect) -> None:
    length = part.width * _BYTES_A_PIXEL
    for row in range(part.height):
        start = ((part.y - area.y + row) * area.width + part.x - area.x) * _BYTES_A_PIXEL
        whole[start : start + length] = pixels[row * length : (row + 1) * length]


def _no_picture() -> Timeout:
    return Timeout("The compositor made no picture of the screen.", hint="Is the monitor on? Try again.")
