"""Agents that pretend to be others: each has the identity of its token or session, whatever it calls itself."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from handrail.kernel.task_ids import new_task_id
from tests.credentials import browser_token
from tests.faces.http.listener import Listener
from tests.redteam.agents_house import House, house_in, mode
from tests.waiting import until
from tests.wire.clients import Stdio, Streamable
from tests.wire.scripted_browser import CLIENT_ID, ScriptedBrowser

REPLACE = {"path": "a.txt", "find": "one", "replace": "two"}
LISTING = {"path": "."}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("identity")) as house:
        yield house


@pytest.fixture(autouse=True)
def nothing_is_left_open(house: House) -> Iterator[None]:
    yield
    house.answer_all("--cancel")


def test_the_servers_token_reads_and_posts_prompts_and_calls_no_tool(house: House) -> None:
    token = house.server["token"]
    for answer in (house.call(token, "list_files", LISTING), house.ask("POST", "/mcp", token, json={})):
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
        assert "handrail agents add" in answer.json()["error"]["message"]
    assert house.ask("GET", "/api/tools", token).status_code == 200
    prompt = {"prompt": {"kind": "result", "title": "Done"}}
    assert house.ask("POST", "/api/prompts", token, json=prompt).status_code == 200


def test_with_the_servers_token_nobody_speaks_to_the_agent_in_the_chat(house: House) -> None:
    async def run() -> Any:
        page = Listener()
        await page.connect(_At(house.address), auth={"token": house.server["token"]}, transports=["websocket"])  # type: ignore[arg-type]
        try:
            said = {"v": 1, "type": "user_message", "taskId": new_task_id(), "content": "write a file"}
            return await page.send("frontend_message", said)
        finally:
            await page.close()

    refused = asyncio.run(run())
    assert (refused["ok"], refused["error"]["code"]) == (False, "FORBIDDEN")


def test_a_task_of_another_agent_can_not_be_used_by_naming_it(house: House) -> None:
    victim, thief, task = house.issue("victim"), house.issue("thief"), new_task_id()
    same = {"user-agent": "claude-code/2.1", "x-task-id": task}
    assert house.call(victim, "list_files", LISTING, **same).status_code == 200
    stolen = house.call(thief, "list_files", LISTING, **same)
    assert (stolen.status_code, stolen.json()["error"]["code"]) == (403, "FORBIDDEN")
    slot = {"taskId": task, "kind": "upload", "contentType": "text/plain"}
    assert house.ask("POST", "/api/artifacts/presign", victim, json=slot).status_code == 200
    for path, body in [("/api/artifacts/presign", slot), (f"/api/task/{task}/stop", None)]:
        assert house.ask("POST", path, thief, json=body).status_code == 403
    own = {"identity": "agent:thief"}
    for token in (victim, thief, house.server["token"]):
        assert house.ask("POST", f"/api/task/{task}/owner", token, json=own).status_code == 403

    person = house.sign_in()
    agents = house.ask("GET", "/api/access", headers=person).json()["data"]["agents"]
    (other,) = [agent["identity"] for agent in agents if agent["name"] == "thief"]
    given = house.ask("POST", f"/api/task/{task}/owner", headers=person, json={"identity": other})
    assert given.status_code == 200, given.text
    assert house.call(thief, "list_files", LISTING, **same).status_code == 200
    assert house.call(victim, "list_files", LISTING, **same).status_code == 403


def test_two_sessions_of_one_parent_have_a_browser_task_each(house: House) -> None:
    browser = ScriptedBrowser(house.address, browser_token(house.state, CLIENT_ID))
    sessions = [Stdio(house.project, house.state, answer="allow") for _ in range(2)]
    try:
        for session in sessions:
            session.request("tools/call", {"name": "task_start", "arguments": {"url": "http://good.test/"}})
        assert len({*browser.tasks.values()}) == 2
        for session, other in zip(sessions, reversed(list(browser.tasks.items())), strict=True):
            theirs, task = other
            params = {"name": "browser_get_html", "arguments": {"tabId": theirs}}
            for meta in ({}, {"_meta": {"handrail/task": task}}):
                refused = session.request("tools/call", {**params, **meta})
                assert refused["isError"], refused
    finally:
        for session in sessions:
            session.close()
        browser.close()


def test_a_revoked_token_ends_its_connections_and_a_yes_comes_too_late(house: House) -> None:
    token = house.issue("revoked")
    waiting = house.calling(token, "replace_in_file", REPLACE)
    (asked,) = house.asked()

    async def run() -> None:
        page = Listener()
        await page.connect(_At(house.address), auth={"token": token}, transports=["websocket"])  # type: ignore[arg-type]
        try:
            await asyncio.to_thread(house.revoke, "revoked")
            await page.gone()
        finally:
            await page.close()

    asyncio.run(run())
    assert waiting.result(30).status_code == 401
    house.answer(asked["requestId"])
    again = house.call(token, "replace_in_file", REPLACE)
    assert again.status_code == 401
    assert (house.project / "a.txt").read_text() == "one\n"


def test_a_session_of_mcp_is_of_use_to_nobody_else(house: House) -> None:
    client = Streamable(house.up)
    thief = house.issue("session-thief")
    own = {name: value for name, value in client._headers.items() if name.lower() != "authorization"}
    message = {"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {}}
    assert house.ask("POST", "/mcp", thief, headers=own, json=message).status_code == 404
    assert client.request("tools/list", {})["tools"]


def test_who_asks_too_much_is_refused_and_nobody_else_is(house: House) -> None:
    loud, quiet = house.issue("loud"), house.issue("quiet")
    paths = [f"file-{number}.txt" for number in range(21)]
    for path in paths:
        (house.project / path).write_text("one\n")
    calls = [house.calling(loud, "replace_in_file", {**REPLACE, "path": path}, **{"x-task-id": path}) for path in paths]
    house.asked(20)
    (refused,) = until(lambda: [call for call in calls if call.done()])
    answer = refused.result()
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "RATE_LIMITED")
    assert answer.json()["error"]["details"]["toolError"]["details"]["reason"] == "limit"
    assert len(house.pending()) == 20
    house.calling(quiet, "replace_in_file", REPLACE)
    house.asked(21)


def test_who_tries_codes_in_the_persons_name_keeps_nobody_out(house: House) -> None:
    person = {"origin": house.address}
    tried = [house.ask("POST", "/api/session", headers=person, json={"code": "wrong"}).status_code for _ in range(12)]
    assert tried == [401] * 10 + [429] * 2
    house.sign_in()


def test_tokens_are_kept_as_hashes_for_their_owner_alone(house: House) -> None:
    token = house.issue("kept")
    assert mode(house.state / "agents.json") == 0o600
    holding = [file for file in house.state.rglob("*") if file.is_file() and token.encode() in file.read_bytes()]
    assert holding == []


class _At:
    """What a listener needs to know of a server."""

    def __init__(self, address: str) -> None:
        self.address = address
