"""Snapshots: what a path contained before each change. A snapshot never changes once written.

`snapshots/<id>.meta.json` describes it. A text is in `<id>.txt`; anything else is in `<id>.bin`: the bytes of a binary
file, or a link's target; empty for a folder or a move.
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from handrail.ports.errors import Damaged, Failure, NotFound
from handrail.ports.files import Folder
from handrail.ports.unreadable_json import UNREADABLE_JSON

_FOLDER = "snapshots"
_TEXT, _BINARY, _META = ".txt", ".bin", ".meta.json"
_ALL_READ = 1000
ID_PATTERN = re.compile(r"snap_\d{8}T\d{6}_[0-9a-f]{8}", re.ASCII)


class Snapshot(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The metadata of a snapshot.

    `after_hash` is the content after the change, `was_absent` means that the change created the file; undo needs both.
    `after_hash` of a `folder` is `folder` or `absent`, of a `link` its state, of a `move` what was moved. Steps of one
    execution have its id, and `order` is their position. `is_by_client`: an AI client was allowed to make the change
    itself, and may not have made it.
    """

    id: str
    path: str
    timestamp: int | float
    content_hash: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{8}$")]
    idempotency_key: str | None = None
    after_hash: str | None = None
    was_absent: bool = False
    execution_id: str | None = None
    undoes: str | None = None
    kind: Literal["file", "folder", "move", "link"] = "file"
    moved_to: str | None = None
    before_mode: int | None = None
    after_mode: int | None = None
    is_binary: bool = False
    order: int = 0
    task: str | None = None
    is_by_client: bool = False

    @property
    def is_text(self) -> bool:
        """Contract 3 only knows snapshots of texts."""
        return self.kind == "file" and not self.is_binary


class Snapshots:
    def __init__(self, own: Folder, now: Callable[[], datetime]) -> None:
        self._folder = own
        self._now = now
        self._cache: dict[str, Snapshot] = {}

    def plan(
        self,
        path: str,
        before: bytes | None,
        *,
        after_hash: str,
        key: str | None,
        execution_id: str,
        undoes: str | None,
        kind: Literal["file", "folder", "move", "link"] = "file",
        moved_to: str | None = None,
        modes: tuple[int | None, int | None] = (None, None),
        order: int = 0,
        task: str | None = None,
    ) -> Snapshot:
        """Returns what `store` will write, with a new id."""
        now = self._now()
        while True:
            snapshot_id = f"snap_{now:%Y%m%dT%H%M%S}_{secrets.token_hex(4)}"
            if self._folder.mode(f"{_FOLDER}/{snapshot_id}{_META}") is None:
                break
        return Snapshot(
            id=snapshot_id,
            path=path,
            timestamp=int(now.timestamp() * 1000),
            content_hash=hashlib.sha256(before or b"").hexdigest()[:8],
            idempotency_key=key,
            after_hash=after_hash,
            was_absent=before is None,
            execution_id=execution_id,
            undoes=undoes,
            kind=kind,
            moved_to=moved_to,
            before_mode=modes[0],
            after_mode=modes[1],
            is_binary=kind != "file" or not is_text(before),
            order=order,
            task=task,
        )

    def store(self, snapshot: Snapshot, before: bytes | None, *, is_durable: bool = True) -> None:
        """Writes the snapshot, durably by default. The content comes first: metadata implies content."""
        suffix = _BINARY if snapshot.is_binary else _TEXT
        files = ((suffix, before or b""), (_META, msgspec.json.encode(snapshot)))
        for name, data in ((f"{_FOLDER}/{snapshot.id}{suffix}", data) for suffix, data in files):
            if is_durable:
                self._folder.put(name, data)
            else:
                self._folder.create(name, data, is_durable=False)

    def is_complete(self, snapshot_id: str) -> bool:
        def has(suffix: str) -> bool:
            return self._folder.mode(f"{_FOLDER}/{snapshot_id}{suffix}") is not None

        return has(_META) and (has(_TEXT) or has(_BINARY))

    def read(self, snapshot_id: str) -> tuple[Snapshot, bytes]:
        try:
            meta = self._folder.read(f"{_FOLDER}/{snapshot_id}{_META}")
            content = self._content(snapshot_id)
        except NotFound:
            raise NotFound(
                f"There is no snapshot {snapshot_id}.",
                hint="See list_snapshots.",
                snapshotId=snapshot_id,
            ) from None
        try:
            snapshot = msgspec.json.decode(meta, type=Snapshot)
        except UNREADABLE_JSON as error:
            raise Damaged(f"The snapshot's metadata is damaged: {error}", snapshotId=snapshot_id) from None
        if snapshot.id != snapshot_id:
            raise Damaged(f"The snapshot's metadata belongs to {snapshot.id}.", snapshotId=snapshot_id)
        return snapshot, content

    def _content(self, snapshot_id: str) -> bytes:
        try:
            return self._folder.read(f"{_FOLDER}/{snapshot_id}{_TEXT}")
        except NotFound:
            return self._folder.read(f"{_FOLDER}/{snapshot_id}{_BINARY}")

    def newest_first(self) -> Iterator[Snapshot]:
        """Yields the snapshots, without damaged or incomplete ones.

        If there are very many, metadata is read only while iterating, and the second in an id serves as the timestamp.
        """
        ids = sorted(self._complete_ids(), reverse=True)
        if len(ids) <= _ALL_READ:
            yield from _ordered([snapshot for snapshot_id in ids if (snapshot := self._known_or_read(snapshot_id))])
            return
        second: list[Snapshot] = []
        current = ""
        for snapshot_id in ids:
            if snapshot_id[:20] != current:
                yield from _ordered(second)
                second, current = [], snapshot_id[:20]
            if snapshot := self._known_or_read(snapshot_id):
                second.append(snapshot)
        yield from _ordered(second)

    def read_again(self, snapshot_id: str) -> Snapshot | None:
        """Returns the metadata as it is on disk, or None if it was damaged or dropped."""
        self._cache.pop(snapshot_id, None)
        return self._known_or_read(snapshot_id)

    def retain(self, paths: Collection[str], keep: int) -> None:
        """Drops the oldest snapshots of each path beyond `keep`; 0 keeps all."""
        if keep == 0:
            return
        counts = dict.fromkeys(paths, 0)
        for snapshot in list(self.newest_first()):
            if snapshot.path not in counts:
                continue
            counts[snapshot.path] += 1
            if counts[snapshot.path] > keep:
                self.drop(snapshot.id, is_durable=False)  # one that a power cut brings back is dropped next time

    def drop(self, snapshot_id: str, *, is_durable: bool = True) -> None:
        """Removes the snapshot, and temporary files that a killed process left of it."""
        for suffix in (_META, _TEXT, _BINARY):
            self._folder.remove(f"{_FOLDER}/{snapshot_id}{suffix}", is_durable=is_durable)
            self._folder.sweep(f"{_FOLDER}/{snapshot_id}{suffix}")
        self._cache.pop(snapshot_id, None)

    def _complete_ids(self) -> list[str]:
        try:
            names = self._folder.names(_FOLDER)
        except NotFound:
            names = []
        with_metadata = {name[: -len(_META)] for name in names if name.endswith(_META)}
        with_content = {name[: -len(_TEXT)] for name in names if name.endswith((_TEXT, _BINARY))}
        complete = with_metadata & with_content
        for snapshot_id in self._cache.keys() - complete:
            self._cache.pop(snapshot_id, None)
        return [name for name in complete if name in self._cache or ID_PATTERN.fullmatch(name)]

    def _known_or_read(self, snapshot_id: str) -> Snapshot | None:
        """Returns the metadata, cached because snapshots never change."""
        snapshot = self._cache.get(snapshot_id)
        if snapshot is None:
            try:
                data = self._folder.read(f"{_FOLDER}/{snapshot_id}{_META}")
                snapshot = msgspec.json.decode(data, type=Snapshot)
            except (Failure, *UNREADABLE_JSON):
                return None
            if snapshot.id != snapshot_id:
                return None
            self._cache[snapshot_id] = snapshot
        return snapshot


def _ordered(snapshots: list[Snapshot]) -> list[Snapshot]:
    return sorted(snapshots, key=lambda snapshot: (snapshot.timestamp, snapshot.order, snapshot.id), reverse=True)


def is_text(content: bytes | None) -> bool:
    """Returns whether the content is UTF-8, which is what contract 3 calls text."""
    if content is None or content.isascii():
        return True
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
