"""Stores a team's evidence and other blobs in a bucket that all servers can read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from typing import Any

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import from_url

from handrail.ports.errors import Conflict, InputOutput, NotFound, TooLarge
from handrail.ports.files import Entry

_PATIENCE = {"timeout": timedelta(seconds=10), "connect_timeout": timedelta(seconds=3)}
_RETRIES: Any = {"max_retries": 2, "retry_timeout": timedelta(seconds=6)}


def open_bucket(url: str) -> Any:
    """Opens `s3://bucket/prefix`, or `file:///folder` on one machine. Keys and endpoint are in the environment."""
    try:
        if url.startswith("file://"):
            return from_url(url, mkdir=True)
        options: Any = {**_PATIENCE, "allow_http": os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")}
        return from_url(url, client_options=options, retry_config=_RETRIES)
    except (BaseError, ValueError) as refusal:
        raise InputOutput(f"{url} can't be used for blobs: {refusal}.") from None


class BlobFolder:
    """Implements `ports.files.EvidenceFolder`. The bucket's own rules remove old objects."""

    def __init__(self, bucket: Any, url: str, prefix: str) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self.location = f"{url.rstrip('/')}/{prefix}"

    def private(self) -> BlobFolder:
        return self

    def read(self, path: str, limit: int | None = None) -> bytes:
        with self._translate_errors(path):
            blob = obstore.get(self._bucket, self._at(path))
            if limit is not None and blob.meta["size"] > limit:
                raise TooLarge(f"{path} has more than {limit} bytes.", maxBytes=limit)
            return bytes(blob.bytes())

    def mode(self, path: str) -> int | None:
        """A fixed mode: git doesn't see a bucket, so `.gitignore` needn't be written."""
        return 0o600

    def write(self, path: str, data: bytes, *, is_durable: bool = True) -> None:
        with self._translate_errors(path):
            obstore.put(self._bucket, self._at(path), data)

    def create(self, path: str, data: bytes, *, is_durable: bool = True) -> None:
        with self._translate_errors(path):
            obstore.put(self._bucket, self._at(path), data, mode="create")

    def remove(self, path: str) -> None:
        with self._translate_errors(path):
            obstore.delete(self._bucket, self._at(path))

    def put(self, path: str, data: bytes) -> None:
        self.create(path, data)

    def entries(self, path: str) -> list[Entry]:
        """Empty: objects aren't pruned from here."""
        return []

    def total_size(self, path: str) -> int:
        return 0

    def remove_tree(self, path: str) -> None:
        """Does nothing: the bucket's rules remove old objects."""

    def make_private(self, path: str) -> int:
        return 0

    def sweep_all(self, path: str) -> None:
        """Does nothing: objects are written atomically."""

    def sync_file(self, path: str) -> None:
        """Does nothing: objects are durable once written."""

    def sync(self) -> None:
        """Does nothing: objects are durable once written."""

    def close(self) -> None:
        """Does nothing: the bucket isn't opened per folder."""

    def names(self, path: str) -> Sequence[str]:
        """The sorted names of all objects below the path."""
        with self._translate_errors(path):
            below = self._at(path) + "/"
            pages = obstore.list(self._bucket, prefix=below)
            return sorted(str(meta["path"])[len(below) :] for page in pages for meta in page)

    def _at(self, path: str) -> str:
        return f"{self._prefix}/{path}" if path else self._prefix

    @contextmanager
    def _translate_errors(self, path: str) -> Iterator[None]:
        try:
            yield
        except AlreadyExistsError:
            raise Conflict(f"{path} exists already.") from None
        except (NotFoundError, FileNotFoundError):
            raise NotFound(f"There is no {path} in {self.location}.") from None
        except (BaseError, OSError) as refusal:
            why = str(refusal).split("\n", 1)[0][:200]
            raise InputOutput(f"{self.location} refused: {why}") from None


class BlobWitness:
    """A witness that stores every checkpoint as its own object, which is never replaced."""

    def __init__(self, folder: BlobFolder) -> None:
        self._folder = folder
        self._lines: dict[str, bytes] = {}
        self.name = folder.location

    def add(self, line: bytes) -> None:
        name = sha256(line).hexdigest()
        try:
            self._folder.create(name, line)
        except Conflict:
            return  # the name is a hash of the content, so it is the same checkpoint
        self._lines[name] = line

    def lines(self) -> Sequence[bytes]:
        names = self._folder.names("")
        for name in names:
            if name not in self._lines:
                self._lines[name] = self._folder.read(name)
        return [self._lines[name] for name in names]
