"""What is known of artifacts; their bytes lie in files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from handrail.ports.browser_store import ArtifactRecord
from handrail.stores.local.batches import Batches

if TYPE_CHECKING:
    import sqlite3

_COLUMNS = "artifact_id, task_id, kind, content_type, name, token_hash, upload_until, kept_until, digest, size"


class SqliteArtifacts:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def add(self, artifact: ArtifactRecord) -> asyncio.Future[None]:
        def work(rows: sqlite3.Connection) -> None:
            rows.execute(f"INSERT INTO browser_artifact ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)", astuple(artifact))

        return self._batches.write(work)

    async def find(self, artifact_id: str) -> ArtifactRecord | None:
        query = f"SELECT {_COLUMNS} FROM browser_artifact WHERE artifact_id = ?"
        row = await self._batches.read(lambda rows: rows.execute(query, (artifact_id,)).fetchone())
        return None if row is None else ArtifactRecord(*row)

    def set_content(self, artifact_id: str, digest: str, size: int) -> asyncio.Future[None]:
        def work(rows: sqlite3.Connection) -> None:
            query = "UPDATE browser_artifact SET digest = ?, size = ? WHERE artifact_id = ?"
            rows.execute(query, (digest, size, artifact_id))

        return self._batches.write(work)

    async def expired(self, now: int) -> Sequence[str]:
        query = "SELECT artifact_id FROM browser_artifact WHERE kept_until <= ?"
        rows = await self._batches.read(lambda rows: rows.execute(query, (now,)).fetchall())
        return [str(artifact_id) for (artifact_id,) in rows]

    def forget(self, before: int) -> asyncio.Future[None]:
        def work(rows: sqlite3.Connection) -> None:
            rows.execute("DELETE FROM browser_artifact WHERE kept_until < ?", (before,))

        return self._batches.write(work)
