"""How often an allowed write waits for the disk: once for everything that must survive a power cut."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from handrail.kernel.approval import PresetAnswer
from handrail.kernel.call import Call
from handrail.ports.identity import Caller
from handrail.stores.local import private_file
from handrail.stores.local.connection import SharedConnection
from handrail.stores.local.files import atomic
from handrail.wiring import Wiring

AGENT = Caller("mcp", "agent", "uid:1000", "stdio:one")
RULE = '[[rules]]\ntool = "write_to_file"\ndecision = "allow"\n'


@pytest.fixture
def synced_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that the call waited for. Files that a timer flushes later don't count."""
    names: list[str] = []

    def counting(real: Callable[[int], None]) -> Callable[[int], None]:
        def sync(descriptor: int) -> None:
            if not isinstance(threading.current_thread(), threading.Timer):
                names.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
            real(descriptor)

        return sync

    transaction = SharedConnection.transaction

    @contextmanager
    def counted(self: SharedConnection, patience: float, *, is_durable: bool) -> Iterator[Any]:
        if is_durable:
            names.append(self.path.name)
        held: AbstractContextManager[Any] = transaction(self, patience, is_durable=is_durable)
        with held as connection:
            yield connection

    monkeypatch.setattr(os, "fsync", counting(os.fsync))
    monkeypatch.setattr(private_file, "fdatasync", counting(private_file.fdatasync))
    monkeypatch.setattr(SharedConnection, "transaction", counted)
    return names


async def test_an_allowed_write_waits_for_the_disk_six_times(tmp_path: Path, synced_files: list[str]) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "state").mkdir(mode=0o700)
    (tmp_path / "state/config.toml").write_text(RULE)
    project = Wiring().open_project(tmp_path / "project", tmp_path / "state", PresetAnswer("deny"))

    async def write(content: str) -> list[str]:
        params = {"path": "file.txt", "content": content}
        await project.gate.run(Call("write_to_file", {**params, "dryRun": True}, AGENT))
        synced_files.clear()
        await project.gate.run(Call("write_to_file", {**params, "dryRun": False}, AGENT))
        return list(synced_files)

    try:
        await write("the first write makes folders\n")
        waits = await write("content\n")
    finally:
        project.close()
    assert [Path(name).suffix for name in waits] == [".json", ".jsonl", ".txt", ".json", ".tmp", ""]
    assert waits[:2] == ["request.json", "log.jsonl"]  # evidence and the begin record, before anything is done
    assert waits[3].endswith(".meta.json")
    assert waits[-1] == "project"


def test_a_new_file_is_synced_with_its_folder_where_the_file_system_is_not_known(
    tmp_path: Path, synced_files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "keeps_names", lambda folder: False)
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        atomic.put(atomic.Place(folder, b"new.txt", "new.txt"), b"data")
    finally:
        os.close(folder)
    assert synced_files == ["new.txt", tmp_path.name]
