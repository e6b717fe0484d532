"""Evidence of a team in a bucket: every server can read what another has kept. Bytes are written once."""

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
    """`s3://bucket/prefix`, or `file:///folder` for a single machine; keys and endpoint come from the environment."""
    try:
        if url.startswith("file://"):
            return from_url(url, mkdir=True)
        options: Any = {**_PATIENCE, "allow_http": os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")}
        return from_url(url, client_options=options, retry_config=_RETRIES)
    except (BaseError, ValueError) as refusal:
        raise InputOutput(f"{url} can't be used for blobs: {refusal}.") from None


class BlobFolder:
    """What evidence needs of a folder (`ports.files.EvidenceFolder`). What grows old is the bucket's to remove."""

    def __init__(self, bucket: Any, url: str, prefix: str) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self.location = f"{url.rstrip('/')}/{prefix}"

    def private(self) -> BlobFolder:
        return self

    def read(self, path: str, limit: int | None = None) -> bytes:
        with self._spelled(path):
            found = obstore.get(self._bucket, self._at(path))
            if limit is not None and found.meta["size"] > limit:
                raise TooLarge(f"{path} has more than {limit} bytes.", maxBytes=limit)
            return bytes(found.bytes())

    def mode(self, path: str) -> int | None:
        """A bucket has no files that git would see: `.gitignore` is as good as there."""
        return 0o600

    def write(self, path: str, data: bytes, *, is_durable: bool = True) -> None:
        with self._spelled(path):
            obstore.put(self._bucket, self._at(path), data)

    def create(self, path: str, data: bytes, *, is_durable: bool = True) -> None:
        with self._spelled(path):
            obstore.put(self._bucket, self._at(path), data, mode="create")

    def remove(self, path: str) -> None:
        with self._spelled(path):
            obstore.delete(self._bucket, self._at(path))

    def put(self, path: str, data: bytes) -> None:
        self.create(path, data)

    def entries(self, path: str) -> list[Entry]:
        """None that could be pruned from here."""
        return []

    def total_size(self, path: str) -> int:
        return 0

    def remove_tree(self, path: str) -> None:
        """Nothing is listed, so nothing is removed."""

    def make_private(self, path: str) -> int:
        return 0

    def sweep_all(self, path: str) -> None:
        """An object is there whole or not at all."""

    def sync_file(self, path: str) -> None:
        """An object is there for good once it is there."""

    def sync(self) -> None:
        """The same for all of them."""

    def close(self) -> None:
        """The bucket is the team's."""

    def names(self, path: str) -> Sequence[str]:
        """Of all objects below, sorted."""
        with self._spelled(path):
            below = self._at(path) + "/"
            pages = obstore.list(self._bucket, prefix=below)
            return sorted(str(meta["path"])[len(below) :] for page in pages for meta in page)

    def _at(self, path: str) -> str:
        return f"{self._prefix}/{path}" if path else self._prefix

    @contextmanager
    def _spelled(self, path: str) -> Iterator[None]:
        try:
            yield
        except AlreadyExistsError:
            raise Conflict(f"{path} is there already.") from None
        except (NotFoundError, FileNotFoundError):
            raise NotFound(f"There is no {path} in {self.location}.") from None
        except (BaseError, OSError) as refusal:
            why = str(refusal).split("\n", 1)[0][:200]
            raise InputOutput(f"{self.location} refused: {why}") from None


class BlobWitness:
    """Keeps every checkpoint as an object of its own, which is created and never replaced."""

    def __init__(self, folder: BlobFolder) -> None:
        self._folder = folder
        self._known: dict[str, bytes] = {}
        self.name = folder.location

    def add(self, line: bytes) -> None:
        name = sha256(line).hexdigest()
        try:
            self._folder.create(name, line)
        except Conflict:
            return  # the same bytes: it is named by them
        self._known[name] = line

    def lines(self) -> Sequence[bytes]:
        names = self._folder.names("")
        for name in names:
            if name not in self._known:
                self._known[name] = self._folder.read(name)
        return [self._known[name] for name in names]
