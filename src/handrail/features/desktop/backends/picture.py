"""Encodes pictures as PNG, crops them, and draws outlines and numbers into them."""

import struct
from itertools import pairwise

from zlib_ng import zlib_ng

from handrail.features.desktop.desktop_port import Rect

_OUTLINE = ((b"\xff\xff\xff\xff", 1), (b"\x2d\x00\xe6\xff", 2), (b"\xff\xff\xff\xff", 1))
"""White, red, white, from the outside in: visible on any background."""
_PNG_LEVEL = 2  # Half the size of level 1 at the same speed; 3 and above take longer.
_PNG_TRUE_COLOUR = 2
_PNG_ROW, _PNG_SAME_ROW = b"\0", b"\2"
_BYTES_PER_PIXEL = 4
_MARK_COLOUR, _WHITE = b"\xb0\x00\x90\xff", b"\xff\xff\xff\xff"
_DOT = 3
_DIGITS = {
    digit: rows.split()
    for digit, rows in {
        "0": "### #.# #.# #.# ###",
        "1": ".#. ##. .#. .#. ###",
        "2": "### ..# ### #.. ###",
        "3": "### ..# ### ..# ###",
        "4": "#.# #.# ### ..# ..#",
        "5": "### #.. ### ..# ###",
        "6": "### #.. ### #.# ###",
        "7": "### ..# ..# ..# ..#",
        "8": "### #.# ### #.# ###",
        "9": "### #.# ### ..# ###",
    }.items()
}
"""Digits three dots wide and five high: readable on a button without a font."""


def encode_png(bgrx: bytearray, width: int, height: int) -> bytes:
    """Encodes a picture as PNG. A row that equals the one above costs only one comparison."""
    stride, line = width * _BYTES_PER_PIXEL, width * 3
    rows = [bgrx[at : at + stride] for at in range(0, stride * height, stride)]
    repeats = [False, *(row == above for above, row in pairwise(rows))]
    new_rows = b"".join([row for row, is_repeated in zip(rows, repeats, strict=True) if not is_repeated])
    rgb = bytearray(len(new_rows) // _BYTES_PER_PIXEL * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = new_rows[2::4], new_rows[1::4], new_rows[0::4]
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


def crop(bgrx: bytearray, area: Rect, part: Rect) -> bytes:
    """Returns the pixels of a part; empty if the picture doesn't contain all of it."""
    if part.intersection(area) != part:
        return b""
    starts = (((part.y - area.y + row) * area.width + part.x - area.x) * 4 for row in range(part.height))
    return b"".join(bytes(bgrx[start : start + part.width * 4]) for start in starts)


def draw_outline(bgrx: bytearray, width: int, height: int, around: Rect) -> None:
    """Draws an outline outside of `around` (in the picture's own pixels), so that its content stays readable."""
    picture_area = Rect(0, 0, width, height)
    distance = sum(thickness for _, thickness in _OUTLINE)
    for colour, thickness in _OUTLINE:
        for bar in frame_bars(around, distance, thickness):
            if (visible := bar.intersection(picture_area)) is None:
                continue
            painted = colour * visible.width
            for row in range(visible.y, visible.y + visible.height):
                start = (row * width + visible.x) * _BYTES_PER_PIXEL
                bgrx[start : start + len(painted)] = painted
        distance -= thickness


def draw_mark(bgrx: bytearray, width: int, height: int, around: Rect, number: int) -> None:
    """Draws a thin frame with a number at its corner, above the frame if there is room, otherwise inside."""
    picture_area = Rect(0, 0, width, height)
    for bar in frame_bars(around, 1, 1):
        _fill(bgrx, width, bar.intersection(picture_area), _MARK_COLOUR)
    digits = str(number)
    tall, wide = 5 * _DOT + 2 * _DOT, len(digits) * 4 * _DOT + _DOT
    label = Rect(around.x, around.y - tall if around.y >= tall else around.y, wide, tall).intersection(picture_area)
    _fill(bgrx, width, label, _MARK_COLOUR)
    if label is None:
        return
    for place, digit in enumerate(digits):
        for row, dots in enumerate(_DIGITS[digit]):
            for column, dot in enumerate(dots):
                if dot == "#":
                    x, y = label.x + _DOT + (place * 4 + column) * _DOT, label.y + _DOT + row * _DOT
                    _fill(bgrx, width, Rect(x, y, _DOT, _DOT).intersection(picture_area), _WHITE)


def _fill(bgrx: bytearray, width: int, area: Rect | None, colour: bytes) -> None:
    if area is None:
        return
    painted = colour * area.width
    for row in range(area.y, area.y + area.height):
        start = (row * width + area.x) * _BYTES_PER_PIXEL
        bgrx[start : start + len(painted)] = painted


def frame_bars(around: Rect, distance: int, thickness: int) -> tuple[Rect, Rect, Rect, Rect]:
    """Returns the four sides of a frame that begins `distance` pixels outside of `around`."""
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
