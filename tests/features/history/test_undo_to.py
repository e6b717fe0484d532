"""`handrail undo --to`: back to a point in time; what others have changed since stays and is named."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.wire.clients import Cli, run
from tests.wire.stage import furnish, put


@pytest.fixture
def client(tmp_path: Path) -> Cli:
    return Cli(furnish(tmp_path / "project"), tmp_path / "state", answer="allow")


def undo(tmp_path: Path, *words: str) -> "tuple[int, str]":
    result = run("undo", *words, "--project", str(tmp_path / "project"), "--state", str(tmp_path / "state"))
    return result.returncode, str(result.stdout) + str(result.stderr)


def moment() -> str:
    """Snapshots know milliseconds, and each call is a process that takes many of them."""
    return datetime.now(UTC).isoformat()


def test_all_that_was_changed_since_is_undone_and_later_changes_by_others_stay(client: Cli, tmp_path: Path) -> None:
    project = tmp_path / "project"
    client.ok("edit_file", path="notes.md", edits=[{"oldText": "Notes", "newText": "Before"}])
    then = moment()
    client.ok("edit_file", path="notes.md", edits=[{"oldText": "Before", "newText": "After"}])
    client.ok("write_files", files=[{"path": "new/a.md", "content": "a"}, {"path": "mine.md", "content": "b"}])
    client.ok("move_path", path="game/config.txt", to="config.txt")
    put(project, "mine.md", "by a person")

    status, printed = undo(tmp_path, "--to", then)
    assert status != 0, "without a terminal nobody can say yes to the diff"
    assert "-# After" in printed
    assert (project / "notes.md").read_text() == "# After\n"

    status, printed = undo(tmp_path, "--to", then, "--answer", "allow", "--json")
    assert status == 0, printed
    result = json.loads(printed)
    assert [each["path"] for each in result["refused"]] == ["mine.md"]
    assert (project / "notes.md").read_text() == "# Before\n"
    assert (project / "game/config.txt").exists()
    assert not (project / "new").exists()
    assert (project / "mine.md").read_text() == "by a person"

    status, printed = undo(tmp_path, "--to", then, "--answer", "allow")
    assert status != 0
    assert "mine.md" in printed


def test_changes_that_were_undone_since_are_made_again(client: Cli, tmp_path: Path) -> None:
    project = tmp_path / "project"
    client.ok("edit_file", path="notes.md", edits=[{"oldText": "Notes", "newText": "Kept"}])
    client.ok("move_path", path="game/config.txt", to="moved/config.txt")
    then = moment()
    client.ok("write_files", files=[{"path": "later.md", "content": "a"}])
    for _ in range(3):
        assert undo(tmp_path)[0] == 0
    assert (project / "notes.md").read_text() == "# Notes\n"
    assert (project / "game/config.txt").exists()

    status, printed = undo(tmp_path, "--to", then, "--answer", "allow")
    assert status == 0, printed
    assert (project / "notes.md").read_text() == "# Kept\n"
    assert (project / "moved/config.txt").exists()
    assert not (project / "game/config.txt").exists()
    assert not (project / "later.md").exists()

    status, printed = undo(tmp_path, printed.rpartition("handrail undo ")[2].strip(), "--answer", "allow")
    assert status == 0, printed
    assert (project / "notes.md").read_text() == "# Notes\n"
    assert (project / "game/config.txt").exists()


@pytest.mark.trial("files", is_long=True)
def test_a_file_whose_older_snapshots_are_deleted_is_named(client: Cli, tmp_path: Path) -> None:
    """By default 20 snapshots are kept of each file."""
    then = moment()
    files = [[{"path": "notes.md", "content": f"{number}\n"}] for number in range(21)]
    for each in files:
        client.ok("write_files", files=each)
    status, printed = undo(tmp_path, "--to", then, "--answer", "allow")
    assert status == 0, printed
    assert "notes.md: older changes are no longer kept" in printed
    assert (tmp_path / "project/notes.md").read_text() == "0\n"


@pytest.mark.parametrize("wrong", ["yesterday", "25:00", "2026-13-01", "m"])
def test_an_invalid_time_is_refused(tmp_path: Path, wrong: str) -> None:
    furnish(tmp_path / "project")
    status, printed = undo(tmp_path, "--to", wrong, "--answer", "allow")
    assert status == 2
    assert "is not a time" in printed
