"""What a call with an effect leaves behind: evidence, and a line in the audit that can be verified."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.wire.clients import Client, Start, run
from tests.wire.stage import SCENE, START, Stage


def exhibits(project: Path) -> list[Path]:
    return sorted((project / ".handrail/artifacts/workspace").glob("????-??-??/exec_*"))


@pytest.mark.also_cli
def test_a_write_leaves_its_request_its_diff_and_its_result(client: Client, project: Path) -> None:
    outcome = client.write(START, SCENE.replace("beach", "city"))
    (exhibit,) = exhibits(project)
    assert sorted(file.name for file in exhibit.iterdir()) == ["diff.patch", "request.json", "result.json"]
    request = json.loads((exhibit / "request.json").read_text())
    assert request["tool"] == "write_to_file"
    assert request["executionId"] == exhibit.name
    assert request["params"]["path"] == START
    assert request["params"]["dryRun"] is False
    assert "city" in request["params"]["content"]
    result = json.loads((exhibit / "result.json").read_text())
    assert result["ok"] is True
    assert result["result"] == outcome


def test_the_diff_of_the_evidence_is_a_patch_that_applies(client: Client, project: Path, tmp_path: Path) -> None:
    client.write(START, SCENE.replace("beach", "city").removesuffix("\n"))
    (exhibit,) = exhibits(project)
    copy = tmp_path / "start.txt"
    copy.write_text(SCENE)
    subprocess.run(["patch", "-s", copy, exhibit / "diff.patch"], check=True)
    assert copy.read_bytes() == (project / START).read_bytes()


def test_a_replacement_leaves_evidence_like_a_write(client: Client, project: Path) -> None:
    client.ok("replace_in_file", path=START, find="beach", replace="city")
    (exhibit,) = exhibits(project)
    assert "+changeBg:city.jpg;" in (exhibit / "diff.patch").read_text()


def test_reads_and_early_refusals_leave_no_evidence(client: Client, project: Path) -> None:
    client.ok("read_file", path=START)
    client.ok("write_to_file", path=START, content="x", dryRun=True)
    client.error("write_to_file", path=START, content="y", dryRun=False)
    assert exhibits(project) == []


def test_artifacts_are_kept_out_of_git(start: Start, own_project: Path, own_state: Path) -> None:
    start("cli", own_project, own_state, answer="allow").ok("replace_in_file", path=START, find="a", replace="b")
    assert (own_project / ".handrail/.gitignore").read_text() == "artifacts/\n"


def test_evidence_never_passes_a_link(client: Client, project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / ".handrail").mkdir()
    (project / ".handrail/artifacts").symlink_to(outside)
    assert client.code("replace_in_file", path=START, find="beach", replace="city") == "E_DENY_PATH"
    assert list(outside.iterdir()) == []
    assert (project / START).read_text() == SCENE


def test_the_audit_of_everything_that_happened_can_be_verified(stage: Stage, project: Path) -> None:
    for face in ("stdio", "streamable", "api", "cli"):
        client = stage.client(face)
        client.write(f"{face}.txt", "x\n")
        client.error("read_file", path="nowhere")
    verified = run("audit", "verify", "--json", "--state", stage.state)
    data = json.loads(verified.stdout)
    assert data["count"] >= 4 * 4
    # Each test starts with an empty project, so only the evidence of earlier tests is missing.
    assert all("artifacts/" in fault or "more files of evidence" in fault for fault in data["faults"]), data
    assert "line" not in data


def test_a_flipped_bit_in_the_audit_is_found(start: Start, own_project: Path, own_state: Path) -> None:
    start("cli", own_project, own_state, answer="allow").write(START, "x\n")
    assert run("audit", "verify", "--state", own_state).returncode == 0
    log = own_state / "audit/log.jsonl"
    data = bytearray(log.read_bytes())
    data[data.index(b"write_to_file")] ^= 1
    log.write_bytes(data)
    verified = run("audit", "verify", "--state", own_state)
    assert verified.returncode == 1
    assert "line" in verified.stderr
