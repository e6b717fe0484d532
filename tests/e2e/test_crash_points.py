"""A process that dies before or after any single step of a commit: the next one to hold the lock settles it.

Dying is an exception that nobody catches here, so that every point is met exactly once; `test_kill` does it for real.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from handrail.features.workspace.change import Change, Repetition, content_hash, read_current
from handrail.features.workspace.commit import commit, settle
from handrail.features.workspace.dry_runs import DryRun, DryRuns
from handrail.features.workspace.idempotency import EarlierWrite, IdempotencyKeys
from handrail.features.workspace.snapshots import Snapshot, Snapshots
from handrail.features.workspace.workspace import AGENT_FOLDER, Workspace
from handrail.kernel.call import Call
from handrail.kernel.evidence import utc_now
from handrail.kernel.policy import Policy, compose_policy
from handrail.kernel.policy_document import PolicyDocument
from handrail.ports.errors import InputOutput
from handrail.ports.identity import Caller
from handrail.stores.local.files.folder import LocalFolder
from tests.e2e.servers import leftovers, snapshots
from tests.wire.clients import Json

T = TypeVar("T")
OLD, NEW = b"old\n", b"new\n"
KEY = Repetition("key", "overwrite", content_hash(NEW))
POLICY: Policy = compose_policy(PolicyDocument(), is_trusted=True, user_rules=())


class Died(BaseException):
    """Stands for kill -9."""


class Steps:
    """Counts every change to the disk and can make one of them the last."""

    def __init__(self, at: int, failure: BaseException | None, *, is_done: bool) -> None:
        self.count = 0
        self._at, self._failure, self._is_done = at, failure, is_done

    def take(self, change: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        is_last = self.count == self._at and self._failure is not None
        if is_last and not self._is_done:
            assert self._failure is not None
            raise self._failure
        result = change(*args, **kwargs)
        if is_last:
            assert self._failure is not None
            raise self._failure
        return result


CHANGING = frozenset(
    {
        "write",
        "create",
        "put",
        "append",
        "remove",
        "sweep",
        "adopt",
        "move",
        "make_folder",
        "remove_folder",
        "remove_tree",
        "sync",
    }
)


class Mortal:
    """A folder whose user may die at any step."""

    def __init__(self, folder: LocalFolder, steps: Steps) -> None:
        self._folder, self._steps = folder, steps

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._folder, name)
        if name in CHANGING:
            return lambda *args, **kwargs: self._steps.take(member, *args, **kwargs)
        return member


_opened: list[LocalFolder] = []


def close_opened() -> None:
    """Closes what simulated crashes left open."""
    while _opened:
        _opened.pop().close()


def each(cases: Iterable[T]) -> Iterator[T]:
    """Closes everything that one case has opened before the next."""
    for case in cases:
        yield case
        close_opened()


def workspace(project: Path, at: int = 0, failure: BaseException | None = None, *, is_done: bool = False) -> Workspace:
    steps = Steps(at, failure, is_done=is_done)
    folder = LocalFolder.open(str(project))
    _opened.append(folder)
    files: Any = Mortal(folder, steps)
    own: Any = Mortal(folder.subfolder(AGENT_FOLDER), steps)
    return Workspace(
        files=files,
        own=own,
        policy=lambda: POLICY,
        snapshots=Snapshots(own, utc_now),
        dry_runs=DryRuns(own, utc_now),
        idempotency=IdempotencyKeys(own, utc_now),
        now=utc_now,
        tools=lambda: (),
        review=lambda path, content: None,
    )


def call() -> Call:
    return Call("write_to_file", {}, Caller("mcp", "agent", "uid:0", "agent:test"))


def dry_run(rig: Workspace, path: str, after: bytes) -> DryRun:
    base = content_hash(read_current(rig, path)[1])
    rig.dry_runs.remember(path, "overwrite", content_hash(after), base)
    matches = rig.dry_runs.find(path, "overwrite", content_hash(after))
    assert matches is not None
    return matches


def change(rig: Workspace, path: str, after: bytes | None, *, is_keyed: bool = True) -> Change:
    run = dry_run(rig, path, after) if after is not None else None
    before = read_current(rig, path)[1]
    return Change(path, before, after, KEY if is_keyed else None, run)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_bytes(OLD)
    yield folder
    close_opened()


CHANGES = {
    "a file is replaced": ("a.txt", NEW),
    "a file is made": ("new/b.txt", NEW),
    "a file is written as it is": ("a.txt", OLD),
    "a file is removed": ("a.txt", None),
}


def test_every_step_of_a_commit_may_be_the_last(project: Path) -> None:
    """Before and after each step: once settled, the file is old or new, and all records agree with it."""
    met = set()
    for number, is_done, (what, (path, after)) in each(itertools.product(range(1, 30), (False, True), CHANGES.items())):
        case = project / f"{what} {number} {is_done}".replace(" ", "_")
        case.mkdir()
        (case / "a.txt").write_bytes(OLD)
        planned = change(workspace(case), path, after)
        before = planned.before
        try:
            commit(workspace(case, number, Died(), is_done=is_done), call(), planned)
        except Died:
            met.add((what, number))
        next_rig = workspace(case)
        settle(next_rig)
        settle(next_rig)
        current = read_current(next_rig, path)[1]
        assert current in (before, after)
        assert leftovers(case) == []
        assert not (case / AGENT_FOLDER / "intent.json").exists()
        written = next_rig.idempotency.find("key")
        copies = snapshots(case)
        if written is not None:
            assert current == after
            assert list(copies) == [written.snapshot_id]
            assert copies[written.snapshot_id][1] == (before or b"")
        else:
            assert current == before
            assert copies == {}
            assert planned.dry_run is None or next_rig.dry_runs.is_unused(planned.dry_run), "the dry run is not lost"
            assert isinstance(commit(next_rig, call(), planned), Snapshot)
        assert isinstance(commit(workspace(case), call(), planned), EarlierWrite), "nothing is done twice"
    assert {what for what, _ in met} == set(CHANGES)
    assert min(max(number for what, number in met if what == expected) for expected in CHANGES) >= 6


def test_every_step_of_a_commit_may_fail(project: Path) -> None:
    """With a full disk or a broken device, either no success is reported and nothing changed, or both happened."""
    outcomes = set()
    for number, (what, (path, after)) in each(itertools.product(range(1, 30), CHANGES.items())):
        case = project / f"{what} {number}".replace(" ", "_")
        case.mkdir()
        (case / "a.txt").write_bytes(OLD)
        planned = change(workspace(case), path, after)
        try:
            commit(workspace(case, number, InputOutput("The disk is full.")), call(), planned)
        except InputOutput:
            assert read_current(workspace(case), path)[1] == planned.before
            settle(workspace(case))
            assert snapshots(case) == {}
            assert planned.dry_run is None or workspace(case).dry_runs.is_unused(planned.dry_run)
            outcomes.add("failed")
        else:
            assert read_current(workspace(case), path)[1] == after
            settle(workspace(case))
            assert len(snapshots(case)) == 1
            outcomes.add("done")
        assert leftovers(case) == []
        assert not (case / AGENT_FOLDER / "intent.json").exists()
    assert outcomes == {"failed", "done"}


def cut_off(project: Path) -> Change:
    """A write that was interrupted right after the file was replaced."""
    planned = change(workspace(project), "a.txt", NEW)
    for number in itertools.count(1):
        try:
            commit(workspace(project, number, Died(), is_done=True), call(), planned)
        except Died:
            if (project / "a.txt").read_bytes() == NEW:
                return planned
            settle(workspace(project))
    raise AssertionError


def test_a_persons_edit_after_the_crash_stays_and_so_does_the_snapshot(project: Path) -> None:
    cut_off(project)
    (project / "a.txt").write_bytes(b"by hand\n")
    settle(workspace(project))
    assert (project / "a.txt").read_bytes() == b"by hand\n"
    ((_, content),) = snapshots(project).values()
    assert content == OLD


@pytest.mark.parametrize("obstacle", ["link", "folder"])
def test_later_changes_to_the_file_do_not_stop_the_next_write(project: Path, obstacle: str) -> None:
    cut_off(project)
    (project / "a.txt").unlink()
    if obstacle == "folder":
        (project / "a.txt").mkdir()
    else:
        (project / "a.txt").symlink_to("elsewhere")
    planned = change(workspace(project), "other.txt", NEW, is_keyed=False)
    assert isinstance(commit(workspace(project), call(), planned), Snapshot)
    assert not (project / AGENT_FOLDER / "intent.json").exists()


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff", b'{"path": "\xff"}', b'{"path": "a.txt"}', b"[" * 100_000])
def test_an_intent_that_can_not_be_read_does_not_stop_the_next_write(project: Path, text: bytes) -> None:
    (project / AGENT_FOLDER).mkdir()
    (project / AGENT_FOLDER / "intent.json").write_bytes(text)
    planned = change(workspace(project), "a.txt", NEW)
    assert isinstance(commit(workspace(project), call(), planned), Snapshot)
    assert (project / "a.txt").read_bytes() == NEW


def test_a_forged_intent_opens_no_way_out(project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_bytes(NEW)
    (project / AGENT_FOLDER).mkdir()
    forged: Json = {
        "path": "../secret.txt",
        "baseHash": "x",
        "afterHash": content_hash(NEW),
        "snapshotId": "../../../secret",
    }
    forged |= {"repetition": None, "dryRun": None}
    (project / AGENT_FOLDER / "intent.json").write_text(json.dumps(forged))
    settle(workspace(project))
    assert secret.read_bytes() == NEW
    assert not (project / AGENT_FOLDER / "intent.json").exists()


@pytest.mark.parametrize("text", ['{"entries": []}', '{"entries": null}', "null", '{"entries": {"x": []}}'])
def test_a_store_of_keys_that_makes_no_sense_is_taken_for_empty(project: Path, text: str) -> None:
    (project / AGENT_FOLDER).mkdir()
    (project / AGENT_FOLDER / "idem.json").write_text(text)
    planned = change(workspace(project), "a.txt", NEW)
    assert isinstance(commit(workspace(project), call(), planned), Snapshot)
    assert isinstance(commit(workspace(project), call(), planned), EarlierWrite)


def test_a_leftover_among_a_thousand_dry_runs_does_not_stop_the_next(project: Path) -> None:
    rig = workspace(project)
    for number in range(1000):
        rig.dry_runs.remember(f"{number}.txt", "overwrite", "0" * 64, "absent")
    (project / AGENT_FOLDER / "dry_runs/.handrail-0123456789abcdef.tmp").write_text("half")
    (project / AGENT_FOLDER / "dry_runs/notes.txt").write_text("a person's")
    assert rig.dry_runs.is_unused(dry_run(rig, "a.txt", NEW))
    assert len(list((project / AGENT_FOLDER / "dry_runs").glob("*.json"))) < 1000
