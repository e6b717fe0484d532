"""Stores what is known about browser artifacts. Their contents are elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import astuple

from handrail.ports.browser_store import ArtifactRecord
from handrail.stores.shared.batches import Batches

_COLUMNS = "artifact_id, task_id, kind, content_type, name, token_hash, upload_until, kept_until, digest, size"
_ADD = f"INSERT INTO browser_artifact ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"


class ArtifactRows:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def add(self, artifact: ArtifactRecord) -> asyncio.Future[None]:
        return self._batches.execute(_ADD, *astuple(artifact))

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
