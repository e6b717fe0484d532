"""What was done, its evidence, and how it is undone, as the console gets it."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handrail.kernel.audit import Audit
from handrail.wiring import Wiring
from tests.faces.http.listener import listening
from tests.faces.http.running import Answer, Running


def up(state: Path, project: Path) -> Running:
    flags = ["--project", str(project), "--state", str(state), "--port", "0", "--no-open", "--answer", "allow"]
    return Running(state, project, command=["handrail", "up", *flags])


@pytest.fixture
def rig(state: Path, project: Path) -> Iterator[Running]:
    (project / "a.txt").write_text("one\n")
    with up(state, project) as running:
        yield running


def write(rig: Running, path: str, content: str) -> Any:
    expected = {"path": path, "content": content}
    assert rig.call("write_to_file", {**expected, "dryRun": True}).status == 200
    answer = rig.call("write_to_file", {**expected, "dryRun": False})
    assert answer.status == 200, answer
    return answer.json["data"]


def records(rig: Running, query: str = "") -> Any:
    return rig.request("GET", f"/api/activity{query}", headers=rig.server_bearer).json["data"]


def newest(rig: Running) -> Any:
    return records(rig, "?limit=1")["records"][0]


def evidence(rig: Running, execution: str, file: str) -> Answer:
    return rig.request("GET", f"/api/evidence/{execution}/{file}", headers=rig.server_bearer)


def undo(rig: Running, id: str, headers: dict[str, str]) -> Answer:
    return rig.request("POST", "/api/undo", headers=headers, json={"id": id})


def test_the_records_come_newest_first_page_by_page(rig: Running) -> None:
    assert records(rig) == {"records": []}
    for number in range(5):
        rig.call("read_file", {"path": "a.txt"}, x_task_id=f"task-{number}")
    page = records(rig, "?limit=2")
    assert [record["task"] for record in page["records"]] == ["task-4", "task-3"]
    assert {record["outcome"] for record in page["records"]} == {"done"}
    assert page["next"] == 4
    page = records(rig, f"?limit=2&before={page['next']}")
    assert [record["task"] for record in page["records"]] == ["task-2", "task-1"]
    page = records(rig, f"?limit=2&before={page['next']}")
    assert [record["task"] for record in page["records"]] == ["task-0"]
    assert "next" not in page
    assert records(rig, "?limit=5").keys() == {"records"}


def test_a_page_that_comes_when_no_other_is_left_misses_nothing_that_is_done_after_it_came(rig: Running) -> None:
    async def run() -> None:
        headers = await asyncio.to_thread(rig.sign_in)
        for number in range(4):
            async with listening(rig, headers=headers, transports=["websocket"]) as page:
                await asyncio.to_thread(rig.call, "read_file", {"path": "a.txt"}, x_task_id=f"task-{number}")
                records = list[Any]()
                while not (own := [record["outcome"] for record in records if record["task"] == f"task-{number}"]):
                    records = (await page.next("activity"))["records"]  # may contain an earlier call
                assert own == ["done"]
            await asyncio.to_thread(rig.call, "read_file", {"path": "a.txt"}, x_task_id="unseen")

    asyncio.run(run())


def test_the_records_of_one_task_or_of_one_call_are_found_among_all(rig: Running) -> None:
    for number in range(4):
        rig.call("read_file", {"path": "a.txt"}, x_task_id=f"task-{number % 2}")
    page = records(rig, "?task=task-1&limit=1")
    assert [record["task"] for record in page["records"]] == ["task-1"]
    rest = records(rig, f"?task=task-1&before={page['next']}")
    assert [record["task"] for record in rest["records"]] == ["task-1"]
    assert "next" not in rest
    execution = rest["records"][0]["executionId"]
    assert records(rig, f"?execution={execution}")["records"] == rest["records"]
    assert records(rig, "?task=nobody's")["records"] == []


def test_a_person_can_download_a_tasks_report(rig: Running) -> None:
    cookie = rig.sign_in()
    rig.call("read_file", {"path": "a.txt"}, x_task_id="task-1")
    answer = rig.request("GET", "/api/report/task-1", headers=cookie)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["content-disposition"] == 'attachment; filename="handrail-task-1.html"'
    assert b"read_file" in answer.body
    assert rig.request("GET", "/api/report/task-2", headers=cookie).code == "NOT_FOUND"
    assert rig.request("GET", "/api/report/task-1").code == "FORBIDDEN"


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "limit=-1", "before=x", "before=1.5", "limit="])
def test_a_page_that_makes_no_sense_is_a_bad_request_that_names_the_field(query: str, server: Running) -> None:
    answer = server.request("GET", f"/api/activity?{query}")
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert answer.json["error"]["details"]["fieldErrors"][0]["field"] == query.partition("=")[0]


def test_evidence_is_served_so_that_it_cannot_run_scripts(rig: Running) -> None:
    write(rig, "a.txt", "<script>alert(1)</script>\n")
    answer = evidence(rig, newest(rig)["executionId"], "diff.patch")
    assert answer.status == 200
    assert b"+<script>alert(1)</script>" in answer.body
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    assert set(newest(rig)["evidence"]["sha256"]) == {"request.json", "diff.patch", "result.json"}


def test_only_what_the_audit_names_is_evidence(rig: Running) -> None:
    write(rig, "a.txt", "two\n")
    record = newest(rig)
    execution = record["executionId"]
    folder = rig.project / ".handrail" / record["evidence"]["dir"]
    (folder / "planted.txt").write_text("planted")
    (rig.project / ".handrail" / "policy.json").write_text("{}")
    for file in ("planted.txt", "..%2f..%2f..%2f..%2fpolicy.json", "..", ".", "no.txt", "%00", "diff.patch%2f"):
        answer = evidence(rig, execution, file)
        assert (answer.status, answer.code) == (404, "NOT_FOUND"), file
    for other in ("exec_" + "0" * 24, "..", "%2e%2e"):
        assert evidence(rig, other, "diff.patch").status == 404


def test_evidence_that_was_changed_is_not_shown_as_such(rig: Running, tmp_path: Path) -> None:
    write(rig, "a.txt", "two\n")
    record = newest(rig)
    file = rig.project / ".handrail" / record["evidence"]["dir"] / "diff.patch"
    file.write_text("nothing happened\n")
    answer = evidence(rig, record["executionId"], "diff.patch")
    assert (answer.status, answer.code) == (409, "CONFLICT")

    secret = tmp_path / "secret"
    secret.write_text("secret")
    file.unlink()
    file.symlink_to(secret)
    assert evidence(rig, record["executionId"], "diff.patch").status == 403
    file.unlink()
    assert evidence(rig, record["executionId"], "diff.patch").status == 404


def test_evidence_of_another_project_is_not_served(rig: Running) -> None:
    audit = Audit(Wiring().open_stores(rig.state).audit)
    claimed = {"dir": ".", "sha256": {"policy.json": "0" * 64}}
    audit.append({"event": "end", "executionId": "exec_1", "project": "/elsewhere", "evidence": claimed}, durable=True)
    audit.close()
    data = rig.request("GET", "/api/activity?limit=1", headers=rig.sign_in()).json["data"]["records"]
    assert data[0]["executionId"] == "exec_1"
    assert evidence(rig, "exec_1", "policy.json").status == 404


def test_a_person_undoes_a_write_in_the_console(rig: Running) -> None:
    console = rig.sign_in()
    snapshot = write(rig, "a.txt", "two\n")["snapshotId"]
    written = newest(rig)["executionId"]
    answer = undo(rig, snapshot, console)
    assert answer.status == 200, answer
    assert answer.json["data"]["undone"] == snapshot
    assert (rig.project / "a.txt").read_text() == "one\n"
    record = newest(rig)
    assert (record["tool"], record["caller"].partition(":")[0]) == ("undo_write", "console")
    assert record["answer"] == {"status": "ok", "by": "own command"}
    assert record["undoes"] == written

    write(rig, "b.txt", "new\n")
    assert undo(rig, newest(rig)["executionId"], console).json["data"]["removed"] is True
    assert not (rig.project / "b.txt").exists()


def test_an_undo_that_would_lose_later_work_is_a_conflict(rig: Running) -> None:
    snapshot = write(rig, "a.txt", "two\n")["snapshotId"]
    (rig.project / "a.txt").write_text("a person's edit\n")
    answer = undo(rig, snapshot, rig.sign_in())
    assert (answer.status, answer.code) == (409, "CONFLICT")
    assert (rig.project / "a.txt").read_text() == "a person's edit\n"


def test_the_token_undoes_nothing(rig: Running) -> None:
    snapshot = write(rig, "a.txt", "two\n")["snapshotId"]
    for headers in (rig.bearer, {**rig.sign_in(), **rig.bearer}):
        answer = undo(rig, snapshot, headers)
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert rig.call("undo_write", {"id": snapshot}).status == 404
    assert (rig.project / "a.txt").read_text() == "two\n"


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 400), ({"id": 7}, 400), ({"id": ""}, 400), ({"id": "nonsense"}, 400), ({"id": "x", "all": True}, 400),
     ({"id": "exec_" + "0" * 24}, 404), ([], 400)],
)  # fmt: skip
def test_an_undo_of_nothing_is_refused(body: Any, status: int, rig: Running) -> None:
    assert rig.request("POST", "/api/undo", headers=rig.sign_in(), json=body).status == status


def test_the_effective_policy_is_returned_as_data(rig: Running) -> None:
    rule = {"tool": "read_file", "path": "secret/**", "decision": "deny"}
    (rig.project / ".handrail").mkdir(exist_ok=True)
    (rig.project / ".handrail/policy.json").write_text(json.dumps({"rules": [rule]}))
    policy = rig.request("GET", "/api/policy").json["data"]
    assert (policy["exists"], policy["trusted"]) == (True, False)
    assert policy["rules"] == [{**rule, "from": "project rule, not trusted"}]
    assert policy["defaults"]["WRITE"] == "ask"
    assert policy["policies"]["writeRequiresDiff"] is True


def test_the_doctor_looks_at_the_machine_that_serves(rig: Running) -> None:
    data = rig.request("GET", "/api/doctor").json["data"]
    checks = {check["name"]: check for check in data["checks"]}
    assert data["ok"] is True
    assert f"process {rig.process.pid}" in checks["handrail up"]["detail"]
    assert str(rig.project) in checks["project"]["detail"]
    assert rig.token not in json.dumps(data)
