"""Serves the built console from the folder `console` beside this module, if it was built.

All files are read once at start, so that a request can't reach any other file.
"""

import asyncio
import gzip
import mimetypes
import re
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = Path(__file__).with_name("console")
INDEX = "index.html"
PAGES = ("/activity", "/tools", "/settings")
CONTENT_SECURITY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
    "connect-src 'self'; media-src 'self' blob:; manifest-src 'self'; frame-src http://127.0.0.1:* http://localhost:*; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
WORKER = "/sw.js"
WORKER_SECURITY = "default-src 'none'; connect-src 'self'"
"""A service worker has its own policy. It fetches the files that it caches and the pages that it forwards."""
_HASHED = re.compile(r"/assets/.+[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+")
_FOREVER = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript", ".woff2": "font/woff2", ".webmanifest": "application/manifest+json"}


_COMPRESSED = frozenset({".js", ".css", ".html", ".svg", ".json", ".webmanifest"})
_LEAST_BYTES = 1024


class Asset:
    """A file's content; it is compressed with gzip when first requested so."""

    def __init__(self, content: bytes, *, is_compressed: bool) -> None:
        self._content = content
        self._is_compressed = is_compressed
        self._gzip: bytes | None = None

    async def answer(self, request: Request, media_type: str, headers: dict[str, str]) -> Response:
        if not self._is_compressed:
            return Response(self._content, media_type=media_type, headers=headers)
        headers = {**headers, "vary": "accept-encoding"}
        if not _accepts_gzip(request):
            return Response(self._content, media_type=media_type, headers=headers)
        if self._gzip is None:
            self._gzip = await asyncio.to_thread(gzip.compress, self._content, mtime=0)
        return Response(self._gzip, media_type=media_type, headers={**headers, "content-encoding": "gzip"})


@dataclass(frozen=True, slots=True)
class ConsoleFiles:
    index: Asset
    assets: dict[str, Asset]

    def has(self, path: str) -> bool:
        return path == "/" or path in self.assets or _is_page(path)

    def routes(self) -> list[Route]:
        async def index(request: Request) -> Response:
            headers = {"cache-control": "no-cache", "content-security-policy": CONTENT_SECURITY}
            return await self.index.answer(request, "text/html", headers)

        async def asset(request: Request) -> Response:
            path = request.url.path
            headers = {"cache-control": _FOREVER if _HASHED.fullmatch(path) else "no-cache"}
            if path == WORKER:
                headers["content-security-policy"] = WORKER_SECURITY
            return await self.assets[path].answer(request, _media_type(path), headers)

        pages = [Route(path, index) for page in PAGES for path in (page, page + "/{rest:path}")]
        return [Route("/", index), *pages, *(Route(path, asset) for path in self.assets)]


def load(folder: Path = FOLDER) -> ConsoleFiles | None:
    """None if the console was not built."""
    if not (folder / INDEX).is_file():
        return None
    assets = {
        "/" + file.relative_to(folder).as_posix(): _asset(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    }
    return ConsoleFiles(assets.pop(f"/{INDEX}"), assets)


def _asset(file: Path) -> Asset:
    content = file.read_bytes()
    return Asset(content, is_compressed=file.suffix in _COMPRESSED and len(content) >= _LEAST_BYTES)


def _accepts_gzip(request: Request) -> bool:
    for offer in request.headers.get("accept-encoding", "").split(","):
        name, _, quality = offer.partition(";")
        if name.strip() in ("gzip", "*"):
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _is_page(path: str) -> bool:
    return path in PAGES or path.startswith(tuple(f"{page}/" for page in PAGES))


def _media_type(path: str) -> str:
    return _TYPES.get(Path(path).suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
