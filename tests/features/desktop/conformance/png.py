"""Reads 8-bit RGB and RGBA PNGs (without the alpha channel), without any library under test."""

import struct
import zlib

CHANNELS = {2: 3, 6: 4}


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def pixels(png: bytes) -> bytes:
    """Returns red, green, blue of every pixel, row by row."""
    width, height = size(png)
    depth, kind = png[24:26]
    assert depth == 8
    step = CHANNELS[kind]
    packed = b"".join(data for name, data in _parts(png) if name == b"IDAT")
    rows = _unfiltered(zlib.decompress(packed), width * step, height, step)
    if step == 4:
        del rows[3::4]
    return bytes(rows)


def pixel(png: bytes, x: int, y: int) -> tuple[int, int, int]:
    """Returns red, green, blue of one pixel, without decoding the rows below it."""
    width, _ = size(png)
    depth, kind = png[24:26]
    assert depth == 8
    step = CHANNELS[kind]
    packed = b"".join(data for name, data in _parts(png) if name == b"IDAT")
    rows = _unfiltered(zlib.decompress(packed)[: (width * step + 1) * (y + 1)], width * step, y + 1, step)
    red, green, blue = rows[(y * width + x) * step :][:3]
    return red, green, blue


def _parts(png: bytes) -> list[tuple[bytes, bytes]]:
    parts, at = [], 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data = png[at + 8 : at + 8 + length]
        assert zlib.crc32(name + data) == struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0]
        parts.append((name, data))
        at += 12 + length
    assert parts[-1] == (b"IEND", b"")
    return parts


def _unfiltered(data: bytes, width: int, height: int, step: int) -> bytearray:
    rows, above = bytearray(), bytearray(width)
    assert len(data) == (width + 1) * height
    for start in range(0, len(data), width + 1):
        kind, row = data[start], bytearray(data[start + 1 : start + 1 + width])
        if kind == 2:
            row = bytearray((one + up) & 255 for one, up in zip(row, above, strict=True))
        elif kind:
            for at in range(width):
                left = row[at - step] if at >= step else 0
                corner = above[at - step] if at >= step else 0
                row[at] = (row[at] + _guess(kind, left, above[at], corner)) & 255
        rows += row
        above = row
    return rows


def _guess(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 1:
        return left
    if kind == 3:
        return (left + up) // 2
    near = left + up - corner
    return min((left, up, corner), key=lambda one: abs(near - one))
