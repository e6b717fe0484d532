"""Two servers of a team behave as one: what is asked at one is approved at the other, and revoked at both."""

import threading
from typing import Any

import httpx2 as httpx
import pytest
import socketio

from handrail.ports.team import Role
from tests.features.team.servers import Agent, PendingCall, Person, Team, edit, prompt_about, result_of
from tests.waiting import PATIENCE


def approvers(team: Team, name: str) -> list[Person]:
    """One at each server."""
    servers = enumerate(team.servers)
    return [Person(server.url, team.token(f"{name}-{number}", "approver")) for number, server in servers]


def text_of(answer: dict[str, Any]) -> str:
    return str(answer["content"][0]["text"])


def test_an_agent_reads_at_any_server_and_keeps_no_session(shared: Team) -> None:
    agent = Agent(shared.token("reader", "agent"))
    for server in shared.servers:
        assert agent.call(server.url, "read_file", path="README.md")["structuredContent"]["content"] == "hello\n"
    answer = agent.post(shared.servers[0].url, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert answer.status_code == 200
    assert "mcp-session-id" not in answer.headers
    assert {"read_file", "replace_in_file"} <= {tool["name"] for tool in result_of(answer)["tools"]}


def test_a_question_at_one_server_can_be_approved_at_another(shared: Team) -> None:
    agent, first, second = Agent(shared.token("writer", "agent")), *shared.servers
    ada = Person(first.url, shared.token("ada", "approver")).at(second.url)
    pending_call = edit(shared, agent, "approved.txt")
    answer = ada.answer(prompt_about(ada, "approved.txt"))
    assert answer.json() == {"ok": True, "data": {"warnings": []}}
    assert not pending_call.wait().get("isError")
    assert (shared.project / "approved.txt").read_text() == "new\n"


def test_a_denial_reaches_the_agent_with_its_reason(shared: Team) -> None:
    agent, bo = Agent(shared.token("denied", "agent")), Person(shared.servers[1].url, shared.token("bo", "approver"))
    pending_call = edit(shared, agent, "denied.txt")
    bo.answer(prompt_about(bo, "denied.txt"), status="canceled", remark="Not today.")
    result = pending_call.wait()
    assert result["isError"]
    assert "Not today." in text_of(result)
    assert (shared.project / "denied.txt").read_text() == "old\n"


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_members_without_the_right_to_approve_are_refused_and_the_question_stays(shared: Team, role: Any) -> None:
    agent, name = Agent(shared.token(f"asks-{role}", "agent")), f"role-{role}.txt"
    cy = Person(shared.servers[1].url, shared.token(f"cy-{role}", role))
    dee = Person(shared.servers[0].url, shared.token(f"dee-{role}", "approver"))
    pending_call = edit(shared, agent, name)
    request_id = prompt_about(dee, name)
    assert cy.answer(request_id).status_code == 403
    assert pending_call.is_waiting
    assert dee.answer(request_id).status_code == 200
    assert not pending_call.wait().get("isError")


def test_an_approver_approves_within_its_limits_only(shared: Team) -> None:
    agent = Agent(shared.token("limited", "agent"))
    wrong = Person(shared.servers[0].url, shared.token("limits-tool", "approver", tools=("run_*",)))
    token = shared.token("limits-right", "approver", effects=("write", "WRITE"), tools=("replace_*",))
    right = Person(shared.servers[1].url, token)
    pending_call = edit(shared, agent, "limits.txt")
    request_id = prompt_about(right, "limits.txt")
    refusal = wrong.answer(request_id)
    assert (refusal.status_code, pending_call.is_waiting) == (403, True)
    assert "tool=run_*" in refusal.text
    assert right.answer(request_id).status_code == 200, right.answer(request_id).text
    assert not pending_call.wait().get("isError")


def test_members_cannot_approve_their_own_agents_requests(shared: Team) -> None:
    eve = Person(shared.servers[0].url, shared.token("eve", "administrator"))
    fay = Person(shared.servers[1].url, shared.token("fay", "approver"))
    agent = Agent(shared.token("eves-agent", "agent", owner="eve"))
    pending_call = edit(shared, agent, "own.txt")
    request_id = prompt_about(eve, "own.txt")
    refusal = eve.answer(request_id)
    assert (refusal.status_code, pending_call.is_waiting) == (403, True)
    assert "works for you" in refusal.text
    assert fay.answer(request_id).status_code == 200
    assert not pending_call.wait().get("isError")


def test_members_cannot_approve_their_own_requests(shared: Team) -> None:
    gil = Person(shared.servers[0].url, shared.token("gil", "administrator"))
    (shared.project / "self.txt").write_text("old\n")
    params = {"path": "self.txt", "find": "old", "replace": "new"}
    calling = gil.at(shared.servers[0].url).http
    pending_call = PendingCall(lambda: {"status": calling.post("/api/tools/replace_in_file", json=params).status_code})
    request_id = prompt_about(gil, "self.txt")
    assert gil.answer(request_id).status_code == 403
    hal = Person(shared.servers[1].url, shared.token("hal", "approver"))
    assert hal.answer(request_id).status_code == 200
    assert pending_call.wait() == {"status": 200}


def test_a_rule_can_require_two_approvals(shared: Team) -> None:
    agent = Agent(shared.token("two-votes", "agent"))
    people = approvers(shared, "voter")
    shared.require(2, tools=("delete_path",))
    (shared.project / "two.txt").write_text("old\n")
    result = PendingCall(lambda: agent.call(shared.servers[0].url, "delete_path", path="two.txt"))
    request_id = prompt_about(people[0], "two.txt")
    for _ in range(2):  # the same person twice is one vote
        first = people[0].answer(request_id)
        assert first.json()["data"]["warnings"] == ["Your approval counts. 1 more is needed."], first.text
    assert result.is_waiting
    assert (shared.project / "two.txt").exists()
    assert people[1].answer(request_id).json()["data"]["warnings"] == []
    assert not result.wait().get("isError")
    assert not (shared.project / "two.txt").exists()


def test_two_concurrent_approvers_both_get_correct_answers_and_it_runs_once(shared: Team) -> None:
    agent = Agent(shared.token("at-once", "agent"))
    people = approvers(shared, "racer")
    pending_call = edit(shared, agent, "at-once.txt")
    request_id = prompt_about(people[0], "at-once.txt")
    answers: list[int] = []

    def answer(who: Person) -> None:
        answers.append(who.answer(request_id).status_code)

    threads = [threading.Thread(target=answer, args=(who,)) for who in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert set(answers) <= {200, 409}
    assert 200 in answers
    assert not pending_call.wait().get("isError")
    assert (shared.project / "at-once.txt").read_text() == "new\n"


def test_a_revoked_token_is_refused_by_every_server_with_the_next_request(shared: Team) -> None:
    agent, person = Agent(shared.token("stolen", "agent")), shared.token("left", "approver")
    browsers = [Person(server.url, person) for server in shared.servers]
    assert [each.http.get("/api/prompts").status_code for each in browsers] == [200, 200]
    shared.revoke("stolen")
    shared.revoke("left")
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert [agent.post(server.url, message).status_code for server in shared.servers] == [401, 401]
    assert [each.http.get("/api/prompts").status_code for each in browsers] == [401, 401]
    with pytest.raises(PermissionError):
        Person(shared.servers[0].url, person)


def test_a_call_that_was_asked_before_its_token_was_revoked_does_not_run(shared: Team) -> None:
    agent = Agent(shared.token("revoked-late", "agent"))
    ivy = Person(shared.servers[1].url, shared.token("ivy", "approver"))
    pending_call = edit(shared, agent, "late.txt", breaks=True)
    request_id = prompt_about(ivy, "late.txt")
    shared.revoke("revoked-late")
    ivy.answer(request_id)
    pending_call.wait()
    assert (shared.project / "late.txt").read_text() == "old\n"


def test_a_session_ended_at_one_server_is_ended_at_the_other(shared: Team) -> None:
    jo = Person(shared.servers[0].url, shared.token("jo", "viewer"))
    elsewhere = jo.at(shared.servers[1].url)
    assert elsewhere.http.get("/api/session").json()["data"]["role"] == "viewer"
    assert jo.http.delete("/api/session").status_code == 200
    assert elsewhere.http.get("/api/session").status_code == 401


def test_roles_grant_only_what_they_name(shared: Team) -> None:
    roles: tuple[Role, ...] = ("viewer", "operator", "administrator")
    people = {role: Person(shared.servers[0].url, shared.token(f"role-{role}", role)).http for role in roles}
    codes = {role: http.get("/api/team/members").status_code for role, http in people.items()}
    assert codes == {"viewer": 403, "operator": 403, "administrator": 200}
    params = {"path": "README.md"}
    read = {role: http.post("/api/tools/read_file", json=params).status_code for role, http in people.items()}
    assert read == {"viewer": 403, "operator": 200, "administrator": 200}
    added = people["administrator"].post("/api/team/members", json={"name": "new", "role": "viewer"})
    assert Person(shared.servers[1].url, added.json()["data"]["token"]).http.get("/api/prompts").status_code == 200
    assert people["administrator"].delete("/api/team/members/new").status_code == 200


def test_strangers_foreign_hosts_and_foreign_pages_are_refused(shared: Team) -> None:
    url, token = shared.servers[0].url, shared.token("known", "agent")
    bearer = {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, timeout=PATIENCE) as http:
        assert http.get("/api/prompts").status_code == 401
        assert http.get("/api/prompts", headers={"authorization": "Bearer hrt_wrong"}).status_code == 401
        assert http.get("/api/prompts", headers={**bearer, "host": "evil.example"}).status_code == 403
        assert http.get("/api/prompts", headers={**bearer, "origin": "http://evil.example"}).status_code == 403
        assert http.get("/health").json()["data"]["name"] == "handrail"
    with pytest.raises(PermissionError):
        Person(url, token)  # an agent is no person


def test_people_read_the_name_that_an_administrator_gave_an_agent(shared: Team) -> None:
    agent = Agent(shared.token("named-here", "agent"))
    lee = Person(shared.servers[1].url, shared.token("lee", "approver"))
    pending_call = edit(shared, agent, "named.txt")
    request_id = prompt_about(lee, "named.txt")
    entry = next(each for each in lee.pending() if each["requestId"] == request_id)
    assert entry["prompt"]["card"]["agent"] == "named-here"
    lee.answer(request_id)
    pending_call.wait()


def test_an_agent_s_token_opens_the_tools_and_nothing_that_people_see(shared: Team) -> None:
    url = shared.servers[0].url
    with httpx.Client(base_url=url, timeout=PATIENCE) as http:
        http.headers["authorization"] = f"Bearer {shared.token('stolen-reader', 'agent')}"
        assert http.get("/api/tools").status_code == 200
        for path in ("/api/prompts", "/api/calls", "/api/policy", "/api/team/members", "/api/session"):
            assert http.get(path).status_code == 403, path
        assert http.post("/api/prompts", json={"prompt": {"kind": "result"}}).status_code == 403


def test_an_administrator_issues_and_revokes_an_agents_token_in_the_console(shared: Team) -> None:
    administrator = Person(shared.servers[0].url, shared.token("issues", "administrator"))
    viewer = Person(shared.servers[1].url, shared.token("looks-on", "viewer"))
    assert viewer.http.post("/api/access/agents", json={"name": "own"}).status_code == 403
    issued = administrator.http.post("/api/access/agents", json={"name": "issued"}).json()["data"]
    agent = Agent(issued["token"])
    assert agent.call(shared.servers[1].url, "read_file", path="README.md")["isError"] is False

    seen = viewer.http.get("/api/access").json()["data"]
    assert issued["id"] in [each["id"] for each in seen["agents"]]
    assert seen["sessions"] == []
    sessions = administrator.http.get("/api/access").json()["data"]["sessions"]
    (theirs,) = [each["id"] for each in sessions if each["member"] == "looks-on"]
    assert [each["member"] for each in sessions if each["isCurrent"]] == ["issues"]
    left = administrator.http.delete(f"/api/access/sessions/{theirs}").json()["data"]["sessions"]
    assert theirs not in [each["id"] for each in left]
    assert viewer.http.get("/api/access").status_code == 401

    assert administrator.http.delete(f"/api/access/agents/{issued['id']}").status_code == 200
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert agent.post(shared.servers[1].url, message).status_code == 401
    assert administrator.http.post(f"/api/access/agents/{issued['id']}/restore", json={}).status_code == 409


def test_a_persons_token_is_not_enough_to_read_or_change_anything(shared: Team) -> None:
    url = shared.servers[0].url
    with httpx.Client(base_url=url, timeout=PATIENCE) as http:
        http.headers["authorization"] = f"Bearer {shared.token('service', 'administrator')}"
        assert http.get("/api/prompts").status_code == 200
        assert http.post("/api/prompts", json={"prompt": {"kind": "result"}}).status_code == 403
        assert http.post("/api/tools/read_file", json={"path": "README.md"}).status_code == 403
        assert http.post("/api/team/members", json={"name": "x", "role": "viewer"}).status_code == 403


async def test_events_are_sent_only_to_signed_in_people(shared: Team) -> None:
    url, token = shared.servers[0].url, shared.token("listener", "agent")
    client = socketio.AsyncClient(reconnection=False)
    with pytest.raises(socketio.exceptions.ConnectionError):
        await client.connect(url, namespaces=["/mimo"], auth={"token": token}, headers={"Origin": url})
    await client.disconnect()


def test_evidence_kept_at_one_server_is_read_at_the_other_and_the_audit_verifies(shared: Team) -> None:
    agent, kim = Agent(shared.token("evident", "agent")), Person(shared.servers[1].url, shared.token("kim", "approver"))
    pending_call = edit(shared, agent, "evidence.txt")
    kim.answer(prompt_about(kim, "evidence.txt"))
    pending_call.wait()
    message = shared.handrail(
        "audit", "verify", "--json", "--database", shared.database, "--public-key", shared.public_key,
        "--blobs", shared.blobs,
    )  # fmt: skip
    assert '"ok": true' in message.stdout or '"ok":true' in message.stdout
    exported = shared.handrail("audit", "export", "--database", shared.database).stdout.splitlines()
    assert any('"event":"vote"' in line for line in exported)
    with shared.opened() as open_team:
        assert len(exported) <= sum(1 for _ in open_team.audit.lines())


def test_a_console_receives_the_list_of_the_servers_features(shared: Team) -> None:
    max_ = Person(shared.servers[0].url, shared.token("max", "viewer"))
    features = set(max_.http.get("/api/session").json()["data"]["features"])
    assert {"people", "history", "policy", "workspace", "browser", "agent"} <= features
    assert not features & {"apps", "clients", "desktop", "review", "webgal"}
