"""Every system call fails once with every error: exactly the changes reported as done are done."""

import errno
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from handrail.kernel.approval import PresetAnswer
from handrail.kernel.audit import Audit
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.kernel.record_check import verify_record
from handrail.ports.errors import Failure
from handrail.ports.identity import Caller
from handrail.ports.presence import Passkey
from handrail.ports.state_writes import open_write_journal
from handrail.stores.local.agents import AgentsFile
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.presence import PasskeyFile
from handrail.stores.local.trust import TrustFile
from handrail.wiring import Wiring
from tests.e2e.failing_calls import FailingCalls
from tests.effort import chance, count, first_of, tries

AGENT = Caller("mcp", "agent", "uid:1000", "stdio:one")
PERSON = Caller("cli", "ann", "uid:0", "person:test")
CODES = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EMFILE, errno.ENOMEM)
BEFORE = {"a.txt": "one\ntwo\n", "b/c.txt": "three\n"}
NEW = "new " * 20_000 + "\n"


@dataclass(frozen=True)
class Act:
    tool: str
    params: Mapping[str, Any]
    first: Mapping[str, Any] | None = None
    """What is called before it: a dry run, or the change that is undone."""
    is_reading: bool = False
    is_quick: bool = False
    """Few calls, or the one act of which the suite tries all."""
    after: dict[str, str] = field(default_factory=lambda: dict(BEFORE))


def wrote(**files: str) -> dict[str, str]:
    return {**BEFORE, **{name.replace("_", "."): text for name, text in files.items()}}


ACTS = (
    Act("write_to_file", {"path": "n.txt", "content": NEW, "dryRun": False}, {"dryRun": True}, after=wrote(n_txt=NEW)),
    Act("write_to_file", {"path": "a.txt", "content": NEW, "dryRun": False}, {"dryRun": True}, after=wrote(a_txt=NEW)),
    Act(
        "write_to_file",
        {"path": "d/e/f.txt", "content": "x\n", "dryRun": False},
        {"dryRun": True},
        after={**BEFORE, "d/e/f.txt": "x\n"},
        is_quick=True,
    ),
    Act("replace_in_file", {"path": "a.txt", "find": "one", "replace": "1"}, after=wrote(a_txt="1\ntwo\n")),
    Act(
        "edit_file",
        {"path": "a.txt", "edits": [{"oldText": "two", "newText": "2"}]},
        after=wrote(a_txt="one\n2\n"),
    ),
    Act(
        "write_files",
        {"files": [{"path": "a.txt", "content": "A\n"}, {"path": "n.txt", "content": "N\n"}]},
        after=wrote(a_txt="A\n", n_txt="N\n"),
    ),
    Act("delete_path", {"path": "a.txt"}, after={"b/c.txt": "three\n"}),
    Act("move_path", {"path": "a.txt", "to": "b/z.txt"}, after={"b/c.txt": "three\n", "b/z.txt": "one\ntwo\n"}),
    Act("copy_path", {"path": "b/c.txt", "to": "z.txt"}, after=wrote(z_txt="three\n")),
    Act("make_folder", {"path": "g/h"}),
    Act("undo_write", {}, {"tool": "replace_in_file", "path": "a.txt", "find": "one", "replace": "1"}),
    Act("read_file", {"path": "a.txt"}, is_reading=True, is_quick=True),
    Act("search_files", {"path": ".", "regex": "t[wh]"}, is_reading=True, is_quick=True),
    Act("list_files", {"path": "."}, is_reading=True, is_quick=True),
)


class Table:
    def __init__(self, folder: Path, calls: FailingCalls) -> None:
        self.folder, self.state = folder / "project", folder / "state"
        self.folder.mkdir()
        self.calls = calls
        self.project: Project = Wiring().open_project(self.folder, self.state, PresetAnswer("allow"))

    async def call(self, tool: str, params: Mapping[str, Any]) -> Any:
        caller = PERSON if tool == "undo_write" else AGENT
        return msgspec.to_builtins((await self.project.gate.run(Call(tool, dict(params), caller))).result)

    def files(self) -> dict[str, str]:
        paths = (path for path in self.folder.rglob("*") if path.is_file())
        names = {str(path.relative_to(self.folder)): path.read_text() for path in paths}
        return {name: text for name, text in names.items() if not name.startswith(".")}

    async def prepare(self, act: Act) -> None:
        for entry in self.folder.iterdir():
            if not entry.name.startswith("."):
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for name, text in BEFORE.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)
        if act.first is not None:
            params = {**(act.params if "tool" not in act.first else {}), **act.first}
            await self.call(str(params.pop("tool", act.tool)), params)

    async def attempt(self, act: Act, at: int, code: int) -> str | None:
        """Returns the call that failed, None if there were fewer calls."""
        await self.prepare(act)
        before = self.files()
        finding, failure = None, None
        try:
            with self.calls.failing(at, code):
                finding = await self.call(act.tool, act.params)
        except Failure as told:
            failure = told.message
        what = f"{act.tool} {errno.errorcode[code]} at call {at} ({self.calls.failed}): {failure or 'told as done'}"
        assert at or failure is None, what
        assert self.files() == (act.after if failure is None else before), what
        if act.is_reading and failure is None:
            assert finding == await self.call(act.tool, act.params), what
        return self.calls.failed

    def check(self) -> None:
        self.project.close()
        program = Wiring()
        stores = program.open_stores(self.state)
        findings = verify_record(Audit(stores.audit), stores.record(), program.open_evidence)
        stores.close()
        assert findings.is_intact, findings
        leftovers = [path for path in self.folder.rglob("*.handrail-*") if path.is_file()]
        assert leftovers == []


@dataclass(frozen=True)
class Keep:
    """Something that a person allows or that is recorded, and how another process finds it."""

    name: str
    do: Callable[[Path, int], object]
    find: Callable[[Path], set[str]]


def recorded(state: Path, number: int) -> None:
    audit = Audit(JournalFile(state / "audit/log.jsonl", state / "audit/head"))
    try:
        audit.append({"event": str(number)}, durable=True)
    finally:
        audit.close()


def found_records(state: Path) -> set[str]:
    audit = Audit(JournalFile(state / "audit/log.jsonl", state / "audit/head"))
    audit.verify()
    return {entry["event"] for entry in audit.entries() if "event" in entry}


KEEPS = (
    Keep("agent", lambda at, n: AgentsFile(at).add(f"{n}"), lambda at: {each.name for each in AgentsFile(at).all()}),
    Keep(
        "trust",
        lambda at, n: TrustFile(at).add(b"%d" % n, f"{n}"),
        lambda at: {each.where for each in TrustFile(at).all()},
    ),
    Keep(
        "passkey",
        lambda at, n: PasskeyFile(at).add(Passkey(f"{n}", "key", 0, "name", "2026-01-01T00:00:00Z")),
        lambda at: {each.id for each in PasskeyFile(at).all()},
    ),
    Keep("record", recorded, found_records),
)


@pytest.mark.trial("faults")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("keep", KEEPS, ids=lambda keep: keep.name)
def test_reported_writes_are_stored_and_no_earlier_write_is_lost(
    keep: Keep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = FailingCalls(monkeypatch)
    tmp_path.chmod(0o700)
    keep.do(tmp_path, 0)
    with calls.failing(0, errno.EIO):
        keep.do(tmp_path, 1)
    assert calls.count > 5
    files_to_keep, most = {"0", "1"}, calls.count
    places = [(at, code) for at in range(1, most + 1) for code in CODES]
    each_once = [(at, errno.EIO) for at in range(1, most + 1)]
    for number, (at, code) in enumerate([*each_once, *chance().sample(places, tries(5, len(places)))], 2):
        count()
        try:
            with calls.failing(at, code):
                keep.do(tmp_path, number)
        except (Failure, OSError):
            pass
        else:
            files_to_keep.add(str(number))
        missing = files_to_keep - keep.find(tmp_path)
        assert not missing, f"{keep.name} {errno.errorcode[code]} at call {at} ({calls.failed})"
    with open_write_journal(tmp_path) as writes:
        assert not [name for name in writes.names() for each in writes.contents(name) if each.is_outside]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "act",
    first_of("faults", *((act,) for act in ACTS), suite=6),
    ids=lambda act: f"{act.tool}-{act.params.get('path', '')}",
)
async def test_a_failing_call_is_reported_as_what_it_is_wherever_it_fails(
    act: Act, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(tmp_path, FailingCalls(monkeypatch))
    assert await table.attempt(act, 0, errno.EIO) is None  # the first call creates folders
    assert await table.attempt(act, 0, errno.EIO) is None
    most = table.calls.count
    assert most > 5
    places = [(at, code) for at in range(1, most + 1) for code in CODES]
    each_once = [(at, errno.EIO) for at in range(1, most + 1)] if act.is_quick else []
    for at, code in [*each_once, *chance().sample(places, tries(6, len(places)))]:
        count()
        await table.attempt(act, at, code)
    assert await table.attempt(act, 0, errno.EIO) is None
    table.check()
