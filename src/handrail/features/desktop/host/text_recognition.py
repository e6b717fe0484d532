"""Reads what is written in pixels, with tesseract where it is installed."""

import asyncio
import csv
import shutil
from array import array
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from handrail.features.desktop.platform import Rect
from handrail.ports.errors import Internal, PermissionMissing

_PROGRAM = "tesseract"
_SCALE = 2
"""The text of a screen is too small for it otherwise."""
_SPARSE = "11"
_NO_LANGUAGE = "osd"
_LEAST_CONFIDENCE = 30.0
_WORD_LEVEL = "5"


class WrittenLine(NamedTuple):
    text: str
    frame: Rect


def is_installed() -> bool:
    return shutil.which(_PROGRAM) is not None


async def read_text(bgrx: bytes, area: Rect) -> list[WrittenLine]:
    """From the top to the bottom. PermissionMissing where tesseract is not installed."""
    if not is_installed():
        raise PermissionMissing(
            "Text in pictures can't be read: tesseract is not installed.", hint="apt install tesseract-ocr"
        )
    listed = (await _run(b"", "--list-langs")).splitlines()[1:]
    languages = "+".join(name for name in listed if name != _NO_LANGUAGE) or "eng"
    picture = await asyncio.to_thread(_enlarged, bgrx, area.width, area.height)
    told = await _run(picture, "stdin", "stdout", "-l", languages, "--psm", _SPARSE, "tsv")
    return list(_lines(told, area))


async def _run(given: bytes, *arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        _PROGRAM,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        said, complained = await process.communicate(given)
    except asyncio.CancelledError:
        process.kill()
        raise
    if process.returncode:
        raise Internal(f"tesseract failed: {complained.decode(errors='replace')[:300]}")
    return said.decode(errors="replace")


def _enlarged(bgrx: bytes, width: int, height: int) -> bytes:
    """As PNM, each pixel four times."""
    pixels, wide = array("I", bgrx), width * _SCALE
    rows = []
    for row in range(height):
        doubled = array("I", bytes(wide * 4))
        doubled[0::_SCALE] = doubled[1::_SCALE] = pixels[row * width : (row + 1) * width]
        rows.append(doubled.tobytes() * _SCALE)
    large = b"".join(rows)
    rgb = bytearray(wide * height * _SCALE * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = large[2::4], large[1::4], large[0::4]
    return b"P6 %d %d 255\n" % (wide, height * _SCALE) + rgb


def _lines(told: str, area: Rect) -> Iterator[WrittenLine]:
    rows = csv.DictReader(told.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [
        row
        for row in rows
        if row["level"] == _WORD_LEVEL and (row["text"] or "").strip() and float(row["conf"]) >= _LEAST_CONFIDENCE
    ]
    for _, line in groupby(words, key=lambda row: (row["block_num"], row["par_num"], row["line_num"])):
        found = list(line)
        boxes = [[int(row[name]) // _SCALE for name in ("left", "top", "width", "height")] for row in found]
        left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
        right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
        text = " ".join(row["text"].strip() for row in found)
        yield WrittenLine(text, Rect(area.x + left, area.y + top, right - left, bottom - top))
