"""A canvas for smooth-edged polygons, saved as PNG."""

import struct
import zlib
from collections.abc import Callable, Sequence
from itertools import accumulate, groupby
from math import cos, pi, sin
from pathlib import Path

Colour = tuple[int, int, int]
Point = tuple[float, float]
Paint = Colour | Callable[[int], Colour]
"""One colour, or one for each row."""

_SAMPLES = 4


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    share = min(max(share, 0.0), 1.0)
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def from_top(top: Colour, bottom: Colour, first: float, last: float) -> Callable[[int], Colour]:
    """A colour that changes from the row `first` to the row `last`."""
    return lambda row: mixed(top, bottom, (row - first) / (last - first))


def ellipse(x: float, y: float, width: float, height: float, start: float = 0, end: float = 360) -> list[Point]:
    """The points of an ellipse around (x, y), or of the piece between two angles; 0 is right, 90 is down."""
    steps = 72
    angles = (start + (end - start) * step / steps for step in range(steps + 1))
    return [(x + width * cos(angle * pi / 180), y + height * sin(angle * pi / 180)) for angle in angles]


def box(x: float, y: float, width: float, height: float, radius: float = 0) -> list[Point]:
    """A rectangle from its upper left corner, with round corners."""
    corners = ((x + width, y + height, 0), (x, y + height, 90), (x, y, 180), (x + width, y, 270))
    points: list[Point] = []
    for corner_x, corner_y, angle in corners:
        inner_x = corner_x - radius if corner_x > x else corner_x + radius
        inner_y = corner_y - radius if corner_y > y else corner_y + radius
        points += ellipse(inner_x, inner_y, radius, radius, angle, angle + 90)
    return points


class Canvas:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._rows = [bytearray(width * 4) for _ in range(height)]

    def fill(self, points: Sequence[Point], paint: Paint, opacity: float = 1.0) -> None:
        """Paint the inside of a polygon (even-odd), with smooth edges."""
        edges = [
            (a, b) if a[1] < b[1] else (b, a)
            for a, b in zip(points, [*points[1:], points[0]], strict=True)
            if a[1] != b[1]
        ]
        first = max(int(min(y for _, y in points)), 0)
        last = min(int(max(y for _, y in points)) + 1, self.height)
        for row in range(first, last):
            near = [edge for edge in edges if edge[0][1] < row + 1 and edge[1][1] > row]
            colour = paint(row) if callable(paint) else paint
            self._paint_row(row, self._cover(row, near), colour, opacity)

    def glow(self, x: float, y: float, radius: float, colour: Colour, strength: float) -> None:
        """A light that fades toward its edge."""
        steps = 14
        for step in range(steps):
            size = radius * (1 - step / steps)
            self.fill(ellipse(x, y, size, size), colour, strength / steps)

    def save(self, path: Path, is_clear: bool = False) -> None:
        """Write a PNG; `is_clear` keeps unpainted pixels transparent."""
        lines = bytearray()
        above = bytes(self.width * 4)
        step = 4 if is_clear else 3
        for row in self._rows:
            kept = row if is_clear else _without_alpha(row)
            # The difference to the row above: skies and walls become runs of the same byte.
            lines += b"\x02" + bytes((now - then) & 255 for now, then in zip(kept, above, strict=False))
            above = bytes(kept)
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 6 if step == 4 else 2, 0, 0, 0)
        parts = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(lines), 9)), (b"IEND", b""))
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts))

    def _cover(self, row: int, edges: Sequence[tuple[Point, Point]]) -> list[float]:
        """How much of each pixel of the row lies inside, from 0 to 1."""
        change = [0.0] * (self.width + 2)
        for sample in range(_SAMPLES):
            y = row + (sample + 0.5) / _SAMPLES
            crossings = sorted(
                min(max(a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]), 0.0), float(self.width))
                for a, b in edges
                if a[1] <= y < b[1]
            )
            for place, x in enumerate(crossings):
                sign = 1 if place % 2 == 0 else -1
                pixel = int(x)
                change[pixel] += sign * (pixel + 1 - x)
                change[pixel + 1] += sign * (x - pixel)
        return [value / _SAMPLES for value in accumulate(change)][: self.width]

    def _paint_row(self, row: int, cover: Sequence[float], colour: Colour, opacity: float) -> None:
        pixels, at = self._rows[row], 0
        for share, run in groupby(cover, key=lambda value: round(value, 3)):
            length = sum(1 for _ in run)
            if share > 0:
                self._paint_run(pixels, at, length, colour, min(share, 1.0) * opacity)
            at += length

    @staticmethod
    def _paint_run(pixels: bytearray, at: int, length: int, colour: Colour, opacity: float) -> None:
        if opacity >= 1:
            pixels[at * 4 : (at + length) * 4] = bytes((*colour, 255)) * length
            return
        for pixel in range(at * 4, (at + length) * 4, 4):
            below = pixels[pixel + 3] / 255 * (1 - opacity)
            alpha = opacity + below
            for part in range(3):
                pixels[pixel + part] = round((colour[part] * opacity + pixels[pixel + part] * below) / alpha)
            pixels[pixel + 3] = round(alpha * 255)


def _without_alpha(row: bytearray) -> bytearray:
    kept = bytearray(len(row) // 4 * 3)
    for part in range(3):
        kept[part::3] = row[part::4]
    return kept


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
