"""What a write through the running program leaves: evidence whose hashes are in the audit, and an undo."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.servers import audit_records, serving, snapshots
from tests.wire.clients import run
from tests.wire.stage import SCENE, START

NEW = SCENE.replace("beach", "city")


@pytest.fixture
def written_project(project: Path, state: Path) -> Path:
    with serving(project, state) as server:
        server.write(START, NEW, idempotencyKey="k")
        server.ok("read_file", path=START)
        server.error("write_to_file", path=START, content="never dry run", dryRun=False)
    return project


def test_the_evidence_matches_the_audit(written_project: Path, state: Path) -> None:
    begin, end = (record for record in audit_records(state) if "evidence" in record)
    folder = written_project / ".handrail" / end["evidence"]["dir"]
    hashes = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    assert sorted(hashes) == ["diff.patch", "request.json", "result.json"]
    assert end["evidence"]["sha256"] == hashes
    assert begin["evidence"]["sha256"] == {"request.json": hashes["request.json"]}
    request, result = (json.loads((folder / f"{name}.json").read_bytes()) for name in ("request", "result"))
    assert request["executionId"] == folder.name == begin["executionId"] == end["executionId"]
    assert request["params"]["content"] == NEW
    assert result["ok"] is True
    assert result["result"]["snapshotId"] in snapshots(written_project)


def test_applying_the_diff_to_the_snapshot_gives_the_written_content(
    written_project: Path, state: Path, tmp_path: Path
) -> None:
    ((_, before),) = snapshots(written_project).values()
    (patch,) = written_project.glob(".handrail/artifacts/*/*/*/diff.patch")
    old = tmp_path / "old.txt"
    old.write_bytes(before)
    subprocess.run(["patch", "--quiet", str(old), str(patch)], check=True)
    assert old.read_text() == (written_project / START).read_text() == NEW


def test_every_call_has_its_line_and_only_changes_have_evidence(written_project: Path, state: Path) -> None:
    records = audit_records(state)
    assert [(record["tool"], record["event"], record.get("ok")) for record in records] == [
        ("write_to_file", "end", True),
        ("write_to_file", "begin", None),
        ("write_to_file", "end", True),
        ("read_file", "end", True),
        ("write_to_file", "end", False),
    ]
    assert [record["effect"] for record in records] == ["READ", "WRITE", "WRITE", "READ", "WRITE"]
    assert records[2]["answer"] == {"status": "ok", "by": "--answer allow"}
    assert len({record["executionId"] for record in records}) == 4


def test_records_contain_no_file_content(written_project: Path, state: Path) -> None:
    log = (state / "audit/log.jsonl").read_text()
    assert "changeBg" not in log
    assert "never dry run" not in log


def test_a_changed_piece_of_evidence_no_longer_fits(written_project: Path, state: Path) -> None:
    (patch,) = written_project.glob(".handrail/artifacts/*/*/*/diff.patch")
    end = next(record for record in audit_records(state) if record["event"] == "end" and "evidence" in record)
    patch.write_bytes(patch.read_bytes() + b" ")
    result = run("audit", "verify", "--state", state)
    assert (result.returncode, "diff.patch was changed" in result.stderr) == (1, True)
    assert end["evidence"]["sha256"]["diff.patch"] != hashlib.sha256(patch.read_bytes()).hexdigest()


def test_a_write_can_be_undone_and_the_undo_is_recorded(written_project: Path, state: Path) -> None:
    place: list[str | Path] = ["--project", written_project, "--state", state]
    undone = run("undo", *place, "--answer", "allow")
    assert undone.returncode == 0, undone.stderr
    assert (written_project / START).read_text() == SCENE
    history = json.loads(run("history", "--json", *place).stdout)["history"]
    assert [(entry["tool"], entry["status"]) for entry in history][:1] == [("undo_write", "done")]
    assert history[-1]["undone"] is True
    assert len(audit_records(state)) == 7
