"""How a browser is told what a file is. The system's own tables differ from machine to machine."""

import posixpath

from handrail.features.webgal.script.media import MEDIA_TYPES

_TYPES = {
    **MEDIA_TYPES,
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".scss": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".ico": "image/x-icon",
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".webm": "video/webm",
    ".mkv": "video/x-matroska",
    ".ogv": "video/ogg",
    ".mov": "video/quicktime",
    ".ttf": "font/ttf",
    ".otf": "font/otf",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}


def content_type(path: str) -> str:
    return _TYPES.get(posixpath.splitext(path)[1].lower(), "application/octet-stream")
