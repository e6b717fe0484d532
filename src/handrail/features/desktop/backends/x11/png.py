"""Turns the screen's pixels into a PNG, fast: a row that equals the one above costs one comparison.

Refuses to know where the pixels come from. `outline` draws a frame into them before.
"""

import struct
from itertools import pairwise

from zlib_ng import zlib_ng

from handrail.features.desktop.platform import Rect

_LEVEL = 2  # Half the size of level 1 at the same speed; 3 and above take longer.
_TRUE_COLOUR = 2
_AS_IT_IS, _LIKE_ABOVE = b"\0", b"\2"
_BYTES_A_PIXEL = 4
_OUTLINE = ((b"\xff\xff\xff\xff", 1), (b"\x2d\x00\xe6\xff", 2), (b"\xff\xff\xff\xff", 1))
"""White, red, white from the outside: seen on any ground."""


def png(bgrx: bytearray, width: int, height: int) -> bytes:
    stride, line = width * _BYTES_A_PIXEL, width * 3
    rows = [bgrx[at : at + stride] for at in range(0, stride * height, stride)]
    repeats = [False, *(row == above for above, row in pairwise(rows))]
    kept = b"".join([row for row, is_repeated in zip(rows, repeats, strict=True) if not is_repeated])
    rgb = bytearray(len(kept) // _BYTES_A_PIXEL * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = kept[2::4], kept[1::4], kept[0::4]
    repeated = _LIKE_ABOVE + bytes(line)
    lines: list[bytes | memoryview] = []
    at, view = 0, memoryview(rgb)
    for is_repeated in repeats:
        if is_repeated:
            lines.append(repeated)
        else:
            lines += (_AS_IT_IS, view[at : at + line])
            at += line
    header = struct.pack(">2I5B", width, height, 8, _TRUE_COLOUR, 0, 0, 0)
    data = zlib_ng.compress(b"".join(lines), _LEVEL)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def outline(bgrx: bytearray, width: int, height: int, around: Rect) -> None:
    """Draws outside of `around` (in the picture's own pixels), so that what is meant stays readable."""
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
