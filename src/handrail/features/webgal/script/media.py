"""The kinds of files in a game: pictures, sounds, videos, and models with their parts."""

import json
import posixpath
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

_KINDS = ("motion3", "exp3", "physics3", "pose3", "userdata3", "cdi3", "exp", "physics", "pose")
_PARTS = tuple(f"{kind}.json" for kind in _KINDS)
IMAGES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".avif", ".svg", ".apng"})


def is_model(path: str) -> bool:
    """Decides by the name: a Live2D model's JSON, a `.jsonl` of derived engines, or a Spine skeleton."""
    name = posixpath.basename(path).lower()
    return name.endswith((".skel", ".model.json", ".model3.json", ".jsonl")) or name in (
        "model.json",
        "model3.json",
        "index.json",
    )


def is_part(path: str) -> bool:
    """Decides by the name whether it is a file of a Live2D model, of which there may be thousands."""
    return path.lower().endswith(_PARTS)


def model_parts(path: str, text: str) -> frozenset[str] | None:
    """Returns the files that a model's JSON names, as paths like its own; None if it isn't a model."""
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


def atlas_pages(path: str, text: str) -> frozenset[str]:
    """Returns the pictures that a Spine atlas names."""
    folder = posixpath.dirname(path)
    names = (line.strip() for line in text.splitlines() if ":" not in line)
    return frozenset(posixpath.join(folder, name) for name in names if posixpath.splitext(name)[1].lower() in IMAGES)


def _named(value: Any) -> Iterator[str]:
    """Yields every text in a model that could be a file name."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner)


Kind = Literal["image", "audio", "video", "live2d", "spine", "animation", "other"]

VIDEOS = frozenset({".mp4", ".webm", ".mkv", ".ogv", ".mov"})
SOUNDS = frozenset({".mp3", ".ogg", ".wav", ".m4a", ".opus", ".flac", ".aac", ".webm"})
_SOUND_FOLDERS = ("bgm", "vocal")
MEDIA_TYPES = {
    ".png": "image/png",
    ".apng": "image/apng",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".bmp": "image/bmp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".m4a": "audio/mp4",
    ".aac": "audio/aac",
    ".flac": "audio/flac",
}


def kind_of(path: str, paths: Collection[str], models: Collection[str]) -> Kind:
    """Returns the kind of a path below the game's folder. `paths` are all files, `models` the known models."""
    folder = path.partition("/")[0]
    stem, ending = posixpath.splitext(path)
    ending = ending.lower()
    if folder == "animation":
        return "animation" if ending == ".json" else "other"
    if path in models or is_model(path):
        return "spine" if ending == ".skel" or f"{stem}.atlas" in paths else "live2d"
    if ending in IMAGES:
        return "image"
    if ending in SOUNDS and (folder in _SOUND_FOLDERS or ending not in VIDEOS):
        return "audio"
    return "video" if ending in VIDEOS else "other"


def is_video(path: str) -> bool:
    folder, ending = path.partition("/")[0], posixpath.splitext(path)[1].lower()
    return ending in VIDEOS and folder not in _SOUND_FOLDERS


def media_type(path: str) -> str | None:
    """Returns the type of a file that a page can show or play; None for anything else."""
    folder, ending = path.partition("/")[0], posixpath.splitext(path)[1].lower()
    if ending == ".webm":
        return "audio/webm" if folder in _SOUND_FOLDERS else None
    return MEDIA_TYPES.get(ending)
