"""Pictures in tool results for models that can see: only the newest few, and none too large. People see all of them."""

from collections.abc import Sequence

import msgspec

from handrail.kernel.content import Image
from handrail.ports.model import MOST_PICTURES, Picture, ToolResult, Turn

LARGEST_PICTURE = 3_500_000
"""Bytes: providers take five million, spelled in base64."""
_LONGEST_SIDE = 8_000
PICTURE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_PNG = b"\x89PNG\r\n\x1a\n"


def pictures_in(content: Sequence[object]) -> tuple[tuple[Picture, ...], str]:
    """The pictures that the model gets, and a note about the others."""
    images = [part for part in content if isinstance(part, Image)]
    fitting = [Picture(image.mime, image.data) for image in images if _fits(image)][:MOST_PICTURES]
    left = len(images) - len(fitting)
    told = f"\n[{left} of {len(images)} pictures can't be shown: too large, or too many.]" if left else ""
    return tuple(fitting), told


def drop_old_pictures(turns: list[Turn]) -> None:
    """Removes all but the newest, in place."""
    left = MOST_PICTURES
    for index in range(len(turns) - 1, -1, -1):
        turn = turns[index]
        if isinstance(turn, ToolResult) and turn.pictures:
            kept = turn.pictures[max(0, len(turn.pictures) - left) :]
            left -= len(kept)
            if kept != turn.pictures:
                turns[index] = msgspec.structs.replace(turn, pictures=kept)


def _fits(image: Image) -> bool:
    return (
        image.mime in PICTURE_TYPES and len(image.data) <= LARGEST_PICTURE and max(_sides(image.data)) <= _LONGEST_SIDE
    )


def _sides(data: bytes) -> tuple[int, int]:
    """Width and height, if the image header gives them."""
    if not data.startswith(_PNG) or len(data) < 24:
        return 0, 0
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
