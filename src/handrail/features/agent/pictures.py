"""Pictures in tool results, for models that can see: the newest few, and none too large. People see all of them."""

from collections.abc import Sequence

import msgspec

from handrail.kernel.content import Image
from handrail.ports.model import MOST_PICTURES, Picture, ToolResult, Turn

LARGEST_PICTURE = 3_500_000
"""Bytes. Providers accept five million in base64."""
_MAX_SIDE = 8_000
PICTURE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_PNG = b"\x89PNG\r\n\x1a\n"


def pictures_in(content: Sequence[object]) -> tuple[tuple[Picture, ...], str]:
    """The pictures for the model, and a note about those that it can't get."""
    images = [part for part in content if isinstance(part, Image)]
    fitting = [Picture(image.mime, image.data) for image in images if _fits(image)][:MOST_PICTURES]
    omitted = len(images) - len(fitting)
    note = f"\n[{omitted} of {len(images)} pictures can't be shown: too large, or too many.]" if omitted else ""
    return tuple(fitting), note


def drop_old_pictures(turns: list[Turn]) -> None:
    """Removes all but the newest pictures, in place."""
    remaining = MOST_PICTURES
    for index in range(len(turns) - 1, -1, -1):
        turn = turns[index]
        if isinstance(turn, ToolResult) and turn.pictures:
            pictures = turn.pictures[max(0, len(turn.pictures) - remaining) :]
            remaining -= len(pictures)
            if pictures != turn.pictures:
                turns[index] = msgspec.structs.replace(turn, pictures=pictures)


def _fits(image: Image) -> bool:
    return image.mime in PICTURE_TYPES and len(image.data) <= LARGEST_PICTURE and max(_sides(image.data)) <= _MAX_SIDE


def _sides(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG; 0, 0 for other formats."""
    if not data.startswith(_PNG) or len(data) < 24:
        return 0, 0
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
