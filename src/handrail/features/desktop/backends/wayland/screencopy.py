"""Reads the pixels of monitors, which the compositor copies into shared memory."""

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

from handrail.features.desktop.backends.wayland.connection import Proxy
from handrail.features.desktop.backends.wayland.session import SCREENCOPY, Output, Session, Wayland
from handrail.features.desktop.desktop_port import Rect
from handrail.ports.errors import PermissionMissing, Timeout, Unsupported

_BYTES_PER_PIXEL = 4
_BLUE_FIRST = (0, 1)
"""ARGB8888 and XRGB8888, which are blue, green, red in memory."""
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
        picture = bytearray(area.width * area.height * _BYTES_PER_PIXEL)
        for output, part in parts:
            _paste(picture, area, self._copy(session, output, part), part)
        return picture

    def _copy(self, session: Session, output: Output, part: Rect) -> bytearray:
        manager, memory = self._managers(session)
        place = (part.x - output.area.x, part.y - output.area.y, part.width, part.height)
        frame = manager.send("capture_output_region", 0, output.proxy, *place)
        formats: list[tuple[int, int, int, int]] = []
        outcomes: list[str] = []
        flags = [0]
        frame.on = {
            "buffer": lambda *values: formats.append(values),
            "flags": lambda values: flags.__setitem__(0, values),
            "ready": lambda *_: outcomes.append("ready"),
            "failed": lambda: outcomes.append("failed"),
        }
        session.connection.wait(lambda: bool(formats or outcomes))
        if not formats:
            raise _copy_failed()
        pixel_format, width, height, stride = formats[0]
        with _shared_buffer(memory, pixel_format, width, height, stride) as (buffer, pixels):
            frame.send("copy", buffer)
            session.connection.wait(lambda: bool(outcomes))
            frame.destroy()
            if outcomes[0] != "ready":
                raise _copy_failed()
            rows = [pixels[at : at + width * _BYTES_PER_PIXEL] for at in range(0, stride * height, stride)]
        if flags[0] & _UPSIDE_DOWN:
            rows.reverse()
        return _scale(_blue_first(pixel_format, bytearray(b"".join(rows))), (width, height), (part.width, part.height))

    def _managers(self, session: Session) -> tuple[Proxy, Proxy]:
        if self._bound is None or self._bound[0] is not session:
            if not session.connection.has(SCREENCOPY):
                raise PermissionMissing("This Wayland compositor doesn't allow screenshots.")
            connection = session.connection
            self._bound = (session, connection.bind(SCREENCOPY), connection.bind("wl_shm"))
        return self._bound[1], self._bound[2]


@contextmanager
def _shared_buffer(
    memory: Proxy, pixel_format: int, width: int, height: int, stride: int
) -> Iterator[tuple[Proxy, mmap.mmap]]:
    """Yields a buffer for the compositor to write into, and its content."""
    descriptor = os.memfd_create("screen", os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, stride * height)
        pixels = mmap.mmap(descriptor, stride * height)
        pool = memory.send("create_pool", descriptor, stride * height)
    finally:
        os.close(descriptor)
    buffer = pool.send("create_buffer", 0, width, height, stride, pixel_format)
    pool.destroy()
    try:
        yield buffer, pixels
    finally:
        buffer.destroy()
        pixels.close()


def _blue_first(pixel_format: int, pixels: bytearray) -> bytearray:
    if pixel_format in _RED_FIRST:
        pixels[0::4], pixels[2::4] = pixels[2::4], pixels[0::4]
    elif pixel_format not in _BLUE_FIRST:
        raise Unsupported(f"The compositor uses an unknown pixel format ({pixel_format:#x}).")
    return pixels


def _scale(pixels: bytearray, actual_size: tuple[int, int], target_size: tuple[int, int]) -> bytearray:
    """Scales down a picture of a monitor with a scale factor, taking the first pixel of each group."""
    if actual_size == target_size:
        return pixels
    (width, height), (columns, rows) = actual_size, target_size
    source = memoryview(pixels).cast("I")
    columns_taken = [column * width // columns for column in range(columns)]
    lines = (source[row * height // rows * width :][:width].tolist() for row in range(rows))
    return bytearray(b"".join(_line(line, columns_taken) for line in lines))


def _line(line: list[int], columns_taken: list[int]) -> bytes:
    return b"".join(line[x].to_bytes(_BYTES_PER_PIXEL, "little") for x in columns_taken)


def _paste(picture: bytearray, area: Rect, pixels: bytearray, part: Rect) -> None:
    length = part.width * _BYTES_PER_PIXEL
    for row in range(part.height):
        start = ((part.y - area.y + row) * area.width + part.x - area.x) * _BYTES_PER_PIXEL
        picture[start : start + length] = pixels[row * length : (row + 1) * length]


def _copy_failed() -> Timeout:
    return Timeout("The compositor took no screenshot.", hint="Is the monitor on? Try again.")
