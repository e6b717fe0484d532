"""Deleting, moving, modes, binary files and folders as one unit: all or nothing, undone as a whole."""

import itertools
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from handrail.features.workspace.change import Change, FolderChange, Move, Step, read_current
from handrail.features.workspace.commit import commit_all, settle
from handrail.features.workspace.plans import add_parent_folders, plan_move, plan_removal
from handrail.features.workspace.snapshots import Snapshot
from handrail.features.workspace.undo import UndoPlan, plan_undo, standing_changes
from handrail.features.workspace.unit_preview import diff_of
from handrail.features.workspace.workspace import AGENT_FOLDER, Workspace
from handrail.kernel.call import Call
from handrail.ports.errors import Conflict, Failure, InputOutput, OutsideRoot
from handrail.ports.identity import Caller
from tests.e2e.servers import leftovers, snapshots
from tests.e2e.test_crash_points import Died, close_opened, workspace

BINARY = bytes(range(256))
CRLF = b"one\r\ntwo\r\n"


def call(task: str | None = None) -> Call:
    return Call("write_files", {}, Caller("mcp", "agent", "uid:0", "agent:test"), task=task)


@pytest.fixture(autouse=True)
def closed_at_the_end() -> Iterator[None]:
    yield
    close_opened()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


def make_project(folder: Path) -> Path:
    (folder / "src/deep").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"old\n")
    (folder / "src/crlf.txt").write_bytes(CRLF)
    (folder / "src/deep/picture.bin").write_bytes(BINARY)
    (folder / "run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "run.sh").chmod(0o644)
    return folder


Tree = dict[str, tuple[str, int, bytes]]


def tree(folder: Path) -> Tree:
    """Everything except handrail's own files: kind, mode, content."""
    entries: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == AGENT_FOLDER:
            continue
        mode = stat.S_IMODE(path.lstat().st_mode)
        entries[name] = ("folder", mode, b"") if path.is_dir() else ("file", mode, path.read_bytes())
    return entries


def everything(rig: Workspace) -> list[Step]:
    """One unit with every kind of step."""
    steps: list[Step] = [
        Change("a.txt", b"old\n", b"new\n"),
        Change("new/inner/b.bin", None, BINARY, after_mode=0o755),
        Change("run.sh", b"#!/bin/sh\n", b"#!/bin/sh\n", before_mode=0o644, after_mode=0o755),
        Move("src/crlf.txt", "moved.txt", plan_move(rig, "src/crlf.txt", "moved.txt").base_hash),
        *plan_removal(rig, "src/deep", is_recursive=True),
        FolderChange("empty", is_made=True),
    ]
    return add_parent_folders(rig, steps)


def after(folder: Path) -> Tree:
    commit_all(workspace(folder), call(), everything(workspace(folder)))
    return tree(folder)


def undo(rig: Workspace, snapshots: Sequence[Snapshot]) -> UndoPlan:
    plan = plan_undo(rig, snapshots)
    commit_all(rig, call(), plan.steps)
    return plan


def test_a_unit_does_everything_and_undo_brings_everything_back(project: Path) -> None:
    before = tree(project)
    committed = commit_all(workspace(project), call(), everything(workspace(project)))
    assert (project / "a.txt").read_bytes() == b"new\n"
    assert (project / "new/inner/b.bin").read_bytes() == BINARY
    assert stat.S_IMODE((project / "run.sh").stat().st_mode) == 0o755
    assert (project / "moved.txt").read_bytes() == CRLF
    assert not (project / "src/deep").exists()
    assert (project / "empty").is_dir()
    changed = tree(project)
    rig = workspace(project)
    plan = undo(rig, list(standing_changes(rig)))
    assert not plan.refused
    assert len(plan.steps) == len(committed)
    assert tree(project) == before
    redo = plan_undo(rig, [change for change in rig.snapshots.newest_first() if change.undoes])
    commit_all(rig, call(), redo.steps)
    assert tree(project) == changed, "an undo can be undone"
    assert leftovers(project) == []


def test_every_step_of_a_unit_may_be_the_last(tmp_path: Path) -> None:
    """Killed before or after any change to the disk: once settled, all of it is done or none."""
    outcomes = set()
    expected = (tree(make_project(tmp_path / "before")), after(make_project(tmp_path / "after")))
    for number, is_done in itertools.product(range(1, 500), (False, True)):
        case = make_project(tmp_path / f"case {number} {is_done}")
        steps = everything(workspace(case))
        try:
            commit_all(workspace(case, number, Died(), is_done=is_done), call(), steps)
        except Died:
            settle(workspace(case))
            settle(workspace(case))
        else:
            break
        result = tree(case)
        assert result in expected, (number, is_done)
        is_new = result == expected[1]
        outcomes.add(is_new)
        assert leftovers(case) == []
        assert not (case / AGENT_FOLDER / "intent.json").exists()
        assert not (case / AGENT_FOLDER / "staged").exists()
        assert len(list((case / AGENT_FOLDER / "snapshots").glob("*.meta.json"))) == (len(steps) if is_new else 0)
    assert outcomes == {True, False}
    assert number > 30


def test_every_step_of_a_unit_may_fail(tmp_path: Path) -> None:
    before = tree(make_project(tmp_path / "before"))
    for number in itertools.count(1):
        case = make_project(tmp_path / f"case {number}")
        try:
            commit_all(workspace(case, number, InputOutput("The disk is full.")), call(), everything(workspace(case)))
        except InputOutput:
            settle(workspace(case))
            assert tree(case) == before, number
            assert snapshots(case) == {}
        else:
            if (case / "empty").exists() and not (case / AGENT_FOLDER / "intent.json").exists():
                break
            settle(workspace(case))
            assert (case / "empty").is_dir()
    assert number > 20


@pytest.mark.parametrize("path", ["a.txt", "run.sh", "src/crlf.txt", "src/deep/picture.bin"])
def test_an_edit_since_it_was_shown_stops_the_whole_unit(project: Path, path: str) -> None:
    steps = everything(workspace(project))
    (project / path).write_bytes(b"by hand\n")
    before = tree(project)
    with pytest.raises(Conflict):
        commit_all(workspace(project), call(), steps)
    assert tree(project) == before


def test_an_edit_in_the_last_moment_stops_the_unit_and_stays(project: Path) -> None:
    """The editor saves after all checks and before its file's turn: the steps before it are reverted."""
    rig = workspace(project)
    steps = everything(rig)
    before = tree(project)
    adopted = rig.files.adopt

    def racing(*args: object, **kwargs: object) -> None:
        (project / "src/deep/picture.bin").write_bytes(b"saved")
        adopted(*args, **kwargs)  # type: ignore[arg-type]

    object.__setattr__(rig, "files", _Racing(rig.files, racing))
    with pytest.raises(Conflict):
        commit_all(rig, call(), steps)
    expected = {**before, "src/deep/picture.bin": ("file", 0o644, b"saved")}
    assert tree(project) == expected


class _Racing:
    def __init__(self, files: object, adopt: object) -> None:
        self._files = files
        self.adopt = adopt

    def __getattr__(self, name: str) -> object:
        return getattr(self._files, name)


def test_undoing_a_task_names_files_changed_since_and_undoes_the_rest(project: Path) -> None:
    rig = workspace(project)
    commit_all(rig, call("task-1"), [Change("a.txt", b"old\n", b"one\n"), Change("run.sh", b"#!/bin/sh\n", b"x\n")])
    commit_all(rig, call("task-1"), [Change("a.txt", b"one\n", b"two\n")])
    commit_all(rig, call("task-2"), [Change("src/crlf.txt", CRLF, b"other task\n")])
    (project / "run.sh").write_bytes(b"by hand\n")
    plan = undo(rig, [snapshot for snapshot in standing_changes(rig) if snapshot.task == "task-1"])
    assert [refused.path for refused in plan.refused] == ["run.sh"]
    assert (project / "a.txt").read_bytes() == b"old\n"
    assert (project / "run.sh").read_bytes() == b"by hand\n"
    assert (project / "src/crlf.txt").read_bytes() == b"other task\n"
    assert [snapshot.task for snapshot in standing_changes(rig)] == ["task-2", "task-1"], "the refused one still stands"


def test_a_file_written_moved_and_written_again_comes_back_as_it_was(project: Path) -> None:
    before = tree(project)
    rig = workspace(project)
    commit_all(rig, call("t"), [Change("src/deep/picture.bin", BINARY, b"1")])
    commit_all(rig, call("t"), [plan_move(rig, "src", "lib")])
    commit_all(rig, call("t"), [Change("lib/deep/picture.bin", b"1", b"2")])
    plan = undo(rig, [change for change in standing_changes(rig) if change.task == "t"])
    assert not plan.refused
    assert tree(project) == before


def test_a_made_folder_with_somebody_elses_file_stays(project: Path) -> None:
    rig = workspace(project)
    commit_all(rig, call("t"), add_parent_folders(rig, [Change("new/a.txt", None, b"x")]))
    (project / "new/mine.txt").write_text("mine")
    plan = undo(rig, list(standing_changes(rig)))
    assert [refused.path for refused in plan.refused] == ["new"]
    assert tree(project)["new/mine.txt"][2] == b"mine"
    assert not (project / "new/a.txt").exists()


def test_links_and_closed_names_stop_a_move_or_a_removal(project: Path) -> None:
    (project / "src/deep/link").symlink_to("/etc/passwd")
    rig = workspace(project)
    with pytest.raises(Conflict):
        plan_removal(rig, "src", is_recursive=True)
    with pytest.raises(Conflict):
        plan_move(rig, "src", "lib")
    with pytest.raises(OutsideRoot):
        plan_removal(rig, "src/deep/link", is_recursive=True)
    with pytest.raises(Failure):
        read_current(rig, "src/deep/link")
    assert os.readlink(project / "src/deep/link") == "/etc/passwd"


def test_a_name_that_becomes_a_link_in_the_last_moment_is_not_followed(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "picture.bin").write_bytes(BINARY)
    rig = workspace(project)
    steps = plan_removal(rig, "src/deep/picture.bin", is_recursive=False)
    (project / "src/deep").rename(project / "src/aside")
    (project / "src/deep").symlink_to(outside)
    with pytest.raises(Failure):
        commit_all(rig, call(), steps)
    assert (outside / "picture.bin").read_bytes() == BINARY


def test_a_move_never_overwrites_a_file(project: Path) -> None:
    rig = workspace(project)
    planned = plan_move(rig, "a.txt", "b.txt")
    (project / "b.txt").write_bytes(b"mine")
    with pytest.raises(Conflict, match=r"b\.txt has changed"):
        commit_all(rig, call(), [planned])
    assert (project / "b.txt").read_bytes() == b"mine"
    assert (project / "a.txt").read_bytes() == b"old\n"


def test_the_set_uid_bit_is_never_set(project: Path) -> None:
    rig = workspace(project)
    commit_all(rig, call(), [Change("tool", None, b"x", after_mode=0o755)])
    commit_all(rig, call(), [Change("tool", b"x", b"y", before_mode=0o755, after_mode=0o6755)])
    assert stat.S_IMODE((project / "tool").stat().st_mode) == 0o755


def test_the_diff_shows_each_file_once(project: Path) -> None:
    diff = diff_of(everything(workspace(project)))
    assert "-old\n+new\n" in diff
    assert 'Binary file "new/inner/b.bin": none → 256 bytes' in diff
    assert '"run.sh": new mode 755' in diff
    assert 'rename from "src/crlf.txt"\nrename to "moved.txt"' in diff
    assert 'deleted folder "src/deep"' in diff
