"""A file that a rule closes can't be read another way: not through activity, evidence, events or other projects."""

import asyncio
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from handrail.features.history.showing import program_filter
from handrail.kernel.approval import PresetAnswer
from handrail.kernel.call import Call
from handrail.kernel.recorder import Recorder
from handrail.ports.identity import Caller
from handrail.wiring import Wiring
from tests.credentials import bearer
from tests.e2e.console_person import up
from tests.faces.http.running import Running
from tests.persons import Person
from tests.wire.clients import Refused, Stdio, run

SECRET = "the secret of the rig"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("read-rules")
    for name in ("project", "other"):
        (folder / name).mkdir()
    state = folder / "state"
    write(folder / "project", state, "secret/plan.txt", SECRET)
    write(folder / "project", state, "open.txt", "for everybody")
    write(folder / "other", state, "elsewhere.txt", SECRET)
    rule = '[[rules]]\ntool = "read_file"\npath = "secret/**"\ndecision = "deny"\n'
    with (state / "config.toml").open("a") as config:
        config.write(rule)
    with up(folder / "project", state) as running:
        yield running


def write(project: Path, state: Path, path: str, content: str) -> None:
    """With one of the person's own commands."""
    for dry in (True, False):
        params = json.dumps({"path": path, "content": content, "dryRun": dry})
        result = run("call", "write_to_file", params, "--answer", "allow", "--project", project, "--state", state)
        assert result.returncode == 0, result.stderr


def records(rig: Running, headers: dict[str, str]) -> list[dict[str, Any]]:
    answer = rig.request("GET", "/api/activity?limit=200", headers=headers)
    assert answer.status == 200, answer
    result: list[dict[str, Any]] = answer.json["data"]["records"]
    return result


def targets(found: list[dict[str, Any]]) -> set[str]:
    return {str(record["target"]) for record in found if "target" in record}


def test_activity_shows_a_program_only_what_it_may_read_in_this_project(rig: Running) -> None:
    assert targets(records(rig, rig.server_bearer)) == {"open.txt"}
    assert targets(records(rig, rig.sign_in())) == {"open.txt", "secret/plan.txt", "elsewhere.txt"}


def test_evidence_of_what_a_rule_denies_is_shown_to_people_only(rig: Running) -> None:
    person = rig.sign_in()
    (execution,) = {
        record["executionId"] for record in records(rig, person) if record.get("target") == "secret/plan.txt"
        if "evidence" in record
    }  # fmt: skip
    for name in ("diff.patch", "request.json"):
        refusal = rig.request("GET", f"/api/evidence/{execution}/{name}", headers=rig.server_bearer)
        assert refusal.status == 403
        assert SECRET.encode() not in refusal.body
        assert SECRET.encode() in rig.request("GET", f"/api/evidence/{execution}/{name}", headers=person).body


def test_an_agent_sees_what_it_did_itself_and_nothing_of_other_agents(rig: Running) -> None:
    """Evidence has pictures of pages and windows that only one agent may use."""
    curious = bearer(rig.state, "nosy")
    others = [each for each in records(rig, rig.server_bearer) if "evidence" in each]
    assert others
    for record in others:
        for name in record["evidence"]["sha256"]:
            assert rig.request("GET", f"/api/evidence/{record['executionId']}/{name}", headers=curious).status == 403
    assert records(rig, curious) == []
    assert rig.request("POST", "/api/tools/list_files", headers=curious, json={"path": "."}).status == 200
    assert targets(records(rig, curious)) == {"."}


def test_a_rule_about_a_folder_outside_the_project_covers_its_evidence(tmp_path: Path) -> None:
    """A client's own tools also change files elsewhere."""
    outside = tmp_path / "outside" / "plan.txt"
    (tmp_path / "state").mkdir()
    rule = f'[[rules]]\ntool = "read_file"\npath = "{outside.parent}/**"\ndecision = "deny"\n'
    (tmp_path / "state" / "config.toml").write_text(rule)
    (tmp_path / "project").mkdir()
    project = Wiring().open_project(tmp_path / "project", tmp_path / "state", PresetAnswer("allow"))
    try:
        shows = program_filter(project)
        about = {"tool": "native_edit", "project": project.location}
        assert [shows({**about, "target": target}) for target in (str(outside), f"{tmp_path}/else.txt", "a.txt")] == [
            False,
            True,
            True,
        ]
    finally:
        project.close()


def tool(rig: Running, name: str, **params: Any) -> tuple[int, str]:
    answer = rig.request("POST", f"/api/tools/{name}", headers=bearer(rig.state), json=params)
    return answer.status, answer.body.decode()


def test_no_other_tool_shows_an_agent_what_read_file_must_not_read(rig: Running) -> None:
    """The rule names only read_file; searches, listings and snapshots follow it."""
    assert tool(rig, "read_file", path="secret/plan.txt")[0] == 403
    status, found = tool(rig, "search_files", path=".", regex="secret of the rig|for everybody")
    assert (status, "open.txt" in found, SECRET in found) == (200, True, False)
    assert tool(rig, "search_files", path="secret/plan.txt", regex="secret")[0] == 403
    listing = tool(rig, "list_files", path=".", globs=["**/*"])[1]
    assert ("plan.txt" in listing, "1 entry is closed and not listed." in json.loads(listing)["notes"]) == (False, True)
    write(rig.project, rig.state, "secret/plan.txt", "another plan")  # a person's own: the old content is kept
    snapshots = [json.loads(file.read_text()) for file in rig.project.glob(".webgal_agent/snapshots/*.meta.json")]
    (kept,) = (each["id"] for each in snapshots if each["path"] == "secret/plan.txt" and not each.get("wasAbsent"))
    status, restored = tool(rig, "restore_snapshot", snapshotId=kept)
    assert (status, SECRET in restored) == (403, False)
    write(rig.project, rig.state, "secret/plan.txt", SECRET)


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_a_dry_run_shows_no_line_of_a_file_that_may_not_be_read(rig: Running, mode: str) -> None:
    status, said = tool(rig, "write_to_file", path="secret/plan.txt", content="new\n", dryRun=True, mode=mode)
    assert (status, SECRET in said, "not shown here" in said) == (200, False, True)
    status, said = tool(rig, "write_to_file", path="open.txt", content="new\n", dryRun=True, mode=mode)
    assert (status, "for everybody" in said or mode == "append", "notes" in said) == (200, True, False)


def test_a_conflict_about_a_closed_file_does_not_reveal_its_hash(rig: Running) -> None:
    params = {"path": "secret/plan.txt", "content": "another\n"}
    assert tool(rig, "write_to_file", dryRun=True, **params)[0] == 200
    file = rig.project / "secret" / "plan.txt"
    file.write_text("changed meanwhile")
    status, said = tool(rig, "write_to_file", dryRun=False, **params)
    assert (status, "Hash" in said) == (409, False), said
    file.write_text(SECRET)


@pytest.mark.parametrize("guess", ["the secret", "the secres", "/^the [a-s]/g"])
def test_replace_in_file_does_not_reveal_whether_a_closed_file_contains_a_text(rig: Running, guess: str) -> None:
    """A count of 0 without a question would reveal the content, guess by guess."""
    status, said = tool(rig, "replace_in_file", path="secret/plan.txt", find=guess, replace="x")
    assert (status, '"count"' in said) == (403, False), said


def test_a_secret_file_that_may_only_be_written_shows_nothing(rig: Running) -> None:
    (rig.project / ".env").write_text(f"KEY={SECRET}\n")
    with (rig.state / "config.toml").open("a") as config:
        config.write('[[rules]]\ntool = "write_to_file"\npath = ".env"\ndecision = "allow"\n')
    status, said = tool(rig, "write_to_file", path=".env", content="KEY=new\n", dryRun=True)
    assert (status, SECRET in said, "not shown here" in said) == (200, False, True), said
    assert tool(rig, "read_file", path=".env")[0] == 403


def test_an_agents_client_is_not_shown_the_diff_of_a_closed_file(tmp_path: Path) -> None:
    """With `elicit_approvals`, questions also go to the client, but this one goes only to people."""
    project, state = tmp_path / "project", tmp_path / "state"
    write_file(project / "secret.txt", SECRET)
    rule = '[[rules]]\ntool = "read_file"\npath = "secret.txt"\ndecision = "deny"\n'
    write_file(state / "config.toml", f"elicit_approvals = true\n{rule}")
    agent = Stdio(project, state, answer="ask", hello={"capabilities": {"elicitation": {}}})
    try:
        params = {"path": "secret.txt", "content": "new\n"}
        agent.call("write_to_file", {**params, "dryRun": True})
        arguments = {"name": "write_to_file", "arguments": {**params, "dryRun": False}}
        agent.send({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": arguments})
        person = Person(state)
        assert SECRET in json.dumps(person.sees())
        person.answers("--cancel")
        received = []
        while (message := agent.receive()).get("id") != 99:
            received.append(message)
        assert not [each for each in received if each.get("method") == "elicitation/create"]
    finally:
        agent.close()


def write_file(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_project_resources_follow_the_rule_too(rig: Running) -> None:
    scenes = {"game/scene/start.txt": "A:for everybody;\n", "game/scene/hidden.txt": f"A:{SECRET};\n"}
    for path, text in scenes.items():
        file = rig.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    rule = '[[rules]]\ntool = "read_file"\npath = "game/scene/hidden.txt"\ndecision = "deny"\n'
    with (rig.state / "config.toml").open("a") as config:
        config.write(rule)
    agent = Stdio(rig.project, rig.state)
    try:
        listing = agent.request("resources/list", {})["resources"]
        (shown,) = (each["uri"] for each in listing if each["uri"].endswith("start.txt"))
        assert "for everybody" in json.dumps(agent.request("resources/read", {"uri": shown}))
        assert not [each for each in listing if each["uri"].endswith("hidden.txt")]
        with pytest.raises(Refused):
            agent.request("resources/read", {"uri": shown.replace("start.txt", "hidden.txt")})
    finally:
        agent.close()


def test_a_report_is_for_people(rig: Running) -> None:
    for headers in (bearer(rig.state), None):
        assert rig.request("GET", "/api/report/all", headers=headers).status in (401, 403)


def socket(rig: Running, auth: dict[str, str]) -> Any:
    address = f"ws://127.0.0.1:{rig.port}/socket.io/?EIO=4&transport=websocket"
    wire = connect(address, origin=None, proxy=None, legacy=True)
    wire.recv(timeout=30)
    wire.send(f"40/mimo,{json.dumps(auth)}")
    assert str(wire.recv(timeout=30)).startswith("40/mimo,"), "it was not let in"
    return wire


def test_events_show_a_program_only_what_it_may_read_in_this_project(rig: Running) -> None:
    def work() -> None:
        write(rig.project.with_name("other"), rig.state, "elsewhere-2.txt", SECRET)
        write(rig.project, rig.state, "secret/second.txt", SECRET)
        write(rig.project, rig.state, "last.txt", "for everybody")

    with socket(rig, rig.frontend) as wire, ThreadPoolExecutor(1) as person:
        working = person.submit(work)
        heard = ""
        while "last.txt" not in heard:
            output = str(wire.recv(timeout=60))
            if output == "2":
                wire.send("3")
            heard += output
        working.result()
    assert "secret/second.txt" not in heard
    assert "elsewhere-2.txt" not in heard


def test_an_agent_sees_and_answers_no_question_but_its_own(rig: Running) -> None:
    """Questions show other agents' diffs, even of files closed to it, and targets in other projects."""
    curious = bearer(rig.state, "curious")
    write_file(rig.project / "secret" / "asked.txt", SECRET)
    params = {"path": "secret/asked.txt", "content": "new"}
    assert rig.call("write_to_file", {**params, "dryRun": True}).status == 200
    auth = {"token": curious["authorization"].removeprefix("Bearer "), "clientType": "frontend"}
    with socket(rig, auth) as wire, ThreadPoolExecutor(1) as victim:
        calling = victim.submit(rig.call, "write_to_file", {**params, "dryRun": False})
        question = Person(rig.state).sees()
        assert SECRET in question["prompt"]["diff"]
        assert rig.request("GET", "/api/prompts", headers=curious).json["data"]["entries"] == []
        Person(rig.state).answers("--cancel")
        assert calling.result().status == 403
        posted = {"prompt": {"kind": "result", "title": "done"}}
        theirs = rig.request("POST", "/api/prompts", json=posted).json["data"]["requestId"]
        own = rig.request("POST", "/api/prompts", headers=curious, json=posted).json["data"]["requestId"]
        write(rig.project, rig.state, "unheard.txt", "another's")
        assert rig.request("POST", "/api/tools/list_files", headers=curious, json={"path": "game"}).status == 200
        heard = ""
        while '"target":"game"' not in heard:
            heard += str(wire.recv(timeout=60))
    assert SECRET not in heard
    assert "unheard.txt" not in heard
    listing = rig.request("GET", "/api/prompts", headers=curious).json["data"]["entries"]
    assert [entry["requestId"] for entry in listing] == [own]
    answer = {"response": {"status": "ok"}}
    answers = [rig.request("POST", f"/api/prompts/{id}/response", headers=curious, json=answer) for id in (theirs, own)]
    assert [each.status for each in answers] == [403, 200]


def test_rules_of_all_projects_and_agents_are_shown_to_people_only(rig: Running) -> None:
    assert rig.request("GET", "/api/rules").status == 403
    assert rig.request("GET", "/api/rules", headers=rig.sign_in()).status == 200


@pytest.mark.parametrize(
    "message", ['{"a": 1, "a": 2}', '{"n": NaN}', '{"n": 9007199254740993}', '"\\ud800"', "[" * 600 + "]" * 600, "{"]
)
def test_a_message_that_the_decoder_refuses_is_answered(rig: Running, message: str) -> None:
    with socket(rig, {"token": rig.token, "clientType": "frontend"}) as wire:
        wire.send(f'42/mimo,7["user_message",{message}]')
        while not (output := str(wire.recv(timeout=30))).startswith("43/mimo,7"):
            pass
    (answer,) = json.loads(output.removeprefix("43/mimo,7"))
    assert (answer["ok"], answer["error"]["code"]) == (False, "BAD_REQUEST")
    assert answer["error"]["message"]


@pytest.mark.parametrize("name", ["user_messag\\u0065", "user message", "\\ud800", "x" * 900])
def test_a_refused_message_is_answered_however_its_event_is_spelled(rig: Running, name: str) -> None:
    with socket(rig, {"token": rig.token, "clientType": "frontend"}) as wire:
        wire.send(f'42/mimo,7["{name}",{{"a": 1, "a": 2}}]')
        while not (output := str(wire.recv(timeout=30))).startswith("43/mimo,7"):
            pass
    (answer,) = json.loads(output.removeprefix("43/mimo,7"))
    assert (answer["ok"], answer["error"]["code"]) == (False, "BAD_REQUEST")


def test_a_report_overwrites_nothing_but_reports(rig: Running, tmp_path: Path) -> None:
    mine = tmp_path / "thesis.html"
    mine.write_text("<p>three years of work</p>")
    place = ("--project", rig.project, "--state", rig.state)
    refusal = run("report", "--all", "-o", mine, *place)
    assert (refusal.returncode, mine.read_text()) == (1, "<p>three years of work</p>")
    assert "--force" in refusal.stderr
    link = tmp_path / "link.html"
    link.symlink_to(mine)
    assert run("report", "--all", "-o", link, *place).returncode == 1
    report = tmp_path / "report.html"
    for _ in range(2):
        assert run("report", "--all", "-o", report, *place).returncode == 0
    assert run("report", "--all", "-o", mine, "--force", *place).returncode == 0
    assert "three years" not in mine.read_text()


def test_evidence_is_on_disk_before_the_call_acts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks what was synced when the gate starts the call."""
    synced: dict[str, bytes] = {}
    real = os.fsync

    def noted(descriptor: int) -> None:
        real(descriptor)
        name = os.readlink(f"/proc/self/fd/{descriptor}")
        if Path(name).is_file():
            synced[name] = Path(name).read_bytes()

    begun: list[dict[str, bytes]] = []
    begin = Recorder.begin

    async def watched(self: Recorder, *given: Any) -> None:
        await begin(self, *given)
        begun.append(dict(synced))

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Recorder, "begin", watched)
    (tmp_path / "project").mkdir()
    project = Wiring().open_project(tmp_path / "project", tmp_path / "state", PresetAnswer("allow"))
    caller = Caller("mcp", "agent", "uid:0", "test:1")

    async def work() -> None:
        for dry in (True, False):
            await project.gate.run(Call("write_to_file", {"path": "a.txt", "content": "x\n", "dryRun": dry}, caller))

    asyncio.run(work())
    project.close()
    (on_disk,) = begun
    (request,) = (json.loads(data) for name, data in on_disk.items() if name.endswith("/request.json"))
    assert request["params"]["content"] == "x\n"
    assert "+x" in request["diff"]
