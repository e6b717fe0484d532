"""Who may ask, read and answer over HTTP and Socket.IO, and which updates pages receive."""

import asyncio
import json
from typing import Any

import pytest
import socketio

from tests.faces.http.listener import listening
from tests.wire.prompt_rig import FORM, NAMED, Json, PromptRig, request_line, response_line

APPROVAL: Json = {"kind": "file_change_confirm", "title": "Write a.txt", "diff": "--- a\n+++ b\n"}
TASK: Json = {"draftId": "1", "title": "One", "details": "", "priority": "medium", "status": "todo", "tags": []}
ROUTES = [("GET", ""), ("POST", ""), ("POST", "/r/response")]
every_route = pytest.mark.parametrize(("method", "path"), ROUTES, ids=["list", "ask", "answer"])


@every_route
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"cookie": "handrail=wrong"}])
def test_without_a_credential_nothing_is_asked_listed_or_answered(
    prompts: PromptRig, method: str, path: str, headers: dict[str, str]
) -> None:
    before = prompts.log()
    answer = prompts.server.request(method, f"/api/prompts{path}", headers=headers, json={"prompt": FORM})
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")
    assert prompts.log() == before


@every_route
@pytest.mark.parametrize("header", [{"origin": "https://evil.example"}, {"origin": "null"}, {"host": "evil.example"}])
def test_a_foreign_page_or_name_is_refused_even_with_the_token(
    prompts: PromptRig, method: str, path: str, header: dict[str, str]
) -> None:
    before = prompts.log()
    headers = {**prompts.server.bearer, **header}
    answer = prompts.server.request(method, f"/api/prompts{path}", headers=headers, json={"prompt": FORM})
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert prompts.log() == before


def test_an_approval_is_answered_by_a_person_and_by_no_program(prompts: PromptRig) -> None:
    request_id = prompts.create(APPROVAL)
    refused = prompts.answer(request_id, {"status": "ok"}, headers=prompts.server.bearer)
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    borrowed = {name: value for name, value in prompts.console.items() if name != "origin"}
    assert prompts.answer(request_id, {"status": "ok"}, headers=borrowed).status == 403
    assert len(prompts.entries(request_id)) == 1
    assert prompts.answer(request_id, {"status": "ok"}).status == 200


@pytest.mark.parametrize(
    ("request_id", "prompt", "response"),
    [
        ("plan_msg_1", {"kind": "task_confirm", "tasks": [TASK]}, {"status": "ok", "tasks": [TASK]}),
        ("ask_exec_1", FORM, NAMED),
    ],
)
def test_programs_cannot_answer_an_agents_questions(
    prompts: PromptRig, request_id: str, prompt: Json, response: Json
) -> None:
    assert (prompts.ask(prompt, requestId=request_id).status, prompts.entries(request_id)) == (400, [])
    prompts.append(request_line(request_id, prompt))
    refused = prompts.answer(request_id, response, headers=prompts.server.bearer)
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    assert len(prompts.entries(request_id)) == 1
    assert prompts.answer(request_id, response).status == 200


@pytest.mark.parametrize("how", [{"auth": {}}, {"auth": {"token": "wrong"}}, {"headers": {"cookie": "handrail=wrong"}}])
def test_without_a_credential_no_updates_are_sent(prompts: PromptRig, how: Json) -> None:
    async def join() -> None:
        async with listening(prompts.server, **how):
            pass

    with pytest.raises(socketio.exceptions.ConnectionError):
        asyncio.run(join())


def test_a_foreign_page_can_not_even_connect(prompts: PromptRig) -> None:
    for header in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        answer = prompts.server.request("GET", "/socket.io/?EIO=4&transport=polling", headers=header)
        assert (answer.status, answer.code) == (403, "FORBIDDEN")


def news_of(prompts: PromptRig, request_id: str, count: int, *lines: Json) -> list[Json]:
    """The updates that a page receives of one interaction while another program writes."""

    async def updates() -> list[Json]:
        heard: list[Json] = []
        async with listening(prompts.server, headers=prompts.server.server_bearer) as page:
            await asyncio.to_thread(prompts.append, *lines)
            while len(heard) < count:
                news: Any = await page.next("ui_prompts")
                heard += [entry for entry in news["entries"] if entry["requestId"] == request_id]
        return heard

    return asyncio.run(updates())


def test_pages_receive_every_entry_in_the_order_of_the_log(prompts: PromptRig) -> None:
    request, response = request_line("told", FORM, runId="run-1"), response_line("told", NAMED)
    question, response_event = news_of(prompts, "told", 2, request, response)
    assert question["offset"] < response_event["offset"]
    for event, line in ((question, request), (response_event, response)):
        own = {"offset", "caller", "isOwn", "postedBy"}
        assert {name: value for name, value in event.items() if name not in own} == line


def test_a_page_receives_a_diff_of_a_megabyte(prompts: PromptRig) -> None:
    diff = "+" + "界" * 400_000
    (request,) = news_of(prompts, "long", 1, request_line("long", {**APPROVAL, "diff": diff}))
    assert request["prompt"]["diff"] == diff


def test_unreadable_entries_are_sent_raw(prompts: PromptRig) -> None:
    broken = request_line("broken", {"kind": "kv", "fields": []})
    (event,) = news_of(prompts, "broken", 1, {"type": "ui_event"}, broken)
    assert (event["prompt"]["kind"], json.loads(event["prompt"]["raw"])) == ("unreadable", broken["prompt"])
