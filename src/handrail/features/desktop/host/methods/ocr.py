"""desktop.ocr: reads the text in the picture of a window, or of a part of it."""

import asyncio
import csv
import shutil
from array import array
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from handrail.features.desktop.desktop_port import Rect
from handrail.features.desktop.host import screenshots
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import Box, RoutedParams
from handrail.features.desktop.host.refs import frame_to_wire
from handrail.features.desktop.host.services import ReadMethod, Result, Services
from handrail.ports.errors import Internal, InvalidParams, PermissionMissing

_PROGRAM = "tesseract"
_SCALE = 2
"""Text on screens is too small for tesseract otherwise."""
_SPARSE_TEXT_MODE = "11"
_SCRIPT_DETECTION = "osd"
_MIN_CONFIDENCE = 30.0
_WORD_LEVEL = "5"


class TextLine(NamedTuple):
    text: str
    frame: Rect


def is_installed() -> bool:
    return shutil.which(_PROGRAM) is not None


async def read_text(bgrx: bytes, area: Rect) -> list[TextLine]:
    """Returns the lines from top to bottom. PermissionMissing if tesseract is not installed."""
    if not is_installed():
        raise PermissionMissing(
            "Text in pictures can't be read: tesseract is not installed.", hint="apt install tesseract-ocr"
        )
    installed = (await _run(b"", "--list-langs")).splitlines()[1:]
    languages = "+".join(name for name in installed if name != _SCRIPT_DETECTION) or "eng"
    picture = await asyncio.to_thread(_enlarged, bgrx, area.width, area.height)
    table = await _run(picture, "stdin", "stdout", "-l", languages, "--psm", _SPARSE_TEXT_MODE, "tsv")
    return list(_lines(table, area))


async def _run(content: bytes, *arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        _PROGRAM,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, errors = await process.communicate(content)
    except asyncio.CancelledError:
        process.kill()
        raise
    if process.returncode:
        raise Internal(f"tesseract failed: {errors.decode(errors='replace')[:300]}")
    return output.decode(errors="replace")


def _enlarged(bgrx: bytes, width: int, height: int) -> bytes:
    """Returns a PNM picture, with each pixel doubled in both directions."""
    pixels, new_width = array("I", bgrx), width * _SCALE
    rows = []
    for row in range(height):
        doubled = array("I", bytes(new_width * 4))
        doubled[0::_SCALE] = doubled[1::_SCALE] = pixels[row * width : (row + 1) * width]
        rows.append(doubled.tobytes() * _SCALE)
    enlarged = b"".join(rows)
    rgb = bytearray(new_width * height * _SCALE * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = enlarged[2::4], enlarged[1::4], enlarged[0::4]
    return b"P6 %d %d 255\n" % (new_width, height * _SCALE) + rgb


def _lines(table: str, area: Rect) -> Iterator[TextLine]:
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [
        row
        for row in rows
        if row["level"] == _WORD_LEVEL and (row["text"] or "").strip() and float(row["conf"]) >= _MIN_CONFIDENCE
    ]
    for _, line in groupby(words, key=lambda row: (row["block_num"], row["par_num"], row["line_num"])):
        line_words = list(line)
        boxes = [[int(row[name]) // _SCALE for name in ("left", "top", "width", "height")] for row in line_words]
        left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
        right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
        text = " ".join(row["text"].strip() for row in line_words)
        yield TextLine(text, Rect(area.x + left, area.y + top, right - left, bottom - top))


class OcrParams(RoutedParams, frozen=True, kw_only=True):
    rect: Box | None = None
    """In screen pixels; without it, the whole window."""


async def _ocr(services: Services, execution: Execution, params: OcrParams) -> Result:
    resolved_route = await (await services.search()).resolve_route(params.route)
    window, box = resolved_route.window.frame, params.rect
    if window is None:
        raise InvalidParams("The window has no place on the screen.", field="params.route")
    area = window if box is None else Rect(box.x, box.y, box.width, box.height).intersection(window)
    if area is None:
        raise InvalidParams("params.rect: outside of the window.", field="params.rect")
    desktop = await services.source.get()
    pixels, shot = await screenshots.read_pixels(desktop, area)
    lines = await read_text(pixels, shot.area)
    record = execution.record
    return {
        "lines": [{"text": line.text, "frame": frame_to_wire(line.frame)} for line in lines],
        "routeResolved": resolved_route.to_wire(),
        "evidence": {"dir": record.dir, "screenshotPath": record.add("observe.png", shot.png)},
    }


METHOD = ReadMethod("desktop.ocr", OcrParams, _ocr)
