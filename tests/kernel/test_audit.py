"""Records that can only be added to: whatever else happens to them is found."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.kernel.audit import Audit
from handrail.kernel.chain import Head, read_head, seal_record
from handrail.kernel.chain_check import BrokenChain
from handrail.ports.errors import Damaged, InputOutput
from handrail.stores.local import private_file
from handrail.stores.local.journal import JournalFile
from tests.effort import IS_CAMPAIGN, tries
from tests.stores.processes import start

NOON = 1_771_070_400.123
RECORDS: list[dict[str, Any]] = [
    {"event": "begin", "tool": "write_to_file", "paramsDigest": "ab" * 32},
    {"event": "end", "ok": True, "name": '中文\u2028\n\r{}[]","hash":"'},
    {},
    {"event": "end", "error": {"condition": "NotFound", "message": ""}},
    {"event": "end", "ok": True},
]


def never(seconds: float, work: object) -> None:
    """No flush in the background: these tests fork."""


def open_audit(folder: Path) -> Audit:
    return Audit(JournalFile(folder / "log.jsonl", folder / "head", later=never), clock=lambda: NOON)


@pytest.fixture
def audit(tmp_path: Path) -> Iterator[Audit]:
    opened = open_audit(tmp_path)
    yield opened
    opened.close()


class Files:
    """The audit's two files as bytes, to be changed behind its back."""

    def __init__(self, folder: Path) -> None:
        self._log, self._head = folder / "log.jsonl", folder / "head"

    @property
    def log(self) -> bytes:
        return self._log.read_bytes()

    @log.setter
    def log(self, data: bytes) -> None:
        self._log.write_bytes(data)

    @property
    def head(self) -> bytes:
        return self._head.read_bytes()

    @head.setter
    def head(self, data: bytes) -> None:
        self._head.write_bytes(data)

    def remove_log(self) -> None:
        self._log.unlink()

    def remove_head(self) -> None:
        self._head.unlink()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def fault(audit: Audit) -> tuple[int | None, str]:
    with pytest.raises(BrokenChain) as found:
        audit.verify()
    return found.value.details["line"], found.value.details["reason"]


def crash(audit: Audit, during: int, written: int) -> bool:
    """An append in a real process that dies of kill -9 in its nth write, of which `written` bytes were done.

    False when it lived on because it had fewer writes than that.
    """
    child = os.fork()
    if child == 0:
        writes = 0

        def dying(real: Callable[..., int]) -> Callable[..., int]:
            def write(descriptor: int, data: bytes, *at: int) -> int:
                nonlocal writes
                writes += 1
                if writes == during:
                    if written:
                        real(descriptor, data[:written], *at)
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(descriptor, data, *at)

            return write

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "write", dying(os.write))
            patch.setattr(os, "pwrite", dying(os.pwrite))
            try:
                audit.append({"event": "crash"})
            finally:
                os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == -signal.SIGKILL


class TestRecords:
    def test_they_are_numbered_dated_and_chained(self, audit: Audit) -> None:
        assert [audit.append(record) for record in RECORDS] == [1, 2, 3, 4, 5]
        entries = list(audit.entries())
        assert [entry["seq"] for entry in entries] == [1, 2, 3, 4, 5]
        assert {entry["ts"] for entry in entries} == {"2026-02-14T12:00:00.123Z"}
        assert [entry["prev"] for entry in entries] == ["0" * 64] + [entry["hash"] for entry in entries[:-1]]
        assert audit.verify() == 5

    def test_they_hold_what_was_given_and_nothing_else(self, audit: Audit) -> None:
        for record in RECORDS:
            audit.append(record)
        own = {"seq", "ts", "prev", "hash"}
        assert [{k: v for k, v in entry.items() if k not in own} for entry in audit.entries()] == RECORDS

    def test_the_hash_is_the_last_member_and_covers_every_byte_before_it(self, audit: Audit, files: Files) -> None:
        audit.append(RECORDS[1])
        found = re.fullmatch(rb'(\{.*),"hash":"([0-9a-f]{64})"\}\n', files.log)
        assert found is not None
        assert sha256(found[1]).hexdigest().encode() == found[2]
        assert list(msgspec.json.decode(files.log))[-1] == "hash"

    def test_the_newest_can_come_first(self, audit: Audit) -> None:
        for record in RECORDS:
            audit.append(record)
        assert [entry["seq"] for entry in audit.entries(reverse=True)] == [5, 4, 3, 2, 1]

    @pytest.mark.parametrize("name", ["seq", "ts", "prev", "hash", "repair"])
    def test_they_cannot_claim_the_chains_own_members(self, audit: Audit, name: str) -> None:
        with pytest.raises(ValueError, match=name):
            audit.append({name: 1})
        assert audit.verify() == 0

    def test_text_that_is_no_text_is_recorded_legibly(self, audit: Audit) -> None:
        audit.append({"target": "a\udcff", "list": [{"b\ud800": 1}]})
        (entry,) = audit.entries()
        assert (entry["target"], entry["list"]) == ("a\\udcff", [{"b\\ud800": 1}])
        assert audit.verify() == 1

    def test_several_writers_share_one_chain(self, audit: Audit, tmp_path: Path) -> None:
        other = open_audit(tmp_path)
        assert [writer.append({}) for writer in (audit, other, other, audit, other)] == [1, 2, 3, 4, 5]
        assert audit.verify() == other.verify() == 5
        other.close()

    def test_a_durable_one_is_on_disk_when_its_number_is_told(
        self, audit: Audit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        synced: list[str] = []
        monkeypatch.setattr(
            private_file, "fdatasync", lambda fd: synced.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}")))
        )
        audit.append({}, durable=False)
        assert synced == []
        audit.append({}, durable=True)
        assert synced == ["log.jsonl", "head"]
        audit.append({}, durable=True)
        assert synced == ["log.jsonl", "head", "log.jsonl"]  # an older head is caught up with after a power cut

    def test_a_full_disk_is_no_success_and_breaks_no_chain(self, audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
        audit.append({})
        real = os.write
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:20]))
            with pytest.raises(InputOutput):
                audit.append({})
        assert audit.verify() == 1
        assert audit.append({}) == 2
        assert audit.verify() == 2

    def test_none_yet_is_no_damage_and_looking_makes_nothing(self, audit: Audit, tmp_path: Path) -> None:
        assert audit.verify() == 0
        assert list(audit.entries()) == []
        assert list(tmp_path.iterdir()) == []


def _chain(folder: Path) -> tuple[bytes, bytes]:
    """Five records, with a crash between the second and the third that the repair vouches for: six in all."""
    audit = open_audit(folder)
    for record in RECORDS[:2]:
        audit.append(record)
    crash(audit, during=2, written=40)
    for record in RECORDS[2:]:
        audit.append(record)
    assert audit.verify() == 6
    audit.close()
    return Files(folder).log, Files(folder).head


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    return _chain(tmp_path_factory.mktemp("chain"))


@st.composite
def damage(draw: st.DrawFn, log: bytes, head: bytes) -> tuple[bytes, bytes]:
    """The two files after something that no writer does."""
    lines = log.splitlines(keepends=True)
    somewhere = st.integers(0, len(log))
    a_line = st.integers(0, len(lines) - 1)
    match draw(st.sampled_from(["flip", "head", "cut", "hole", "insert", "remove", "double", "swap", "move", "forge"])):
        case "flip":
            at, bit = draw(st.integers(0, len(log) - 1)), draw(st.integers(0, 7))
            log = log[:at] + bytes([log[at] ^ 1 << bit]) + log[at + 1 :]
        case "head":
            at, bit = draw(st.integers(0, len(head) - 1)), draw(st.integers(0, 7))
            head = head[:at] + bytes([head[at] ^ 1 << bit]) + head[at + 1 :]
        case "cut":
            log = log[: draw(somewhere)]
        case "hole":
            first, last = sorted((draw(somewhere), draw(somewhere)))
            log = log[:first] + log[last:]
        case "insert":
            at = draw(somewhere)
            log = log[:at] + draw(st.binary(min_size=1, max_size=40)) + log[at:]
        case "remove":
            del lines[draw(a_line)]
            log = b"".join(lines)
        case "double":
            at = draw(a_line)
            lines.insert(draw(a_line), lines[at])
            log = b"".join(lines)
        case "swap":
            one, other = draw(a_line), draw(a_line)
            lines[one], lines[other] = lines[other], lines[one]
            log = b"".join(lines)
        case "move":
            moved = lines.pop(draw(a_line))
            lines.insert(draw(st.integers(0, len(lines))), moved)
            log = b"".join(lines)
        case "forge":
            end = read_head(head)
            assert end is not None
            log += seal_record(end.count + 1, "2026-02-14T12:00:00.123Z", end.hash, b',"ok":true')[0] + b"\n"
    return log, head


class TestDamage:
    @given(st.data())
    @settings(max_examples=tries(60, 2000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_any_is_found(self, audit: Audit, files: Files, chain: tuple[bytes, bytes], data: st.DataObject) -> None:
        files.log, files.head = changed = data.draw(damage(*chain))
        if changed == chain:
            assert audit.verify() == 6
        else:
            fault(audit)

    @given(st.data())
    @settings(max_examples=tries(30, 1000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_going_on_after_it_hides_nothing(
        self, audit: Audit, files: Files, chain: tuple[bytes, bytes], data: st.DataObject
    ) -> None:
        files.log, files.head = log, head = data.draw(damage(*chain))
        if head == chain[1] and log in (chain[0], chain[0][:-1]):
            return  # what begins a new line puts the last LF back: every byte is as it was written
        try:
            for _ in range(data.draw(st.integers(0, 2))):
                audit.append({"event": "later"})
            crash(audit, data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0, 10])))
            audit.append({"event": "later"})
        except Damaged:
            assert files.head != chain[1]
        fault(audit)

    @pytest.mark.trial("properties")
    def test_every_single_bit_counts(self, audit: Audit, files: Files, chain: tuple[bytes, bytes]) -> None:
        """In the suite one bit of each byte, another one each time."""
        log, head = chain
        files.log, files.head = chain
        for at in range(len(head)):
            for bit in range(8) if IS_CAMPAIGN else [at % 8]:
                files.head = head[:at] + bytes([head[at] ^ 1 << bit]) + head[at + 1 :]
                fault(audit)
        files.head = head
        for at in range(len(log)):
            for bit in range(8) if IS_CAMPAIGN else [at % 8]:
                files.log = log[:at] + bytes([log[at] ^ 1 << bit]) + log[at + 1 :]
                assert fault(audit)[0] is not None

    def test_a_cut_end_is_told_by_the_first_line_that_is_missing(self, audit: Audit, files: Files) -> None:
        for record in RECORDS:
            audit.append(record)
        files.log = b"".join(files.log.splitlines(keepends=True)[:3])
        assert fault(audit) == (4, "records 4 to 5 are missing: the end was cut off")

    def test_a_changed_line_is_named(self, audit: Audit, files: Files) -> None:
        for record in RECORDS:
            audit.append(record)
        files.log = files.log.replace(b"NotFound", b"NotFoond")
        assert fault(audit) == (4, "it was changed: its hash does not fit its content")

    def test_a_removed_line_is_named_by_the_one_after_it(self, audit: Audit, files: Files) -> None:
        for record in RECORDS:
            audit.append(record)
        lines = files.log.splitlines(keepends=True)
        files.log = b"".join(lines[:1] + lines[2:])
        assert fault(audit) == (2, "record 2 is missing before it")

    def test_a_forged_record_that_chains_well_lies_beyond_the_head(self, audit: Audit, files: Files) -> None:
        audit.append({})
        head = read_head(files.head)
        assert head is not None
        files.log += seal_record(2, "2026-02-14T12:00:00.123Z", head.hash, b"")[0] + b"\n"
        assert fault(audit) == (2, "it lies beyond the head, which never announced it")

    def test_an_older_pair_of_lines_and_head_does_not_fit_a_newer_other_half(self, audit: Audit, files: Files) -> None:
        audit.append({})
        older_log, older_head = files.log, files.head
        audit.append({})
        newer_log, newer_head = files.log, files.head
        files.head = older_head
        fault(audit)
        files.log, files.head = older_log, newer_head
        fault(audit)
        files.log = newer_log
        assert audit.verify() == 2

    def test_a_missing_log_is_found(self, audit: Audit, files: Files) -> None:
        audit.append({})
        files.remove_log()
        assert fault(audit) == (None, "the log is missing")
        audit.append({})
        assert fault(audit) == (1, "record 1 is missing before it")

    @pytest.mark.parametrize("is_emptied", [True, False])
    def test_a_missing_head_is_found_and_never_made_up(self, audit: Audit, files: Files, is_emptied: bool) -> None:
        audit.append({})
        if is_emptied:
            files.head = b""
        else:
            files.remove_head()
        assert fault(audit) == (None, "the head is missing")
        with pytest.raises(Damaged, match="can't continue"):
            audit.append({})
        assert fault(audit) == (None, "the head is missing")


class TestCrashes:
    """Write 1 announces the record in the head, 2 is the record, 3 acknowledges it."""

    @pytest.mark.parametrize(
        ("during", "written", "survivors"),
        [(1, 0, 1), (1, 999, 1), (2, 0, 1), (2, 1, 1), (2, 100, 1), (2, 999, 2), (3, 0, 2), (3, 999, 2)],
    )
    def test_one_between_any_two_steps_is_no_tampering(
        self, audit: Audit, during: int, written: int, survivors: int
    ) -> None:
        audit.append({"event": "before"})
        assert crash(audit, during, written)
        assert audit.verify() == survivors
        audit.append({"event": "after"})
        count = audit.verify()
        entries = list(audit.entries())
        assert [entry["seq"] for entry in entries] == list(range(1, count + 1))
        assert [entries[0]["event"], entries[-1]["event"]] == ["before", "after"]

    def test_torn_bytes_stay_and_the_next_record_vouches_for_them(self, audit: Audit, files: Files) -> None:
        audit.append({})
        crash(audit, during=2, written=50)
        torn = files.log.splitlines()[1]
        assert audit.append({}) == 3
        assert audit.verify() == 3
        assert files.log.splitlines()[1] == torn
        repair = next(entry["repair"] for entry in audit.entries() if "repair" in entry)
        assert repair == {"length": 50, "sha256": sha256(torn).hexdigest()}

    @pytest.mark.parametrize("written", [0, 1, 2, 100])
    def test_one_in_the_middle_of_a_repair_is_vouched_for_as_well(self, audit: Audit, written: int) -> None:
        """Write 2 starts with the line feed that ends the torn line."""
        audit.append({})
        assert crash(audit, during=2, written=50)
        assert crash(audit, during=2, written=written)
        assert audit.verify() == 1
        assert audit.append({}) == 3
        assert audit.verify() == 3

    def test_a_record_that_lacks_only_its_end_of_line_is_completed(self, audit: Audit, files: Files) -> None:
        crash(audit, during=2, written=999)
        whole, files.log = files.log, files.log[:-1]
        assert audit.verify() == 0
        assert audit.append({}) == 2
        assert files.log.startswith(whole)
        assert audit.verify() == 2

    def test_one_right_after_such_a_completion_is_no_tampering_either(self, audit: Audit, files: Files) -> None:
        crash(audit, during=2, written=999)
        files.log = files.log[:-1]
        assert crash(audit, during=3, written=0)
        assert audit.verify() == 1

    def test_one_vouches_for_our_own_bytes_and_for_no_strangers(self, audit: Audit, files: Files) -> None:
        audit.append({})
        files.log += b"slipped in\n"
        assert crash(audit, during=2, written=10)
        audit.append({})
        assert any("repair" in entry for entry in audit.entries())
        assert fault(audit)[0] == 2

    def test_what_was_announced_may_be_there_or_not_and_nothing_else_may(self, audit: Audit, files: Files) -> None:
        audit.append({})
        before = files.log
        crash(audit, during=2, written=999)
        announced = files.log
        assert audit.verify() == 2
        files.log = before
        assert audit.verify() == 1
        files.log = announced.replace(b"crash", b"crasH")
        assert fault(audit)[0] == 2
        files.log = announced + b"x"
        assert fault(audit)[0] == 3
        files.log = b""
        assert fault(audit) == (1, "record 1 is missing: the end was cut off")
        files.log = before[:-5]
        assert fault(audit)[0] == 1

    def test_an_acknowledged_record_can_never_be_cut_unseen(self, audit: Audit, files: Files) -> None:
        for _ in range(5):
            before = files.log if audit.verify() else b""
            audit.append({})
            after = files.log
            files.log = before
            fault(audit)
            files.log = after

    @pytest.mark.trial("record", is_long=True)
    @given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 300)) | st.none(), max_size=12))
    @settings(max_examples=tries(10, 300), deadline=None)
    def test_any_number_of_them_lose_nothing_that_was_acknowledged(
        self, tmp_path_factory: pytest.TempPathFactory, events: list[tuple[int, int] | None]
    ) -> None:
        folder = tmp_path_factory.mktemp("crashes")
        audit, acknowledged = open_audit(folder), []
        for event in events:
            if event is None:
                acknowledged.append(audit.append({"event": "kept"}))
            else:
                during, written = event
                # A write of the small head can't be torn by a kill, a long line can.
                crash(audit, during, written if during in (2, 5) else 0)
            count = audit.verify()
            assert not acknowledged or acknowledged[-1] <= count
        acknowledged.append(audit.append({"event": "kept"}))
        assert audit.verify() == acknowledged[-1]
        assert [entry["seq"] for entry in audit.entries() if entry.get("event") == "kept"] == acknowledged
        audit.close()


_ENDLESS_WRITER = """
import sys
from pathlib import Path
from handrail.kernel.audit import Audit
from handrail.stores.local.journal import JournalFile
folder = Path(sys.argv[1])
audit = Audit(JournalFile(folder / "log.jsonl", folder / "head"))
while True:
    print(audit.append({"event": "loop", "filling": "x" * 200}), flush=True)
"""


@pytest.mark.trial("record", is_long=True)
def test_writers_killed_in_full_flight_leave_a_chain_that_holds(audit: Audit, tmp_path: Path) -> None:
    for enough in (1, 20, 100):
        writers = [start(_ENDLESS_WRITER, tmp_path) for _ in range(3)]
        told = 0
        for writer in writers:
            assert writer.stdout is not None
            for _ in range(enough):
                told = max(told, int(writer.stdout.readline()))
        for writer in writers:
            writer.kill()
        for writer in writers:
            assert writer.stdout is not None
            *rest, _ = writer.stdout.read().split("\n")  # the last one may be torn
            told = max([told, *map(int, rest)])
            writer.communicate(timeout=60)
        count = audit.verify()
        assert count >= told
        assert audit.append({"event": "after"}) > told
        assert audit.verify() >= count + 1


class PowerCut:
    """The newest head was not on disk yet, and maybe a record was torn; the machine has started since."""

    def __init__(self, folder: Path, records: int) -> None:
        self.folder = folder
        self.records = records
        audit = open_audit(folder)
        audit.append(RECORDS[0], durable=True)
        old = (folder / "head").read_bytes()
        for _ in range(records):
            audit.append(RECORDS[1], durable=True)
        audit.close()
        (folder / "head").write_bytes(old)

    def tear(self, data: bytes) -> None:
        with (self.folder / "log.jsonl").open("ab") as log:
            log.write(data)

    def start_again(self) -> Audit:
        os.utime(self.folder / "log.jsonl", (1.0, 1.0))
        return open_audit(self.folder)


@pytest.mark.parametrize("torn", [b"", b'{"seq":4,"ts":"2026', b"\0" * 40, b"half\nof two\n"])
@pytest.mark.parametrize("records", [0, 1, 3])
def test_a_head_that_a_power_cut_left_behind_is_caught_up_with(tmp_path: Path, records: int, torn: bytes) -> None:
    cut = PowerCut(tmp_path, records)
    cut.tear(torn)
    audit = cut.start_again()
    assert audit.verify() == 1 + records
    assert audit.lag == records
    audit.append(RECORDS[4], durable=True)
    events = [entry.get("event") for entry in audit.entries()]
    recovered = ["recovered"] if records or torn else []
    assert events == ["begin", *["end"] * records, *recovered, "end"]
    assert audit.verify() == len(events)
    audit.close()


def test_an_old_head_is_not_accepted_as_a_power_cut_while_the_machine_runs(tmp_path: Path) -> None:
    PowerCut(tmp_path, 2)
    audit = open_audit(tmp_path)
    with pytest.raises(BrokenChain, match="beyond the head"):
        audit.verify()
    audit.close()


def test_records_that_do_not_follow_the_head_are_no_power_cut(tmp_path: Path) -> None:
    cut = PowerCut(tmp_path, 2)
    log = tmp_path / "log.jsonl"
    log.write_bytes(log.read_bytes().replace(b"begin", b"BEGIN"))
    audit = cut.start_again()
    with pytest.raises(BrokenChain):
        audit.verify()
    audit.close()


class LostTail:
    """Two records that were on disk, three that were not yet, and the newest head; the machine has started since."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        audit = open_audit(folder)
        for number in range(5):
            audit.append(RECORDS[1], durable=number < 2)
        audit.close()
        self.log = folder / "log.jsonl"
        self.lines = self.log.read_bytes().splitlines(keepends=True)

    def leave(self, *lines: bytes) -> Audit:
        self.log.write_bytes(b"".join(lines))
        os.utime(self.log, (1.0, 1.0))
        return open_audit(self.folder)


def hole(line: bytes) -> bytes:
    return b"\0" * len(line)


@pytest.mark.parametrize(
    ("left", "lost"),
    [
        (lambda lines: lines[:2], 3),
        (lambda lines: lines[:4], 1),
        (lambda lines: [*lines[:3], lines[3][:50]], 2),
        (lambda lines: [*lines[:2], hole(lines[2]), *lines[3:]], 3),
        (lambda lines: [*lines[:4], hole(lines[4])], 1),
    ],
    ids=["all", "one", "torn", "hole", "zeros"],
)
def test_records_that_a_power_cut_took_are_missed_on_record(
    tmp_path: Path, left: Callable[[list[bytes]], list[bytes]], lost: int
) -> None:
    tail = LostTail(tmp_path)
    audit = tail.leave(*left(tail.lines))
    assert audit.verify() == 5 - lost
    assert audit.lost == lost
    audit.append(RECORDS[4], durable=True)
    assert audit.verify() == 5 - lost + 2
    assert audit.lost == 0
    recovered = [entry for entry in audit.entries() if entry.get("event") == "recovered"]
    assert [entry["lost"] for entry in recovered] == [lost]
    audit.close()


def another(line: bytes) -> bytes:
    """A record in the place of another, sealed as well as anybody can."""
    entry = msgspec.json.decode(line)
    return seal_record(entry["seq"], entry["ts"], entry["prev"], b',"event":"forged"')[0] + b"\n"


@pytest.mark.parametrize(
    "left",
    [
        lambda lines: lines[:1],
        lambda lines: [],
        lambda lines: [lines[0], hole(lines[1]), *lines[2:]],
        lambda lines: [*lines[:4], another(lines[4])],
    ],
    ids=["synced", "everything", "synced hole", "forged"],
)
def test_what_no_power_cut_can_have_done_is_found_before_and_after_going_on(
    tmp_path: Path, left: Callable[[list[bytes]], list[bytes]]
) -> None:
    tail = LostTail(tmp_path)
    audit = tail.leave(*left(tail.lines))
    with pytest.raises(BrokenChain):
        audit.verify()
    audit.append(RECORDS[4], durable=True)
    with pytest.raises(BrokenChain):
        audit.verify()
    audit.close()


def test_a_cut_tail_is_not_accepted_as_a_power_cut_while_the_machine_runs(tmp_path: Path) -> None:
    tail = LostTail(tmp_path)
    tail.log.write_bytes(b"".join(tail.lines[:4]))
    audit = open_audit(tmp_path)
    with pytest.raises(BrokenChain, match="cut off"):
        audit.verify()
    audit.close()


def test_a_head_of_the_first_version_is_read_and_replaced(audit: Audit, tmp_path: Path) -> None:
    audit.append(RECORDS[0], durable=True)
    head = read_head((tmp_path / "head").read_bytes())
    assert head is not None
    old = Head(*head.end, safe=None).spelled()
    assert old.startswith(b"handrail-audit 1 ")
    assert read_head(old[:17] + b"0" * 16 + old[33:]) is None
    (tmp_path / "head").write_bytes(old)
    assert audit.verify() == 1
    audit.append(RECORDS[1])
    audit.append(RECORDS[1], durable=True)
    assert audit.verify() == 3
    assert (tmp_path / "head").read_bytes().startswith(b"handrail-audit 2 ")


def test_a_head_is_spelled_in_one_way_only() -> None:
    head = Head(3, 900, "ab" * 32).announcing(1200, "cd" * 32)
    assert read_head(head.spelled()) == head
    assert len(head.spelled()) == len(Head().spelled())
    assert read_head(head.spelled() + b"\n") is None
    assert read_head(head.spelled().upper()) is None
