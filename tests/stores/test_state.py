"""The state directory: found, created, migrated, or refused with a clear message."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.ports.errors import Conflict, Damaged, InputOutput
from handrail.ports.state_folder import state_path
from handrail.stores.local import locks
from handrail.stores.local.migration import NewerState
from handrail.stores.local.state import STEPS, open_state
from tests.stores.processes import finish, release_together, start


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("value", "environ", "expected"),
    [
        ("/given", {"HANDRAIL_STATE": "/named"}, "/given"),
        (None, {"HANDRAIL_STATE": "/named", "XDG_STATE_HOME": "/xdg"}, "/named"),
        (None, {"HANDRAIL_STATE": "", "XDG_STATE_HOME": "/xdg"}, "/xdg/handrail"),
        (None, {"XDG_STATE_HOME": "relative", "HOME": "/home/ada"}, "/home/ada/.local/state/handrail"),
        (None, {"HOME": "/home/ada"}, "/home/ada/.local/state/handrail"),
        ("rel", {}, os.path.abspath("rel")),
    ],
)
def test_it_is_found_by_flag_then_variable_then_custom(
    value: str | None, environ: dict[str, str], expected: str
) -> None:
    assert state_path(Path(value) if value else None, environ) == Path(expected)


def test_a_new_state_directory_is_private_and_has_the_current_format(tmp_path: Path) -> None:
    state = open_state(tmp_path / "deep" / "state")
    assert state.path == tmp_path / "deep" / "state"
    assert _mode(state.path) == 0o700
    assert (state.path / "format").read_text() == f"{len(STEPS)}\n"
    assert _mode(state.path / "format") == 0o600


def test_an_empty_folder_is_a_new_one(tmp_path: Path) -> None:
    assert (open_state(tmp_path).path / "format").read_text() == "1\n"


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    open_state(tmp_path)
    before = (tmp_path / "format").stat().st_mtime_ns
    open_state(tmp_path)
    assert (tmp_path / "format").stat().st_mtime_ns == before


def test_format_0_is_migrated_to_1_and_closed_to_others(tmp_path: Path) -> None:
    """Format 0: content without a `format`; files have the mode of the user's umask."""
    (tmp_path / "audit").mkdir(mode=0o755)
    ours = [tmp_path / "ui-prompts.jsonl", tmp_path / "audit" / "log.jsonl", tmp_path / "config.toml"]
    foreign = tmp_path / "notes.txt"
    for file in (*ours, foreign):
        file.write_text("content\n")
        file.chmod(0o644)
    open_state(tmp_path)
    assert (tmp_path / "format").read_text() == "1\n"
    assert [_mode(file) for file in ours] == [0o600] * 3
    assert _mode(tmp_path / "audit") == 0o700
    assert _mode(foreign) == 0o644
    assert {file.read_text() for file in (*ours, foreign)} == {"content\n"}


def test_migration_follows_no_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "file").write_text("x")
    (outside / "file").chmod(0o644)
    state = tmp_path / "state"
    (state / "audit").mkdir(parents=True)
    (state / "uploads").symlink_to(outside)
    (state / "audit" / "log.jsonl").symlink_to(outside / "file")
    (state / "audit" / "folder").symlink_to(outside)
    open_state(state)
    assert (_mode(outside), _mode(outside / "file")) == (0o755, 0o644)


def test_steps_run_in_order_and_each_is_remembered(tmp_path: Path) -> None:
    steps: list[str] = []
    open_state(tmp_path, steps=[_noting(steps, "1")])
    assert steps == []  # a new one needs no step
    open_state(tmp_path, steps=[_noting(steps, name) for name in "123"])
    assert steps == ["2", "3"]
    assert (tmp_path / "format").read_text() == "3\n"


def _noting(steps: list[str], name: str) -> Callable[[Path], None]:
    return lambda path: steps.append(name)


def test_a_failed_step_is_repeated_without_the_steps_before_it(tmp_path: Path) -> None:
    (tmp_path / "config.toml").touch()
    steps: list[str] = []

    def fail(path: Path) -> None:
        raise OSError("no room")

    with pytest.raises(InputOutput):
        open_state(tmp_path, steps=[_noting(steps, "1"), fail])
    assert (tmp_path / "format").read_text() == "1\n"
    open_state(tmp_path, steps=[_noting(steps, "1"), _noting(steps, "2")])
    assert steps == ["1", "2"]


def test_state_of_a_newer_handrail_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "format").write_text("2\n")
    with pytest.raises(NewerState) as stop:
        open_state(tmp_path)
    assert "newer handrail wrote it" in (stop.value.hint or "")
    assert stop.value.details == {"format": 2, "known": 1}
    assert (tmp_path / "format").read_text() == "2\n"


@pytest.mark.parametrize("content", ["", "one\n", "-1", "1 2", "1\n\n", "0x1", "9" * 50, "１\n"])
def test_a_format_that_is_none_of_ours_is_a_clear_stop(tmp_path: Path, content: str) -> None:
    (tmp_path / "format").write_text(content)
    with pytest.raises(Damaged) as stop:
        open_state(tmp_path)
    assert "--state" in (stop.value.hint or "")
    assert (tmp_path / "format").read_text() == content


def test_a_path_that_is_not_a_folder_is_refused_clearly(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputOutput) as stop:
            open_state(path)
        assert stop.value.hint == "Name a folder, not a file."


def test_a_migration_that_never_ends_is_not_waited_for_without_end(tmp_path: Path) -> None:
    with locks.exclusive(tmp_path / "format.lock"), pytest.raises(Conflict):
        open_state(tmp_path, patience=0.0)


_OPENER = """
import sys
from pathlib import Path
from handrail.stores.local.state import open_state
print("ready", flush=True)
sys.stdin.readline()
def step(path):
    with open(path / "steps", "a") as file: file.write("step\\n")
state = open_state(Path(sys.argv[1]), steps=[step, step])
print((state.path / "format").read_text(), end="")
"""


@pytest.mark.trial("files", is_long=True)
@pytest.mark.parametrize("has_content", [True, False])
def test_many_processes_may_open_it_at_once(tmp_path: Path, has_content: bool) -> None:
    state = tmp_path / "state"
    if has_content:
        state.mkdir()
        (state / "config.toml").touch()
    openers = [start(_OPENER, state) for _ in range(8)]
    release_together(openers)
    assert {finish(opener) for opener in openers} == {"2\n"}
    steps = state / "steps"
    assert (steps.read_text() if steps.exists() else "") == ("step\nstep\n" if has_content else "")


def test_its_files_are_created_at_first_use(tmp_path: Path) -> None:
    state = open_state(tmp_path)
    journal = state.journal("audit")
    assert sorted(os.listdir(tmp_path)) == ["format", "format.lock"]
    with journal.lock(is_durable=False) as lock:
        lock.append(b"x")
        lock.set_mark(b"m")
    with state.database.reading():
        pass
    assert sorted(os.listdir(tmp_path / "audit")) == ["head", "log.jsonl"]
    assert (tmp_path / "handrail.db").exists()
    journal.close()
    state.close()
