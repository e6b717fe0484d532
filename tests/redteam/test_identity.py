"""Agents that pretend to be others: each has the identity of its token or session, whatever it claims."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import socketio

from handrail.kernel.task_ids import new_task_id
from handrail.stores.local.agents import AgentsFile
from tests.credentials import browser_token
from tests.faces.http.listener import Listener
from tests.redteam.agents_rig import Rig, mode, rig_in
from tests.waiting import until
from tests.wire.clients import Stdio, Streamable
from tests.wire.scripted_browser import CLIENT_ID, ScriptedBrowser

REPLACE = {"path": "a.txt", "find": "one", "replace": "two"}
LISTING = {"path": "."}


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig_in(tmp_path_factory.mktemp("identity")) as rig:
        yield rig


@pytest.fixture(autouse=True)
def nothing_is_left_open(rig: Rig) -> Iterator[None]:
    yield
    rig.answer_all("--cancel")


def test_the_servers_token_reads_and_posts_prompts_and_calls_no_tool(rig: Rig) -> None:
    token = rig.server["token"]
    for answer in (rig.call(token, "list_files", LISTING), rig.ask("POST", "/mcp", token, json={})):
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
        assert "handrail agents add" in answer.json()["error"]["message"]
    assert rig.ask("GET", "/api/tools", token).status_code == 200
    prompt = {"prompt": {"kind": "result", "title": "Done"}}
    assert rig.ask("POST", "/api/prompts", token, json=prompt).status_code == 200


def test_the_servers_token_can_not_send_chat_messages(rig: Rig) -> None:
    async def run() -> Any:
        page = Listener()
        await page.connect(_At(rig.address), auth={"token": rig.server["token"]}, transports=["websocket"])  # type: ignore[arg-type]
        try:
            message = {"v": 1, "type": "user_message", "taskId": new_task_id(), "content": "write a file"}
            return await page.send("frontend_message", message)
        finally:
            await page.close()

    refusal = asyncio.run(run())
    assert (refusal["ok"], refusal["error"]["code"]) == (False, "FORBIDDEN")


def test_an_agent_can_not_use_another_agents_task_by_its_id(rig: Rig) -> None:
    victim, thief, task = rig.issue("victim"), rig.issue("thief"), new_task_id()
    same = {"user-agent": "claude-code/2.1", "x-task-id": task}
    assert rig.call(victim, "list_files", LISTING, **same).status_code == 200
    stolen = rig.call(thief, "list_files", LISTING, **same)
    assert (stolen.status_code, stolen.json()["error"]["code"]) == (403, "FORBIDDEN")
    slot = {"taskId": task, "kind": "upload", "contentType": "text/plain"}
    assert rig.ask("POST", "/api/artifacts/presign", victim, json=slot).status_code == 200
    for path, body in [("/api/artifacts/presign", slot), (f"/api/task/{task}/stop", None)]:
        assert rig.ask("POST", path, thief, json=body).status_code == 403
    own = {"identity": "agent:thief"}
    for token in (victim, thief, rig.server["token"]):
        assert rig.ask("POST", f"/api/task/{task}/owner", token, json=own).status_code == 403

    person = rig.sign_in()
    agents = rig.ask("GET", "/api/access", headers=person).json()["data"]["agents"]
    (other,) = [agent["identity"] for agent in agents if agent["name"] == "thief"]
    given = rig.ask("POST", f"/api/task/{task}/owner", headers=person, json={"identity": other})
    assert given.status_code == 200, given.text
    assert rig.call(thief, "list_files", LISTING, **same).status_code == 200
    assert rig.call(victim, "list_files", LISTING, **same).status_code == 403


def test_two_sessions_of_one_parent_have_a_browser_task_each(rig: Rig) -> None:
    browser = ScriptedBrowser(rig.address, browser_token(rig.state, CLIENT_ID))
    sessions = [Stdio(rig.project, rig.state, answer="allow") for _ in range(2)]
    try:
        for session in sessions:
            session.request("tools/call", {"name": "task_start", "arguments": {"url": "http://good.test/"}})
        assert len({*browser.tasks.values()}) == 2
        for session, other in zip(sessions, reversed(list(browser.tasks.items())), strict=True):
            theirs, task = other
            params = {"name": "browser_get_html", "arguments": {"tabId": theirs}}
            for meta in ({}, {"_meta": {"handrail/task": task}}):
                refusal = session.request("tools/call", {**params, **meta})
                assert refusal["isError"], refusal
    finally:
        for session in sessions:
            session.close()
        browser.close()


def test_revoking_a_token_ends_its_connections_and_later_approvals_have_no_effect(rig: Rig) -> None:
    token = rig.issue("revoked")
    waiting = rig.calling(token, "replace_in_file", REPLACE)
    (asked,) = rig.asked()

    async def run() -> None:
        page = Listener()
        await page.connect(_At(rig.address), auth={"token": token}, transports=["websocket"])  # type: ignore[arg-type]
        try:
            await asyncio.to_thread(rig.revoke, "revoked")
            await page.gone()
        finally:
            await page.close()

    asyncio.run(run())
    assert waiting.result(30).status_code == 401
    rig.answer(asked["requestId"])
    again = rig.call(token, "replace_in_file", REPLACE)
    assert again.status_code == 401
    assert (rig.project / "a.txt").read_text() == "one\n"


def test_a_message_of_an_agent_that_was_removed_a_moment_ago_is_refused(rig: Rig) -> None:
    """Another process has removed it, and the server hasn't closed its connection yet."""
    token = rig.issue("removed")

    async def run() -> Any:
        page = Listener()
        await page.connect(_At(rig.address), auth={"token": token}, transports=["websocket"])  # type: ignore[arg-type]
        message = {"v": 1, "type": "user_message", "taskId": new_task_id(), "content": "write a file"}
        message |= {"id": "evt-1", "timestamp": 1}
        try:
            AgentsFile(rig.state).remove("removed")
            with suppress(socketio.exceptions.SocketIOError):
                return await page.send("frontend_message", message)
        finally:
            await page.close()

    answer = asyncio.run(run())
    assert answer is None or answer["error"]["code"] == "UNAUTHORIZED"


def test_removing_the_file_of_sessions_signs_out_a_page_that_is_connected(rig: Rig) -> None:
    person = rig.sign_in()
    auth, headers = {"page": person.pop("x-handrail-page")}, person

    async def run() -> None:
        page = Listener()
        await page.connect(_At(rig.address), auth=auth, headers=headers, transports=["websocket"])  # type: ignore[arg-type]
        try:
            (rig.state / "sessions.json").unlink()
            await page.gone()
        finally:
            await page.close()

    asyncio.run(run())


def test_an_mcp_session_is_useless_to_another_agent(rig: Rig) -> None:
    client = Streamable(rig.up)
    thief = rig.issue("session-thief")
    own = {name: value for name, value in client._headers.items() if name.lower() != "authorization"}
    message = {"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {}}
    assert rig.ask("POST", "/mcp", thief, headers=own, json=message).status_code == 404
    assert client.request("tools/list", {})["tools"]


def test_an_agent_that_asks_too_much_is_refused_and_no_other_is(rig: Rig) -> None:
    loud, quiet = rig.issue("loud"), rig.issue("quiet")
    paths = [f"file-{number}.txt" for number in range(21)]
    for path in paths:
        (rig.project / path).write_text("one\n")
    calls = [rig.calling(loud, "replace_in_file", {**REPLACE, "path": path}, **{"x-task-id": path}) for path in paths]
    rig.asked(20)
    (refused,) = until(lambda: [call for call in calls if call.done()])
    answer = refused.result()
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "RATE_LIMITED")
    assert answer.json()["error"]["details"]["toolError"]["details"]["reason"] == "limit"
    assert len(rig.pending()) == 20
    rig.calling(quiet, "replace_in_file", REPLACE)
    rig.asked(21)


def test_an_agent_posts_no_more_questions_than_its_tools_may_ask(rig: Rig) -> None:
    token, body = rig.issue("poster"), {"prompt": {"kind": "result", "title": "Look at this"}}
    statuses = [rig.ask("POST", "/api/prompts", token, json=body).status_code for _ in range(20)]
    assert statuses == [200] * 20
    refused = rig.ask("POST", "/api/prompts", token, json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "RATE_LIMITED")
    assert len(rig.pending()) == 20


def test_guessing_codes_does_not_lock_out_the_person(rig: Rig) -> None:
    person = {"origin": rig.address}
    tried = [rig.ask("POST", "/api/session", headers=person, json={"code": "wrong"}).status_code for _ in range(12)]
    assert tried == [401] * 10 + [429] * 2
    rig.sign_in()


def test_tokens_are_stored_as_hashes_readable_only_by_the_owner(rig: Rig) -> None:
    token = rig.issue("kept")
    assert mode(rig.state / "agents.json") == 0o600
    holding = [file for file in rig.state.rglob("*") if file.is_file() and token.encode() in file.read_bytes()]
    assert holding == []


class _At:
    """The part of a server that a listener needs."""

    def __init__(self, address: str) -> None:
        self.address = address


def test_an_agent_sees_nothing_of_another_agents_task(rig: Rig) -> None:
    """Neither its messages, title, picture nor events; its owner and the person do."""
    victim, thief, task = rig.issue("seen"), rig.issue("onlooker"), new_task_id()
    slot = {"taskId": task, "kind": "upload", "contentType": "text/plain"}
    assert rig.ask("POST", "/api/artifacts/presign", victim, json=slot).status_code == 200
    for path in (f"/api/task/{task}", f"/api/browser/view?taskId={task}"):
        assert rig.ask("GET", path, thief).status_code == 403
        assert rig.ask("GET", path, victim).status_code == 200
        assert rig.ask("GET", path, headers=rig.sign_in()).status_code == 200
    listing = {
        name: [one["taskId"] for one in rig.ask("GET", "/api/task/list", token).json()["data"]]
        for name, token in (("victim", victim), ("thief", thief))
    }
    assert task in listing["victim"]
    assert task not in listing["thief"]

    async def follows(token: str) -> Any:
        page = Listener()
        await page.connect(_At(rig.address), auth={"token": token}, transports=["websocket"])  # type: ignore[arg-type]
        try:
            return await page.send("frontend_message", {"type": "subscribe", "taskId": task})
        finally:
            await page.close()

    assert asyncio.run(follows(victim))["ok"] is True
    assert asyncio.run(follows(thief))["ok"] is False
