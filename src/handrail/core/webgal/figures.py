"""Which files of a figure folder are figures: pictures, Live2D and Spine models, and not the parts of a model."""

import json
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

_KINDS = ("motion3", "exp3", "physics3", "pose3", "userdata3", "cdi3", "exp", "physics", "pose")
_PARTS = tuple(f"{kind}.json" for kind in _KINDS)
IMAGES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".avif", ".svg", ".apng"})


def is_model(path: str) -> bool:
    """By its name alone: a Live2D model's JSON, several in a `.jsonl` of derived engines, or a Spine skeleton."""
    name = posixpath.basename(path).lower()
    return name.endswith((".skel", ".model.json", ".model3.json", ".jsonl")) or name in (
        "model.json",
        "model3.json",
        "index.json",
    )


def is_part(path: str) -> bool:
    """By its name alone: what belongs to a Live2D model, of which there may be thousands."""
    return path.lower().endswith(_PARTS)


def parts_of(path: str, text: str) -> frozenset[str] | None:
    """The files that a model's JSON names, as paths like its own; None where it is no model."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    folder = posixpath.dirname(path)
    if "skeleton" in document and "bones" in document:  # Spine as JSON
        stem = posixpath.splitext(path)[0]
        return frozenset({f"{stem}.atlas", f"{stem}.png"})
    if not ({"model", "textures"} <= document.keys() or "FileReferences" in document):
        return None
    return frozenset(posixpath.normpath(posixpath.join(folder, name)) for name in _named(document))


def pages_of(path: str, text: str) -> frozenset[str]:
    """The pictures that a Spine atlas names."""
    folder = posixpath.dirname(path)
    names = (line.strip() for line in text.splitlines() if ":" not in line)
    return frozenset(posixpath.join(folder, name) for name in names if posixpath.splitext(name)[1].lower() in IMAGES)


def _named(value: Any) -> Iterator[str]:
    """Every text in a model that could be a file's name: what is none is nobody's path."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner)
