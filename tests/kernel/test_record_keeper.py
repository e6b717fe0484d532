"""Checkpoints as a process makes them: of what it wrote itself, however the file looks by then."""

import os
import sys
from pathlib import Path

import pytest

from handrail.kernel.audit import Audit
from handrail.kernel.checkpoint import WrongCheckpoint, spelled, verified
from handrail.kernel.merkle import Tree
from handrail.kernel.record_check import check_record
from handrail.kernel.record_keeper import RecordKeeper
from handrail.ports.errors import Damaged
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.record.factory import record_stores
from handrail.stores.local.record.signing import Command
from handrail.stores.local.secrets.keyring import OsKeyring


class House:
    def __init__(self, state: Path) -> None:
        self.journal = JournalFile(state / "audit" / "log.jsonl", state / "audit" / "head")
        self.stores = record_stores(state, OsKeyring(), signer=(), told="")
        self.keeper = RecordKeeper(self.journal, lambda: self.stores)
        self.audit = Audit(self.journal, keeper=self.keeper)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_the_tree_grows_with_every_record(house: House) -> None:
    tree = Tree()
    for number in range(5):
        house.audit.append({"event": f"{number}"})
    for line in house.journal.lines():
        tree.add(line.removesuffix(b"\n"))
    assert house.keeper._growth is not None
    assert house.keeper._growth.tree.root == tree.root
    made = house.keeper.checkpoint()
    assert made is not None
    assert (made.count, made.root) == (5, tree.root.hex())
    house.keeper.checkpoint()  # the first one made the database, which the second describes
    assert house.keeper.checkpoint() is None
    house.audit.close()


def test_a_record_that_was_changed_before_the_checkpoint_is_not_signed(house: House, tmp_path: Path) -> None:
    """The one who wrote it knows better than the file."""
    for number in range(5):
        house.audit.append({"event": f"{number}"})
    log = tmp_path / "audit" / "log.jsonl"
    forged = House(tmp_path / "forged")
    for number in range(5):
        forged.audit.append({"event": "forged" if number == 3 else f"{number}"})
    forged.audit.close()
    os.replace(tmp_path / "forged" / "audit" / "log.jsonl", log)
    os.replace(tmp_path / "forged" / "audit" / "head", tmp_path / "audit" / "head")
    made = house.keeper.checkpoint()
    assert made is not None
    assert any("has signed" in fault for fault in check_record(Audit(house.journal), house.stores).faults)


def test_what_others_wrote_is_signed_with_ours(house: House, tmp_path: Path) -> None:
    house.audit.append({"event": "ours"})
    other = House(tmp_path)
    other.audit.append({"event": "theirs"})
    house.audit.append({"event": "ours again"})
    made = house.keeper.checkpoint()
    assert made is not None
    assert made.count == 3
    other.audit.close()
    house.audit.close()
    assert check_record(Audit(house.journal), house.stores).is_well


def test_an_audit_that_was_rolled_back_is_not_signed(house: House, tmp_path: Path) -> None:
    house.audit.append({"event": "1"})
    saved = {name: (tmp_path / "audit" / name).read_bytes() for name in ("log.jsonl", "head")}
    house.audit.append({"event": "2"})
    assert house.keeper.checkpoint() is not None
    for name, data in saved.items():
        (tmp_path / "audit" / name).write_bytes(data)
    with pytest.raises(Damaged):
        House(tmp_path).keeper.checkpoint()


def test_a_line_that_was_changed_is_no_checkpoint(house: House) -> None:
    house.audit.append({"event": "1"})
    made = house.keeper.checkpoint()
    assert made is not None
    line = spelled(made, house.stores.signer.sign)
    assert verified(line) == made
    for place in range(0, len(line), 7):
        changed = bytearray(line)
        changed[place] ^= 1
        with pytest.raises(WrongCheckpoint):
            verified(bytes(changed))
    house.audit.close()


def test_another_program_may_hold_the_key(tmp_path: Path) -> None:
    program = tmp_path / "sign.py"
    program.write_text(
        "import sys\n"
        "from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey\n"
        "key = Ed25519PrivateKey.from_private_bytes(bytes(32))\n"
        "data = sys.stdin.buffer.read()\n"
        "print((key.sign(data) if sys.argv[1] == 'sign' else key.public_key().public_bytes_raw()).hex())\n"
    )

    stores = record_stores(tmp_path / "state", OsKeyring(), signer=(sys.executable, str(program)), told="")
    assert isinstance(stores.signer, Command)
    journal = JournalFile(tmp_path / "state" / "audit" / "log.jsonl", tmp_path / "state" / "audit" / "head")
    audit = Audit(journal, keeper=RecordKeeper(journal, lambda: stores))
    audit.append({"event": "1"})
    audit.close()
    assert not (tmp_path / "state" / "record.key").exists()
    found = check_record(Audit(journal), stores)
    assert found.is_well
    assert found.covered == 1
