"""Artifacts expire: upload addresses, files, and what late requests get. Time is virtual."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from handrail.features.browser.bus.artifacts import KEPT_FOR_MS, UPLOAD_FOR_MS, Artifacts
from handrail.ports.errors import Conflict, Gone, NotFound, Timeout
from handrail.stores.local.batches import SqliteBatches
from handrail.stores.local.browser_artifacts import ArtifactFolder
from handrail.stores.local.browser_tables import browser_database
from handrail.stores.shared.browser_artifacts import ArtifactRows
from tests.features.browser.bus.virtual_time import VirtualTime

TASK = "01HRZZZZZZZZZZZZZZZZZZZZZ0"


class ResourceKind:
    def __init__(self, folder: Path) -> None:
        self.now = 1_730_000_000_000
        self.folder = folder / "artifacts"
        self.batches = SqliteBatches(browser_database(folder))
        files = ArtifactFolder(self.folder)
        self.artifacts = Artifacts(ArtifactRows(self.batches), files, lambda: self.now)

    async def upload(self, slot: Any, *chunks: bytes) -> str:
        async def body() -> AsyncIterator[bytes]:
            for chunk in chunks:
                yield chunk

        return await self.artifacts.receive(slot.artifact_id, slot.upload_url.partition("token=")[2], body())


def play(folder: Path, scene: Any) -> None:
    async def run() -> None:
        kind = ResourceKind(folder)
        await scene(kind)
        await kind.batches.close()

    with asyncio.Runner(loop_factory=VirtualTime) as runner:
        runner.run(run())


def test_an_upload_address_is_good_for_fifteen_minutes(tmp_path: Path) -> None:
    async def scene(kind: ResourceKind) -> None:
        slot = await kind.artifacts.presign(TASK, "log", "text/plain")
        assert slot.expires_at == kind.now + 15 * 60 * 1000
        kind.now += UPLOAD_FOR_MS
        with pytest.raises(Gone) as error:
            await kind.upload(slot, b"late")
        assert error.value.details["reason"] == "expired"

    play(tmp_path, scene)


def test_an_artifact_damaged_by_a_power_cut_is_reported_as_gone(tmp_path: Path) -> None:
    async def scene(kind: ResourceKind) -> None:
        slot = await kind.artifacts.presign(TASK, "screenshot", "image/png")
        await kind.upload(slot, b"a picture", b" in two parts")
        assert (await kind.artifacts.fetch(slot.artifact_id)).data == b"a picture in two parts"
        (kind.folder / slot.artifact_id).write_bytes(b"")
        with pytest.raises(NotFound):
            await kind.artifacts.fetch(slot.artifact_id)

    play(tmp_path, scene)


def test_an_artifact_is_kept_for_a_day_and_then_reported_as_gone(tmp_path: Path) -> None:
    async def scene(kind: ResourceKind) -> None:
        slot = await kind.artifacts.presign(TASK, "log", "text/plain")
        await kind.upload(slot, b"a" * 300_000, b"b")
        kind.now += KEPT_FOR_MS - 1
        await kind.artifacts.sweep()
        assert (await kind.artifacts.fetch(slot.artifact_id)).data == b"a" * 300_000 + b"b"
        kind.now += 1
        with pytest.raises(Gone):
            await kind.artifacts.fetch(slot.artifact_id)
        await kind.artifacts.sweep()
        assert list(kind.folder.glob("*")) == []
        with pytest.raises(Gone):
            await kind.artifacts.fetch(slot.artifact_id)
        kind.now += 8 * KEPT_FOR_MS
        await kind.artifacts.sweep()
        with pytest.raises(NotFound) as unknown:
            await kind.artifacts.fetch(slot.artifact_id)
        assert not isinstance(unknown.value, Gone)

    play(tmp_path, scene)


def test_orphaned_artifacts_are_deleted_and_foreign_files_stay(tmp_path: Path) -> None:
    async def scene(kind: ResourceKind) -> None:
        kind.folder.mkdir()
        orphan, part, foreign = (
            kind.folder / name for name in (f"art-{'0' * 32}", f".art-{'0' * 32}.{'0' * 12}", "mine")
        )
        for file in (orphan, part, foreign):
            file.write_bytes(b"x")
        await kind.artifacts.start()
        await kind.artifacts.sweep()
        assert list(kind.folder.iterdir()) == [foreign]

    play(tmp_path, scene)


def test_an_upload_of_more_than_a_minute_times_out_and_leaves_nothing(tmp_path: Path) -> None:
    async def scene(kind: ResourceKind) -> None:
        slot = await kind.artifacts.presign(TASK, "log", "text/plain")

        async def slow() -> AsyncIterator[bytes]:
            yield b"a"
            await asyncio.Event().wait()

        with pytest.raises(Timeout):
            await kind.artifacts.receive(slot.artifact_id, slot.upload_url.partition("token=")[2], slow())
        assert asyncio.get_running_loop().time() == pytest.approx(60, abs=0.1)
        assert list(kind.folder.glob("*")) == []
        await kind.upload(slot, b"again")

    play(tmp_path, scene)


def test_of_two_uploads_at_once_with_different_bytes_one_wins(tmp_path: Path) -> None:
    async def scene(kind: ResourceKind) -> None:
        slot = await kind.artifacts.presign(TASK, "log", "text/plain")
        ends = await asyncio.gather(kind.upload(slot, b"one"), kind.upload(slot, b"two"), return_exceptions=True)
        assert sorted(isinstance(end, Conflict) for end in ends) == [False, True]
        won = b"one" if isinstance(ends[1], Conflict) else b"two"
        assert (await kind.artifacts.fetch(slot.artifact_id)).data == won

    play(tmp_path, scene)
