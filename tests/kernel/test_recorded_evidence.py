"""Evidence after a power cut: what it took is on record, and what somebody removed is a fault."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.kernel.audit import Audit
from handrail.kernel.checkpoint_maker import CheckpointMaker
from handrail.kernel.evidence import CallEvidence, Evidence, utc_now
from handrail.kernel.record_check import Findings, verify_record
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.record.factory import record_stores
from handrail.stores.local.secrets.keyring import OsKeyring


class Rig:
    """A project, its audit, and a keeper that makes a checkpoint when it is told to."""

    def __init__(self, folder: Path) -> None:
        self.project, self.state = folder / "project", folder / "state"
        self.project.mkdir(exist_ok=True)
        self.journal = JournalFile(self.state / "audit" / "log.jsonl", self.state / "audit" / "head")
        self.stores = record_stores(self.state, OsKeyring(), signer=(), witness_setting="")
        self.keeper = CheckpointMaker(self.journal, lambda: self.stores, evidence=self.evidence, seconds=600)
        self.audit = Audit(self.journal, keeper=self.keeper)

    def evidence(self, project: str) -> Evidence:
        return Evidence(LocalFolder.open(project))

    def call(self, name: str) -> Path:
        """The folder with what a call left."""
        exhibit = self.evidence(str(self.project)).open("workspace", name, utc_now())
        exhibit.add("request.json", "asked", is_durable=True)
        self._record("begin", exhibit, durable=True)
        exhibit.add("result.json", "done")
        self._record("end", exhibit, durable=False)
        return self.project / exhibit.path

    def _record(self, event: str, exhibit: CallEvidence, *, durable: bool) -> None:
        hashes = exhibit.hashes if event == "end" else exhibit.durable
        evidence = {"dir": exhibit.path, "sha256": hashes}
        self.audit.append({"event": event, "project": str(self.project), "evidence": evidence}, durable=durable)

    def stop(self) -> None:
        """The power fails: the next who opens this has a machine that was started since."""
        self.journal.close()
        os.utime(self.state / "audit" / "log.jsonl", (1.0, 1.0))

    def check(self) -> Findings:
        return verify_record(Audit(self.journal), self.stores, self.evidence)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    opened = Rig(tmp_path)
    opened.audit.append({"event": "first"})
    opened.keeper.checkpoint()
    yield opened
    opened.journal.close()


def test_what_a_power_cut_took_is_no_fault_and_stays_on_record(rig: Rig, tmp_path: Path) -> None:
    left = rig.call("cut")
    rig.stop()
    (left / "result.json").unlink()
    again = Rig(tmp_path)
    for _ in range(3):  # before anything is written, before the checkpoint, and after it
        found = again.check()
        assert found.is_intact, found.faults
        assert "the machine stopped before 1 file of evidence was on disk" in found.notes
        again.audit.append({"event": "next"})
        again.keeper.checkpoint()
    (told,) = [entry for entry in again.audit.entries() if "lostEvidence" in entry]
    assert [lost["name"] for lost in told["lostEvidence"]] == ["result.json"]
    again.journal.close()


def test_what_was_asked_for_can_not_have_been_taken_by_a_power_cut(rig: Rig, tmp_path: Path) -> None:
    left = rig.call("cut")
    rig.stop()
    (left / "request.json").unlink()
    again = Rig(tmp_path)
    for _ in range(3):
        assert any("request.json is missing" in fault for fault in again.check().faults)
        again.audit.append({"event": "next"})
        again.keeper.checkpoint()
    again.journal.close()


def test_what_a_checkpoint_has_signed_can_not_have_been_taken_either(rig: Rig, tmp_path: Path) -> None:
    left = rig.call("signed")
    rig.keeper.checkpoint()
    rig.call("cut")
    rig.stop()
    (left / "result.json").unlink()
    again = Rig(tmp_path)
    for _ in range(3):
        assert any("signed/result.json is missing" in fault for fault in again.check().faults)
        again.audit.append({"event": "next"})
        again.keeper.checkpoint()
    again.journal.close()


def test_what_survived_the_cut_and_is_removed_later_is_a_fault(rig: Rig, tmp_path: Path) -> None:
    left = rig.call("cut")
    rig.stop()
    again = Rig(tmp_path)
    again.audit.append({"event": "next"})
    again.keeper.checkpoint()
    assert again.check().is_intact
    (left / "result.json").write_text("changed")
    assert any("result.json was changed" in fault for fault in again.check().faults)
    again.journal.close()


def test_evidence_is_on_disk_before_its_record_is_signed(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        real(descriptor)

    rig.call("one")
    monkeypatch.setattr(os, "fsync", fsync)
    rig.keeper.checkpoint()
    assert "result.json" in synced
    synced.clear()
    rig.keeper.checkpoint()
    assert "result.json" not in synced, "once is enough"
