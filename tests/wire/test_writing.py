"""write_to_file with `dryRun: false`: contract 3 §0.4, §1.3, §8."""

import hashlib
import json
import re
import stat
import threading
from pathlib import Path

import pytest

from tests.wire.clients import Client, Outcome, Start
from tests.wire.stage import SCENE, START, Stage, put, put_policy

SNAPSHOT_ID = re.compile(r"snap_[0-9]{8}T[0-9]{6}_[0-9a-f]{8}")
NEW = "一切都变了;\n"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.also_cli
def test_a_write_after_its_dry_run_is_applied_and_gives_a_snapshot(client: Client, project: Path) -> None:
    client.ok("write_to_file", path=START, content=NEW, dryRun=True)
    result = client.ok("write_to_file", path=START, content=NEW, dryRun=False)
    assert result["applied"] is True
    assert SNAPSHOT_ID.fullmatch(result["snapshotId"])
    assert result["bytesWritten"] == len(NEW.encode())
    assert (project / START).read_bytes() == NEW.encode()


@pytest.mark.also_cli
def test_a_write_without_a_dry_run_violates_the_policy(client: Client, project: Path) -> None:
    error = client.error("write_to_file", path=START, content=NEW, dryRun=False)
    assert error["code"] == "E_POLICY_VIOLATION"
    assert "dryRun: true" in error["hint"]
    assert (project / START).read_text() == SCENE
    assert client.ok("list_snapshots")["snapshots"] == []


@pytest.mark.parametrize(
    "other", [{"content": NEW + "!"}, {"mode": "append"}, {"path": "game/config.txt"}, {"path": "GAME/scene/start.txt"}]
)
def test_a_dry_run_of_another_path_mode_or_content_does_not_count(
    client: Client, project: Path, other: dict[str, str]
) -> None:
    client.ok("write_to_file", path=START, content=NEW, dryRun=True)
    params = {"path": START, "content": NEW, "dryRun": False} | other
    assert client.call("write_to_file", params).code == "E_POLICY_VIOLATION"
    assert (project / START).read_text() == SCENE


def test_defaults_and_spellings_are_settled_before_dry_run_and_write_are_compared(
    client: Client, project: Path
) -> None:
    client.ok("write_to_file", path=f"./{START}", content=NEW, dryRun=True)
    client.ok("write_to_file", path=START, content=NEW, mode="overwrite", dryRun=False)
    assert (project / START).read_text() == NEW


def test_one_dry_run_allows_one_write(client: Client, project: Path) -> None:
    client.write(START, NEW)
    put(project, START, SCENE)
    assert client.code("write_to_file", path=START, content=NEW, dryRun=False) == "E_POLICY_VIOLATION"
    assert (project / START).read_text() == SCENE


@pytest.mark.also_cli
def test_a_file_that_changed_since_its_dry_run_is_a_conflict(client: Client, project: Path) -> None:
    client.ok("write_to_file", path=START, content=NEW, dryRun=True)
    put(project, START, "somebody else's;\n")
    error = client.error("write_to_file", path=START, content=NEW, dryRun=False)
    assert error["code"] == "E_CONFLICT"
    assert error["details"] == {
        "path": START,
        "expectedHash": sha256(SCENE),
        "currentHash": sha256("somebody else's;\n"),
    }
    assert error["recoverable"] is True
    assert (project / START).read_text() == "somebody else's;\n"


def test_a_file_created_or_deleted_since_its_dry_run_is_a_conflict(client: Client, project: Path) -> None:
    client.ok("write_to_file", path="new.txt", content=NEW, dryRun=True)
    put(project, "new.txt", "")
    error = client.error("write_to_file", path="new.txt", content=NEW, dryRun=False)
    assert error["code"] == "E_CONFLICT"
    assert error["details"]["currentHash"] == sha256("")
    assert error["details"]["expectedHash"] != sha256(""), "a missing file is not an empty one"

    client.ok("write_to_file", path=START, content=NEW, dryRun=True)
    (project / START).unlink()
    error = client.error("write_to_file", path=START, content=NEW, dryRun=False)
    assert error["code"] == "E_CONFLICT"
    assert error["details"]["expectedHash"] == sha256(SCENE)
    assert not (project / START).exists()


def test_a_conflict_is_over_after_a_new_dry_run(client: Client, project: Path) -> None:
    client.ok("write_to_file", path=START, content=NEW, dryRun=True)
    put(project, START, "somebody else's;\n")
    assert client.code("write_to_file", path=START, content=NEW, dryRun=False) == "E_CONFLICT"
    client.write(START, NEW)
    assert (project / START).read_text() == NEW


@pytest.mark.parametrize(("looker", "writer"), [("stdio", "api"), ("api", "stdio"), ("cli", "streamable")])
def test_dry_runs_are_shared_by_all_processes_and_callers(
    stage: Stage, project: Path, looker: str, writer: str
) -> None:
    stage.client(looker).ok("write_to_file", path=START, content=NEW, dryRun=True)
    stage.client(writer).ok("write_to_file", path=START, content=NEW, dryRun=False)
    assert (project / START).read_text() == NEW


def test_a_dry_run_outlives_the_process_that_made_it(start: Start, own_project: Path, own_state: Path) -> None:
    start("cli", own_project, own_state).ok("write_to_file", path=START, content=NEW, dryRun=True)
    start("cli", own_project, own_state, answer="allow").ok("write_to_file", path=START, content=NEW, dryRun=False)
    assert (own_project / START).read_text() == NEW


def test_a_dry_run_is_kept_for_a_day(client: Client, project: Path) -> None:
    hour = 3600
    for age, code in ((23.9 * hour, None), (24.1 * hour, "E_POLICY_VIOLATION")):
        client.ok("write_to_file", path=START, content=NEW, dryRun=True)
        (record,) = (project / ".webgal_agent/dry_runs").iterdir()
        data = json.loads(record.read_text())
        record.write_text(json.dumps({**data, "created": data["created"] - age}))
        assert client.call("write_to_file", {"path": START, "content": NEW, "dryRun": False}).code == code


def test_only_one_of_two_processes_can_use_a_dry_run(stage: Stage, project: Path) -> None:
    for attempt in range(10):
        content = f"attempt {attempt}\n"
        stage.client("stdio").ok("write_to_file", path=START, content=content, dryRun=True)
        outcomes: list[Outcome] = []
        together = threading.Barrier(2)

        def write(
            face: str,
            content: str = content,
            outcomes: list[Outcome] = outcomes,
            together: threading.Barrier = together,
        ) -> None:
            client = stage.client(face)
            together.wait()
            outcomes.append(client.call("write_to_file", {"path": START, "content": content, "dryRun": False}))

        threads = [threading.Thread(target=write, args=[face]) for face in ("stdio", "api")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        codes = [outcome.code for outcome in outcomes]
        assert codes.count(None) == 1, codes
        assert set(codes) <= {None, "E_POLICY_VIOLATION", "E_CONFLICT"}
        assert (project / START).read_text() == content
    assert len(stage.client("stdio").ok("list_snapshots")["snapshots"]) == 10


def test_missing_folders_are_made(client: Client, project: Path) -> None:
    client.write("game/scene/chapter 2/一/start.txt", NEW)
    assert (project / "game/scene/chapter 2/一/start.txt").read_text() == NEW


def test_appending_adds_to_the_end_and_counts_the_added_bytes(client: Client, project: Path) -> None:
    assert client.write(START, NEW, mode="append")["bytesWritten"] == len(NEW.encode())
    assert (project / START).read_text() == SCENE + NEW
    client.write("new.txt", NEW, mode="append")
    assert (project / "new.txt").read_text() == NEW


@pytest.mark.parametrize(
    "content", ["", "a\r\nb\r\n", "no last newline", "\ufeffBOM\n", "a\0b", "lone\r", "🎮\u2028\n"]
)
def test_content_arrives_byte_for_byte(client: Client, project: Path, content: str) -> None:
    assert client.write(START, content)["bytesWritten"] == len(content.encode())
    assert (project / START).read_bytes() == content.encode()


def test_the_files_mode_survives_a_write(client: Client, project: Path) -> None:
    (project / START).chmod(0o640)
    client.write(START, NEW)
    assert stat.S_IMODE((project / START).stat().st_mode) == 0o640


@pytest.mark.parametrize("path", ["notes.md/below.txt", "game/scene"])
def test_a_write_that_can_not_happen_changes_nothing(client: Client, project: Path, path: str) -> None:
    client.call("write_to_file", {"path": path, "content": NEW, "dryRun": True})
    assert client.code("write_to_file", path=path, content=NEW, dryRun=False) == "E_IO"
    assert client.ok("list_snapshots")["snapshots"] == []
    assert (project / "notes.md").read_text() == "# Notes\n"
    assert (project / START).read_text() == SCENE


def test_a_write_may_change_at_most_the_lines_that_the_policy_allows(client: Client, project: Path) -> None:
    put_policy(project, batchMaxLines=3)
    put(project, "lines.txt", "1\n2\n3\n4\n5\n")
    four = "a\nb\n3\nc\nd\n"
    client.ok("write_to_file", path="lines.txt", content=four, dryRun=True)
    error = client.error("write_to_file", path="lines.txt", content=four, dryRun=False)
    assert error["code"] == "E_POLICY_VIOLATION"
    assert error["details"]["batchMaxLines"] == 3
    assert error["details"]["changedLines"] == 4
    assert (project / "lines.txt").read_text() == "1\n2\n3\n4\n5\n"
    client.write("lines.txt", "a\nb\n3\nc\n5\n")
    assert client.code("replace_in_file", path="lines.txt", find="(?m)^.", replace="!") == "E_POLICY_VIOLATION"


def test_undo_data_is_not_part_of_the_projects_git_history(client: Client, project: Path) -> None:
    client.write(START, NEW)
    assert (project / ".webgal_agent/.gitignore").read_text() == "*\n"
