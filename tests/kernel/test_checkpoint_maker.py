"""Checkpoints as a process makes them: of what it wrote itself, however the file looks by then."""

import dataclasses
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from handrail.kernel import checkpoint_chain, checkpoint_maker
from handrail.kernel.audit import Audit
from handrail.kernel.checkpoint import InvalidCheckpoint, sign_checkpoint, verify_checkpoint
from handrail.kernel.checkpoint_maker import CheckpointMaker
from handrail.kernel.merkle import Tree
from handrail.kernel.record_check import verify_record
from handrail.ports.errors import Damaged
from handrail.ports.journal import JournalSnapshot
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.record.factory import record_stores
from handrail.stores.local.record.signing import SignerProgram
from handrail.stores.local.secrets.keyring import OsKeyring


class Rig:
    def __init__(self, state: Path) -> None:
        self.journal = JournalFile(state / "audit" / "log.jsonl", state / "audit" / "head")
        self.stores = record_stores(state, OsKeyring(), signer=(), witness_setting="")
        self.keeper = CheckpointMaker(self.journal, lambda: self.stores, seconds=600)
        self.audit = Audit(self.journal, keeper=self.keeper)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_a_checkpoint_covers_every_record(rig: Rig) -> None:
    tree = Tree()
    for number in range(5):
        rig.audit.append({"event": f"{number}"})
    for line in rig.journal.lines():
        tree.add(line.removesuffix(b"\n"))
    made = rig.keeper.checkpoint()
    assert made is not None
    assert (made.count, made.root) == (5, tree.root.hex())
    rig.keeper.checkpoint()  # the first one made the database, which the second describes
    assert rig.keeper.checkpoint() is None
    rig.audit.close()


class BusyJournal(JournalFile):
    """Something is written after each look at its end."""

    audit: Audit | None = None

    def snapshot(self) -> JournalSnapshot:
        seen = super().snapshot()
        if self.audit is not None:
            self.audit.append({"event": "meanwhile"})
        return seen


def test_a_checkpoint_is_made_while_records_are_being_written(tmp_path: Path) -> None:
    journal = BusyJournal(tmp_path / "audit" / "log.jsonl", tmp_path / "audit" / "head")
    stores = record_stores(tmp_path, OsKeyring(), signer=(), witness_setting="")
    audit = Audit(journal, keeper=CheckpointMaker(journal, lambda: stores))
    audit.append({"event": "first"})
    journal.audit = audit
    assert audit.keeper is not None
    made = audit.keeper.checkpoint()
    assert made is not None
    assert made.count == 1
    journal.audit = None
    audit.close()


def test_closing_waits_for_the_checkpoint_that_is_being_made(tmp_path: Path) -> None:
    began, may_continue = threading.Event(), threading.Event()
    stores = record_stores(tmp_path, OsKeyring(), signer=(), witness_setting="")

    @contextmanager
    def slow_lock() -> Iterator[None]:
        began.set()
        assert may_continue.wait(60)
        with stores.lock():
            yield

    journal = JournalFile(tmp_path / "audit" / "log.jsonl", tmp_path / "audit" / "head")
    slow = dataclasses.replace(stores, lock=slow_lock)
    audit = Audit(journal, keeper=CheckpointMaker(journal, lambda: slow, seconds=0))
    audit.append({"event": "first"})
    assert began.wait(60)
    closing = threading.Thread(target=audit.close)
    closing.start()
    closing.join(0.1)
    assert closing.is_alive()
    may_continue.set()
    closing.join()
    assert len(list(stores.checkpoints.lines())) == 1


def test_a_record_that_was_changed_before_the_checkpoint_is_not_signed(rig: Rig, tmp_path: Path) -> None:
    """The one who wrote it knows better than the file."""
    for number in range(5):
        rig.audit.append({"event": f"{number}"})
    log = tmp_path / "audit" / "log.jsonl"
    forged = Rig(tmp_path / "forged")
    for number in range(5):
        forged.audit.append({"event": "forged" if number == 3 else f"{number}"})
    forged.audit.close()
    os.replace(tmp_path / "forged" / "audit" / "log.jsonl", log)
    os.replace(tmp_path / "forged" / "audit" / "head", tmp_path / "audit" / "head")
    made = rig.keeper.checkpoint()
    assert made is not None
    assert any("has signed" in fault for fault in verify_record(Audit(rig.journal), rig.stores).faults)


def test_what_others_wrote_is_signed_with_ours(rig: Rig, tmp_path: Path) -> None:
    rig.audit.append({"event": "ours"})
    other = Rig(tmp_path)
    other.audit.append({"event": "theirs"})
    rig.audit.append({"event": "ours again"})
    made = rig.keeper.checkpoint()
    assert made is not None
    assert made.count == 3
    other.audit.close()
    rig.audit.close()
    assert verify_record(Audit(rig.journal), rig.stores).is_intact


def test_an_audit_that_was_rolled_back_is_not_signed(rig: Rig, tmp_path: Path) -> None:
    rig.audit.append({"event": "1"})
    saved = {name: (tmp_path / "audit" / name).read_bytes() for name in ("log.jsonl", "head")}
    rig.audit.append({"event": "2"})
    assert rig.keeper.checkpoint() is not None
    for name, data in saved.items():
        (tmp_path / "audit" / name).write_bytes(data)
    with pytest.raises(Damaged):
        Rig(tmp_path).keeper.checkpoint()


def test_a_changed_line_is_not_a_valid_checkpoint(rig: Rig) -> None:
    rig.audit.append({"event": "1"})
    made = rig.keeper.checkpoint()
    assert made is not None
    line = sign_checkpoint(made, rig.stores.signer.sign)
    assert verify_checkpoint(line) == made
    for place in range(0, len(line), 7):
        for bit in (1, 128):  # the second makes it invalid UTF-8
            changed = bytearray(line)
            changed[place] ^= bit
            with pytest.raises(InvalidCheckpoint):
                verify_checkpoint(bytes(changed))
    rig.audit.close()


def test_another_program_may_hold_the_key(tmp_path: Path) -> None:
    program = tmp_path / "sign.py"
    program.write_text(
        "import sys\n"
        "from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey\n"
        "key = Ed25519PrivateKey.from_private_bytes(bytes(32))\n"
        "data = sys.stdin.buffer.read()\n"
        "print((key.sign(data) if sys.argv[1] == 'sign' else key.public_key().public_bytes_raw()).hex())\n"
    )

    stores = record_stores(tmp_path / "state", OsKeyring(), signer=(sys.executable, str(program)), witness_setting="")
    assert isinstance(stores.signer, SignerProgram)
    journal = JournalFile(tmp_path / "state" / "audit" / "log.jsonl", tmp_path / "state" / "audit" / "head")
    audit = Audit(journal, keeper=CheckpointMaker(journal, lambda: stores))
    audit.append({"event": "1"})
    audit.close()
    assert not (tmp_path / "state" / "record.key").exists()
    found = verify_record(Audit(journal), stores)
    assert found.is_intact
    assert found.covered == 1


class Grown:
    """A rig whose checkpoints were folded, with `more` after that."""

    def __init__(self, state: Path, monkeypatch: pytest.MonkeyPatch, *, told: str = "", checkpoints: int = 60) -> None:
        monkeypatch.setattr(checkpoint_chain, "MAX_CHECKPOINTS", 20)
        monkeypatch.setattr(checkpoint_maker, "MAX_CHECKPOINTS", 20)
        monkeypatch.setattr(checkpoint_chain, "REMAINING_CHECKPOINTS", 5)
        self.state = state
        state.mkdir(mode=0o700, exist_ok=True)
        self.rig = Rig(state)
        self.rig.stores = record_stores(state, OsKeyring(), signer=(), witness_setting=told)
        for number in range(checkpoints):
            self.step(number)

    def step(self, number: int) -> None:
        (self.state / "small.json").write_text(f"{number}")
        with (self.state / "ui-prompts.jsonl").open("a") as log:
            log.write(f"{number}\n")
        self.rig.audit.append({"event": f"{number}"})
        assert self.rig.keeper.checkpoint() is not None

    @property
    def lines(self) -> list[bytes]:
        return (self.state / "checkpoints.jsonl").read_bytes().splitlines()

    def faults(self) -> str:
        return "\n".join(verify_record(self.rig.audit, self.rig.stores).faults)


def test_old_checkpoints_are_folded_and_everything_is_still_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = Grown(tmp_path, monkeypatch)
    assert len(grown.lines) < 30
    assert verify_checkpoint(grown.lines[-1]).number == 60
    assert grown.faults() == ""
    grown.rig.audit.close()


def attack_first_line(grown: Grown) -> None:
    file = grown.state / "checkpoints.jsonl"
    file.write_bytes(b"\n".join(grown.lines[1:]) + b"\n")


def attack_old_prompts(grown: Grown) -> None:
    file = grown.state / "ui-prompts.jsonl"
    file.write_bytes(b"X" + file.read_bytes()[1:])


def attack_old_content(grown: Grown) -> None:
    (grown.state / "small.json").write_text("30")  # known from a checkpoint that is gone


def attack_old_record(grown: Grown) -> None:
    log = grown.state / "audit" / "log.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"event":"3"', b'"event":"4"'))


@pytest.mark.trial("record", is_long=True)
@pytest.mark.parametrize(
    ("attack", "found"),
    [
        (attack_first_line, "does not follow"),
        (attack_old_prompts, "ui-prompts.jsonl was changed"),
        (attack_old_content, "small.json was rolled back"),
    ],
)
def test_what_folded_checkpoints_knew_is_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: Callable[[Grown], None], found: str
) -> None:
    grown = Grown(tmp_path, monkeypatch)
    attack(grown)
    assert found in grown.faults()
    for number in range(60, 100):  # nothing is folded away meanwhile
        with suppress(AssertionError):
            grown.step(number)
    if attack is not attack_old_content:  # which is written over
        assert found in grown.faults()
    grown.rig.audit.close()


@pytest.mark.trial("record", is_long=True)
def test_a_record_first_signed_by_a_removed_checkpoint_is_still_covered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = Grown(tmp_path, monkeypatch)
    attack_old_record(grown)
    assert verify_record(grown.rig.audit, grown.rig.stores).broken is not None
    grown.rig.audit.close()


@pytest.mark.trial("record", is_long=True)
def test_a_witness_keeps_all_of_them_and_knows_one_that_was_never_folded_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "witness"
    seen.mkdir()
    grown = Grown(tmp_path / "state", monkeypatch, told=str(seen))
    (kept,) = (file for file in seen.rglob("*") if file.is_file())
    assert (len(grown.lines) < 30, len(kept.read_bytes().splitlines())) == (True, 60)
    assert grown.faults() == ""
    other = Rig(tmp_path / "other")
    other.audit.append({"event": "of another history"})
    other.keeper.checkpoint()
    with kept.open("ab") as file:
        file.write((tmp_path / "other" / "checkpoints.jsonl").read_bytes())
    assert "has 1 checkpoints that are not here" in grown.faults()
    other.audit.close()
    grown.rig.audit.close()
