"""Stores a team's browser artifacts: rows in the database, contents in the bucket."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import astuple

from handrail.ports.browser_store import ArtifactRecord
from handrail.ports.errors import NotFound
from handrail.stores.team.batches import TeamBatches
from handrail.stores.team.blobs import BlobFolder
from handrail.stores.team.browser_tasks import storable

_COLUMNS = "artifact_id, task_id, kind, content_type, name, token_hash, upload_until, kept_until, digest, size"
_IN_MEMORY = 1_000_000


class ArtifactBlobs:
    """The contents. All methods block."""

    def __init__(self, folder: BlobFolder) -> None:
        self._folder = folder

    def receive(self, artifact_id: str) -> IncomingBlob:
        return IncomingBlob(self._folder, artifact_id)

    def read(self, artifact_id: str) -> bytes | None:
        try:
            return self._folder.read(artifact_id)
        except NotFound:
            return None

    def remove(self, artifact_id: str) -> None:
        self._folder.remove(artifact_id)

    def names(self) -> list[str]:
        return list(self._folder.names(""))

    def remove_parts(self) -> None:
        """Does nothing: objects are written atomically."""


class IncomingBlob:
    """An upload in progress, kept in memory or, if it is large, in an unnamed file until it is complete."""

    def __init__(self, folder: BlobFolder, artifact_id: str) -> None:
        self._folder = folder
        self._artifact_id = artifact_id
        self._content = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed by `discard`)

    def write(self, data: bytes) -> None:
        self._content.write(data)

    def keep(self, rest: bytes) -> None:
        self._content.write(rest)
        self._content.seek(0)
        self._folder.write(self._artifact_id, self._content.read())

    def discard(self) -> None:
        self._content.close()


class TeamArtifacts:
    """The artifacts' rows."""

    def __init__(self, batches: TeamBatches) -> None:
        self._batches = batches

    def add(self, artifact: ArtifactRecord) -> asyncio.Future[None]:
        query = f"INSERT INTO browser_artifact ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        return self._batches.execute(query, *storable(astuple(artifact)))

    async def find(self, artifact_id: str) -> ArtifactRecord | None:
        row = await self._batches.row(f"SELECT {_COLUMNS} FROM browser_artifact WHERE artifact_id = $1", artifact_id)
        return None if row is None else ArtifactRecord(*row)

    def set_content(self, artifact_id: str, digest: str, size: int) -> asyncio.Future[None]:
        query = "UPDATE browser_artifact SET digest = $1, size = $2 WHERE artifact_id = $3"
        return self._batches.execute(query, digest, size, artifact_id)

    async def expired(self, now: int) -> Sequence[str]:
        rows = await self._batches.rows("SELECT artifact_id FROM browser_artifact WHERE kept_until <= $1", now)
        return [str(artifact_id) for (artifact_id,) in rows]

    def forget(self, before: int) -> asyncio.Future[None]:
        return self._batches.execute("DELETE FROM browser_artifact WHERE kept_until < $1", before)
