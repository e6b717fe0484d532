"""One server for every project of a state directory: approvals, evidence, history and undo work from it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handrail.stores.local.trust import TrustFile
from tests.faces.http.running import Running
from tests.waiting import until


@pytest.fixture
def other(tmp_path: Path) -> Path:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    (folder / "b.txt").write_text("one\n")
    return folder


@pytest.fixture
def rig(state: Path, project: Path) -> Iterator[Running]:
    flags = ["--project", str(project), "--state", str(state), "--port", "0", "--no-open"]
    with Running(state, project, command=["handrail", "up", *flags]) as running:
        yield running


def command(rig: Running, folder: Path, content: str, answer: str, path: str = "a.txt") -> list[str]:
    value = json.dumps({"path": path, "content": content, "dryRun": False})
    places = ["--project", str(folder), "--state", str(rig.state)]
    return [sys.executable, "-m", "handrail", "call", "write_to_file", value, *places, "--answer", answer]


def write(rig: Running, folder: Path, content: str, path: str = "a.txt") -> None:
    value = json.dumps({"path": path, "content": content, "dryRun": True})
    places = ["--project", str(folder), "--state", str(rig.state)]
    dry = [sys.executable, "-m", "handrail", "call", "write_to_file", value, *places]
    subprocess.run(dry, check=True, timeout=60, capture_output=True)
    subprocess.run(command(rig, folder, content, "allow", path), check=True, timeout=60, capture_output=True)


def newest(rig: Running, person: dict[str, str]) -> Any:
    return rig.request("GET", "/api/activity?limit=1", headers=person).json["data"]["records"][0]


def test_evidence_of_every_project_is_shown_to_a_person_and_to_no_program(rig: Running, other: Path) -> None:
    person = rig.sign_in()
    write(rig, other, "two\n")
    record = newest(rig, person)
    assert record["project"] == str(other)
    path = f"/api/evidence/{record['executionId']}/diff.patch"
    answer = rig.request("GET", path, headers=person)
    assert answer.status == 200, answer
    assert b"+two" in answer.body
    assert rig.request("GET", path).status == 404


def test_a_change_in_another_project_is_undone_where_it_was_made(rig: Running, other: Path) -> None:
    person = rig.sign_in()
    write(rig, other, "two\n")
    record = newest(rig, person)
    answer = rig.request("POST", "/api/undo", headers=person, json={"id": record["executionId"]})
    assert answer.status == 200, answer
    assert (other / "a.txt").read_text() == "one\n"
    assert newest(rig, person)["project"] == str(other)


def test_all_changes_to_one_file_are_undone_and_no_other(rig: Running, other: Path) -> None:
    person = rig.sign_in()
    write(rig, other, "two\n")
    write(rig, other, "three\n")
    write(rig, other, "two\n", path="b.txt")
    body = {"path": "a.txt", "project": str(other)}
    answer = rig.request("POST", "/api/undo", headers=person, json=body)
    assert answer.status == 200, answer
    assert (other / "a.txt").read_text() == "one\n"
    assert (other / "b.txt").read_text() == "two\n"


def test_the_projects_that_used_this_state_directory_are_known(rig: Running, other: Path) -> None:
    person = rig.sign_in()
    write(rig, other, "two\n")
    listing = rig.request("GET", "/api/projects", headers=person).json["data"]["projects"]
    own, found = listing
    assert (own["path"], own["isOwn"]) == (str(rig.project), True)
    assert (found["path"], found["name"], found["isOwn"]) == (str(other), "other", False)
    assert rig.request("GET", "/api/projects").code == "FORBIDDEN"


def test_a_folder_that_no_record_names_is_not_opened(rig: Running, tmp_path: Path) -> None:
    person = rig.sign_in()
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    body = {"path": "a.txt", "project": str(stranger)}
    assert rig.request("POST", "/api/undo", headers=person, json=body).code == "NOT_FOUND"
    assert not (stranger / ".handrail").exists()


def test_a_question_says_which_project_it_is_about_and_counts_its_files(rig: Running, other: Path) -> None:
    person = rig.sign_in()
    write(rig, other, "first\n")
    value = json.dumps({"path": "a.txt", "content": "two\n", "dryRun": True})
    places = ["--project", str(other), "--state", str(rig.state)]
    dry = [sys.executable, "-m", "handrail", "call", "write_to_file", value, *places]
    subprocess.run(dry, check=True, timeout=60, capture_output=True)
    asking = subprocess.Popen(command(rig, other, "two\n", "ask"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:

        def pending() -> Any:
            return rig.request("GET", "/api/prompts?state=pending", headers=person).json["data"]["entries"]

        (entry,) = until(pending)
        assert entry["prompt"]["card"]["project"] == str(other)
        always = next(offer for offer in entry["prompt"]["offers"] if offer["scope"] == "rule")
        wish = {"scope": "rule", "grant": {**always["grant"], "path": "*.txt"}}
        path = f"/api/prompts/{entry['requestId']}/grant"
        preview = rig.request("POST", path, headers=person, json=wish).json["data"]
        assert (preview["files"]["count"], sorted(preview["files"]["names"])) == (2, ["a.txt", "b.txt"])
    finally:
        asking.kill()
        asking.communicate()


def test_tasks_of_every_project_are_listed_the_newest_first(rig: Running, other: Path) -> None:
    person = rig.sign_in()
    rig.call("list_files", {"path": "."}, x_task_id="task-1")
    rig.call("read_file", {"path": "no.txt"}, x_task_id="task-1")
    denied = ["make_folder", '{"path": "new"}', "--answer", "deny", "--task", "task-1", "--state", str(rig.state)]
    subprocess.run([sys.executable, "-m", "handrail", "call", *denied], cwd=rig.project, capture_output=True)
    write(rig, other, "two\n")
    listing = rig.request("GET", "/api/history", headers=person).json["data"]["tasks"]
    assert [(each["project"], each.get("task")) for each in listing][-1] == (str(rig.project), "task-1")
    assert {name: listing[-1][name] for name in ("calls", "failed", "denied", "unanswered", "unknown", "running")} == {
        "calls": 3,
        "failed": 1,
        "denied": 1,
        "unanswered": 0,
        "unknown": 0,
        "running": 0,
    }
    assert {each["project"] for each in listing[:-1]} == {str(other)}
    assert sum(each["changes"] for each in listing[:-1]) >= 1
    only = rig.request("GET", f"/api/history?project={rig.project}", headers=person).json["data"]["tasks"]
    assert [each.get("task") for each in only] == ["task-1"]
    assert rig.request("GET", "/api/history").code == "FORBIDDEN"


def test_what_a_page_of_the_console_reads_is_recorded_but_is_no_task_of_the_person(rig: Running) -> None:
    person = rig.sign_in()
    rig.request("GET", "/api/desktop/doctor", headers=person)
    record = newest(rig, person)
    assert (record["tool"], record["isStatus"]) == ("desktop_doctor", True)
    assert rig.request("GET", "/api/history", headers=person).json["data"]["tasks"] == []
    rig.request("POST", "/api/tools/desktop_doctor", headers=person, json={})
    assert "isStatus" not in newest(rig, person)
    (own,) = rig.request("GET", "/api/history", headers=person).json["data"]["tasks"]
    assert own["calls"] == 1


def test_a_rule_says_how_often_it_was_used_and_comes_back_if_its_removal_was_a_mistake(
    rig: Running, other: Path
) -> None:
    person = rig.sign_in()
    rule = 'presence = "never"\n\n[[rules]]\ntool = "write_to_file"\npath = "a.txt"\ndecision = "allow"\n'
    (rig.state / "config.toml").write_text(rule)
    write(rig, other, "two\n")

    def rules() -> Any:
        return rig.request("GET", "/api/rules", headers=person).json["data"]["rules"]

    [entry] = rules()
    assert entry["used"] == 2, "the dry run and the write"
    assert entry["lastUsed"]
    path = f"/api/rules/{entry['id']}"
    assert rig.request("POST", f"{path}/restore", headers=person, json={}).code == "NOT_FOUND"
    assert rig.request("DELETE", path, headers=person).status == 200
    assert rules() == []
    assert rig.request("POST", f"{path}/restore").code == "FORBIDDEN"
    assert rig.request("POST", f"{path}/restore", headers=person, json={}).status == 200
    assert [each["id"] for each in rules()] == [entry["id"]]
    assert rig.request("POST", f"{path}/restore", headers=person, json={}).code == "NOT_FOUND"

    def decided(**call: str) -> Any:
        answer = rig.request("POST", "/api/policy/test", headers=person, json={"tool": "write_to_file", **call})
        return answer.json["data"]["decision"], answer.json["data"]["because"]

    assert decided(path="a.txt") == ("allow", f"user rule {entry['id']}")
    assert decided(path="b.txt") == ("ask", "default")
    assert rig.request("POST", "/api/policy/test", json={"tool": "write_to_file"}).code == "FORBIDDEN"


def test_trusted_policies_of_every_project_are_listed_and_their_trust_comes_back(rig: Running, other: Path) -> None:
    person = rig.sign_in()
    (rig.state / "config.toml").write_text('presence = "never"\n')
    policy = other / ".handrail" / "policy.json"
    policy.parent.mkdir()
    rule = {"decision": "allow", "tool": "write_to_file"}
    policy.write_text(json.dumps({"contractVersion": "1.0.0", "rules": [rule]}))
    TrustFile(rig.state).add(policy.read_bytes(), str(policy))
    write(rig, other, "two\n")

    def trusted() -> Any:
        return rig.request("GET", "/api/policy/trusted", headers=person).json["data"]["trusted"]

    [entry] = trusted()
    assert (entry["path"], entry["project"]) == (str(policy), str(other))
    assert entry["used"] == 2, "the dry run and the write"
    path = f"/api/policy/trusted/{entry['hash']}"
    assert rig.request("GET", "/api/policy/trusted").code == "FORBIDDEN"
    assert rig.request("DELETE", path).code == "FORBIDDEN"
    assert rig.request("DELETE", path, headers=person).status == 200
    assert trusted() == []
    assert rig.request("DELETE", path, headers=person).code == "NOT_FOUND"
    assert rig.request("POST", f"{path}/restore", headers=person, json={}).status == 200
    assert [each["hash"] for each in trusted()] == [entry["hash"]]


def test_an_agents_token_comes_back_if_its_revocation_was_a_mistake(rig: Running) -> None:
    person, bearer = rig.sign_in(), rig.bearer

    def access() -> Any:
        return rig.request("GET", "/api/access", headers=person).json["data"]

    [agent] = access()["agents"]
    rig.call("list_files", {"path": "."})

    def uses() -> Any:
        return rig.request("GET", "/api/rules", headers=person).json["data"]["uses"].get(agent["identity"], {})

    until(lambda: uses().get("used") == 1)
    path = f"/api/access/agents/{agent['id']}"
    assert rig.request("POST", f"{path}/restore", headers=person, json={}).code == "NOT_FOUND"
    rig.request("DELETE", path, headers=person)
    assert rig.request("GET", "/api/tools", headers=bearer).status == 401
    refused = rig.request("POST", f"{path}/restore", headers=person, json={})
    assert refused.json["error"]["details"]["context"]["reason"] == "presence"
    (rig.state / "config.toml").write_text('presence = "never"\n')
    assert rig.request("POST", f"{path}/restore", headers=person, json={}).status == 200
    assert rig.request("GET", "/api/tools", headers=bearer).status == 200
    assert access()["agents"][0]["id"] == agent["id"]
    assert "hash" not in json.dumps(access()).lower()
