"""What kinds of files a game has, by their names."""

import posixpath
from collections.abc import Collection
from typing import Literal

from handrail.core.webgal.figures import IMAGES, is_model

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
    """Of a path below the game's folder; `paths` are all that there are, `models` those that are known for one."""
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


def media_type(path: str) -> str | None:
    """Of what a page may show or play by itself; None for anything else."""
    folder, ending = path.partition("/")[0], posixpath.splitext(path)[1].lower()
    if ending == ".webm":
        return "audio/webm" if folder in _SOUND_FOLDERS else None
    return MEDIA_TYPES.get(ending)
