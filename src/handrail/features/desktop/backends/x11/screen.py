"""Screenshots as PNG, and outlines shown on the screen itself."""

import asyncio
import contextlib
import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import mss
from mss.exception import ScreenShotError
from Xlib import X, error
from Xlib.ext import shape
from zlib_ng import zlib_ng

from handrail.features.desktop.backends.x11.blackout import paint, seen_covers, seen_parts
from handrail.features.desktop.backends.x11.connection import UNREACHABLE, X11
from handrail.features.desktop.platform import Covered, Rect, Shot, Window
from handrail.ports.errors import InvalidParams, PermissionMissing, Unsupported

_MARGIN = 4
"""Pixels around an area that keep the whole outline in the picture."""
_OUTLINE = ((b"\xff\xff\xff\xff", 1), (b"\x2d\x00\xe6\xff", 2), (b"\xff\xff\xff\xff", 1))
"""White, red, white from the outside: visible on any background."""
_PNG_LEVEL = 2  # Half the size of level 1 at the same speed; 3 and above take longer.
_PNG_TRUE_COLOUR = 2
_PNG_ROW, _PNG_SAME_ROW = b"\0", b"\2"
_BYTES_A_PIXEL = 4
_HIGHLIGHT_DISTANCE = 4
_HIGHLIGHT_THICKNESS = 3
_RED = 0xE6002D
_MOST_HIGHLIGHTS = 16


class X11Screen:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        self._camera: mss.MSS | None = None
        self._highlights: list[list[Any]] = []

    async def shot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        hidden: Sequence[Window] = (),
        covered: Sequence[Covered] = (),
    ) -> Shot:
        if self._x11.is_xwayland():
            raise PermissionMissing(
                "A Wayland session gives no picture of the screen to other programs.",
                hint="Choose an X11 (Xorg) session when you sign in.",
            )
        whole = self._x11.screen_area()
        if area is not None and outlined is not None and area == outlined:
            area = Rect(area.x - _MARGIN, area.y - _MARGIN, area.width + 2 * _MARGIN, area.height + 2 * _MARGIN)
        seen = whole if area is None else area.meets(whole)
        if seen is None:
            raise InvalidParams("The area is not on the screen.", hint="Bring the window on to the screen first.")
        before, parts_before = seen_parts(self._x11, hidden), seen_covers(self._x11, covered)
        pixels = self._grab(seen)
        paint(pixels, seen, before)
        paint(pixels, seen, seen_parts(self._x11, hidden))  # what was uncovered meanwhile
        crop = b"" if cropped is None else _crop(pixels, seen, cropped)
        paint(pixels, seen, parts_before)
        paint(pixels, seen, seen_covers(self._x11, covered))
        if outlined is not None:
            inside = Rect(outlined.x - seen.x, outlined.y - seen.y, outlined.width, outlined.height)
            outline(pixels, seen.width, seen.height, inside)
        return Shot(await asyncio.to_thread(png, pixels, seen.width, seen.height), seen, crop)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        """The outline goes away by itself, with `close`, or with this process."""
        display = self._x11.display()
        if not display.has_extension("SHAPE"):
            raise Unsupported("This X server can't show a frame that lets clicks through.")
        if len(self._highlights) >= _MOST_HIGHLIGHTS:
            self._hide(self._highlights[0])
        windows = [self._bar(bar) for bar in bars(frame, _HIGHLIGHT_DISTANCE, _HIGHLIGHT_THICKNESS)]
        display.sync()
        self._highlights.append(windows)
        asyncio.get_running_loop().call_later(duration_ms / 1000, self._hide, windows)

    def close(self) -> None:
        for windows in list(self._highlights):
            self._hide(windows)
        self._close_camera()

    def _grab(self, area: Rect) -> bytearray:
        """Tries twice: a camera fails after the X server restarted or the screen grew."""
        box = {"left": area.x, "top": area.y, "width": area.width, "height": area.height}
        failure: ScreenShotError | None = None
        for _ in range(2):
            try:
                if self._camera is None:
                    self._x11.check_answers()
                    self._camera = mss.MSS(display=self._x11.name)
                return self._camera.grab(box).raw
            except ScreenShotError as exc:
                failure = exc
                self._close_camera()
        raise PermissionMissing(
            f"The X server gives no picture of the screen: {failure}", hint="`handrail desktop doctor` tells more."
        )

    def _close_camera(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _bar(self, bar: Rect) -> Any:
        root = self._x11.root()
        area = (bar.x, bar.y, bar.width, bar.height)
        window = root.create_window(*area, 0, X.CopyFromParent, override_redirect=True, background_pixel=_RED)
        # With an empty input area, clicks go through to what is below.
        window.shape_rectangles(shape.SO.Set, shape.SK.Input, 0, 0, 0, [])
        window.map()
        return window

    def _hide(self, windows: list[Any]) -> None:
        if windows not in self._highlights:
            return
        self._highlights.remove(windows)
        with contextlib.suppress(error.XError, *UNREACHABLE):
            for window in windows:
                window.destroy()
            self._x11.display().flush()


def png(bgrx: bytearray, width: int, height: int) -> bytes:
    """A row that equals the one above costs one comparison."""
    stride, line = width * _BYTES_A_PIXEL, width * 3
    rows = [bgrx[at : at + stride] for at in range(0, stride * height, stride)]
    repeats = [False, *(row == above for above, row in pairwise(rows))]
    kept = b"".join([row for row, is_repeated in zip(rows, repeats, strict=True) if not is_repeated])
    rgb = bytearray(len(kept) // _BYTES_A_PIXEL * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = kept[2::4], kept[1::4], kept[0::4]
    repeated = _PNG_SAME_ROW + bytes(line)
    lines: list[bytes | memoryview] = []
    at, view = 0, memoryview(rgb)
    for is_repeated in repeats:
        if is_repeated:
            lines.append(repeated)
        else:
            lines += (_PNG_ROW, view[at : at + line])
            at += line
    header = struct.pack(">2I5B", width, height, 8, _PNG_TRUE_COLOUR, 0, 0, 0)
    data = zlib_ng.compress(b"".join(lines), _PNG_LEVEL)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _crop(bgrx: bytearray, seen: Rect, wanted: Rect) -> bytes:
    """Empty if not all of it is on the picture."""
    if wanted.meets(seen) != wanted:
        return b""
    starts = (((wanted.y - seen.y + row) * seen.width + wanted.x - seen.x) * 4 for row in range(wanted.height))
    return b"".join(bytes(bgrx[start : start + wanted.width * 4]) for start in starts)


def outline(bgrx: bytearray, width: int, height: int, around: Rect) -> None:
    """Draws outside of `around` (in the picture's own pixels), so that its content stays readable."""
    whole = Rect(0, 0, width, height)
    distance = sum(thickness for _, thickness in _OUTLINE)
    for colour, thickness in _OUTLINE:
        for bar in bars(around, distance, thickness):
            if (seen := bar.meets(whole)) is None:
                continue
            painted = colour * seen.width
            for row in range(seen.y, seen.y + seen.height):
                start = (row * width + seen.x) * _BYTES_A_PIXEL
                bgrx[start : start + len(painted)] = painted
        distance -= thickness


def bars(around: Rect, distance: int, thickness: int) -> tuple[Rect, Rect, Rect, Rect]:
    """The four sides of a frame that begins `distance` pixels outside and is drawn inwards."""
    x, y = around.x - distance, around.y - distance
    width, height = around.width + 2 * distance, around.height + 2 * distance
    return (
        Rect(x, y, width, thickness),
        Rect(x, y + height - thickness, width, thickness),
        Rect(x, y, thickness, height),
        Rect(x + width - thickness, y, thickness, height),
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib_ng.crc32(content, zlib_ng.crc32(kind))
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
