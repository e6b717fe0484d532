"""Which picture or sound a file holds, told by its first bytes, never by its name."""

import re
import struct

_KINDS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"RIFF.{4}WAVE", re.DOTALL), "audio/wav"),
    (re.compile(rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]"), "audio/mpeg"),
    (re.compile(rb"OggS"), "audio/ogg"),
    (re.compile(rb"fLaC"), "audio/flac"),
    (re.compile(rb".{4}ftypM4A", re.DOTALL), "audio/mp4"),
)
_JPEG_SIZES = frozenset({0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF})
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})


def kind_of_media(data: bytes) -> str | None:
    """The MIME type; None for what models don't take."""
    return next((mime for pattern, mime in _KINDS if pattern.match(data)), None)


def size_of_image(data: bytes, mime: str) -> tuple[int, int] | None:
    """Width and height; None where the file doesn't tell."""
    try:
        if mime == "image/png":
            return struct.unpack_from(">II", data, 16)
        if mime == "image/gif":
            return struct.unpack_from("<HH", data, 6)
        if mime == "image/jpeg":
            return _size_of_jpeg(data)
        return _size_of_webp(data) if mime == "image/webp" else None
    except (struct.error, IndexError):
        return None


def _size_of_jpeg(data: bytes) -> tuple[int, int] | None:
    """Segments follow each other, each with its length, until one has the size."""
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _JPEG_SIZES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        at += 2 if marker in _JPEG_ALONE else 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _size_of_webp(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None
