"""The queue over HTTP and Socket.IO: asking, listing, answering and updates."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.prompt_queue import Origin
from handrail.stores.local.prompt_store import prompt_store
from tests.faces.http.listener import listening
from tests.faces.http.running import Answer, Running

KV = {"kind": "kv", "title": "Who?", "fields": [{"key": "name", "required": True}]}
CHOICE = {"kind": "choice", "options": [{"value": "a"}, {"value": "b"}]}
APPROVAL = {"kind": "file_change_confirm", "title": "Write a.txt", "diff": "--- a\n+++ b\n"}
OK = {"status": "ok"}
NAMED = {"status": "ok", "values": {"name": "Ada"}}


@pytest.fixture
def own_server(state: Path, project: Path) -> Any:
    """The test's own server, because the queue has to be empty at first."""
    with Running(state, project) as running:
        yield running


def ask(server: Running, prompt: Any = KV, **more: Any) -> str:
    answer = server.request("POST", "/api/prompts", json={"prompt": prompt, **more})
    assert answer.status == 200, answer
    return str(answer.json["data"]["requestId"])


def respond(server: Running, request_id: str, response: Any = NAMED, headers: Any = None) -> Answer:
    return server.request("POST", f"/api/prompts/{request_id}/response", headers=headers, json={"response": response})


def list_entries(server: Running, query: str = "") -> Any:
    answer = server.request("GET", f"/api/prompts{query}", headers=server.server_bearer)
    assert answer.status == 200, answer
    return answer.json["data"]


def without_answerer(news: Any) -> Any:
    """Who answered is recorded a moment after the answer, and then announced as well."""
    return [{name: value for name, value in entry.items() if name != "answeredBy"} for entry in news["entries"]]


def summary(page: Any) -> list[tuple[str, str]]:
    return [(entry["action"], entry["requestId"]) for entry in page["entries"]]


def test_a_question_is_found_by_its_id_with_its_answer(own_server: Running) -> None:
    wanted, other = ask(own_server), ask(own_server)
    assert summary(list_entries(own_server, f"?requestId={wanted}")) == [("request", wanted)]
    respond(own_server, wanted, headers=own_server.sign_in())
    respond(own_server, other, headers=own_server.sign_in())
    found = list_entries(own_server, f"?requestId={wanted}")
    assert summary(found) == [("request", wanted), ("response", wanted)]
    assert list_entries(own_server, "?requestId=unknown")["entries"] == []


def test_a_question_is_listed_until_it_is_answered(own_server: Running) -> None:
    assert list_entries(own_server) == {"path": str(own_server.state / "ui-prompts.jsonl"), "entries": []}
    request_id = ask(own_server, runId="run-1")
    (entry,) = list_entries(own_server, "?state=pending")["entries"]
    assert (entry["type"], entry["action"], entry["requestId"]) == ("ui_prompt", "request", request_id)
    assert (entry["runId"], entry["prompt"]["kind"], entry["caller"]) == ("run-1", "kv", "unknown")
    assert isinstance(entry["offset"], int)
    assert list_entries(own_server, "?state=answered")["entries"] == []

    assert respond(own_server, request_id).json == {"ok": True, "data": {"warnings": []}}
    assert list_entries(own_server, "?state=pending")["entries"] == []
    answered_page = list_entries(own_server, "?state=answered")
    assert summary(answered_page) == [("request", request_id), ("response", request_id)]
    assert answered_page["entries"][1]["response"] == NAMED
    assert "caller" not in answered_page["entries"][0]
    assert answered_page["entries"][1]["answeredBy"] == "program"
    assert answered_page == list_entries(own_server) == list_entries(own_server, "?state=all")


def test_the_log_is_the_contracts_own(own_server: Running) -> None:
    respond(own_server, ask(own_server, requestId="mine"))
    lines = [json.loads(line) for line in (own_server.state / "ui-prompts.jsonl").read_text().splitlines()]
    assert [(line["action"], line["requestId"]) for line in lines] == [("request", "mine"), ("response", "mine")]
    assert not any({"offset", "caller", "answeredBy"} & set(line) for line in lines)


def test_older_entries_are_loaded_page_by_page(own_server: Running) -> None:
    ids = [ask(own_server, requestId=f"r{number}") for number in range(5)]
    for request_id in ids[:4]:
        respond(own_server, request_id)
    ids_so_far: list[str] = []
    query = "?state=answered&limit=3"
    page = list_entries(own_server, query)
    ids_so_far += [request_id for action, request_id in summary(page) if action == "response"]
    assert [request_id for action, request_id in summary(page) if action == "request"] == ["r1", "r2", "r3"]
    page = list_entries(own_server, f"{query}&before={page['next']}")
    assert summary(page) == [("request", "r0"), ("response", "r0")]
    assert "next" not in page
    assert ids_so_far == ["r1", "r2", "r3"]

    every = list_entries(own_server, "?limit=4")
    assert [entry["offset"] for entry in every["entries"]] == sorted(entry["offset"] for entry in every["entries"])
    older = list_entries(own_server, f"?limit=500&before={every['next']}")
    assert len(older["entries"]) == 5
    assert summary(older)[0] == ("request", "r0")


@pytest.mark.parametrize("query", ["state=open", "state=", "limit=0", "limit=x", "before=-1"])
def test_a_list_that_makes_no_sense_is_a_bad_request(query: str, server: Running) -> None:
    answer = server.request("GET", f"/api/prompts?{query}")
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert answer.json["error"]["details"]["fieldErrors"][0]["field"] == query.partition("=")[0]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "prompt"),
        ({"prompt": "text"}, "prompt"),
        ({"prompt": {}}, "kind"),
        ({"prompt": {"kind": "spell"}}, "kind"),
        ({"prompt": {"kind": "kv", "fields": []}}, "fields"),
        ({"prompt": {"kind": "kv", "fields": [{"key": f"k{n}"} for n in range(51)]}}, "fields"),
        ({"prompt": {"kind": "choice", "options": [{"value": f"v{n}"} for n in range(61)]}}, "options"),
        ({"prompt": {**CHOICE, "default": "c"}}, "default"),
        ({"prompt": KV, "requestId": 7}, "requestId"),
        ({"prompt": {"kind": "file_change_confirm"}, "requestId": "approval_1"}, "requestId"),
        ({"prompt": {"kind": "file_change_confirm", "scope": {"method": "m", "paramsDigest": "d"}}}, "prompt.scope"),
        ({"prompt": KV, "runId": []}, "runId"),
        ({"prompt": KV, "more": 1}, "more"),
    ],
)
def test_a_prompt_that_breaks_the_contract_is_refused_by_the_name_of_the_field(
    body: Any, field: str, server: Running
) -> None:
    answer = server.request("POST", "/api/prompts", json=body)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    errors = answer.json["error"]["details"]["fieldErrors"]
    assert any(field in error["field"] and error["message"] for error in errors)


@pytest.mark.parametrize(
    ("response", "field"),
    [({}, "status"), ({"status": "ok"}, "values"), ({"status": "ok", "values": {"name": 7}}, "name")],
)
def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays(
    response: Any, field: str, server: Running
) -> None:
    request_id = ask(server)
    answer = respond(server, request_id, response)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert any(field in error["field"] for error in answer.json["error"]["details"]["fieldErrors"])
    assert respond(server, request_id).status == 200
    body = server.request("POST", f"/api/prompts/{request_id}/response", json={"response": "ok"})
    assert (body.status, body.code) == (400, "BAD_REQUEST")


def test_the_first_answer_wins(server: Running) -> None:
    request_id = ask(server)
    assert respond(server, request_id).status == 200
    second = respond(server, request_id, {"status": "canceled"})
    assert (second.status, second.code) == (409, "CONFLICT")


def test_an_answer_to_nothing_is_not_found(server: Running) -> None:
    answer = respond(server, "nobody-asked")
    assert (answer.status, answer.code) == (404, "NOT_FOUND")


def test_an_id_that_is_taken_is_a_conflict(server: Running) -> None:
    request_id = ask(server)
    answer = server.request("POST", "/api/prompts", json={"requestId": request_id, "prompt": KV})
    assert (answer.status, answer.code) == (409, "CONFLICT")


def test_an_id_may_contain_a_slash(server: Running) -> None:
    request_id = ask(server, requestId="my app/1")
    assert respond(server, "my%20app/1").status == 200
    assert request_id == "my app/1"


def test_only_a_person_can_answer_an_approval(server: Running) -> None:
    request_id = ask(server, APPROVAL)
    refused = respond(server, request_id, OK)
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    assert respond(server, request_id, OK, headers={**server.sign_in(), **server.bearer}).status == 403
    console = server.sign_in()
    without_origin = {name: value for name, value in console.items() if name != "origin"}
    assert respond(server, request_id, OK, headers=without_origin).status == 403
    assert respond(server, request_id, {**OK, "remark": "go on"}, headers=console).status == 200
    assert respond(server, request_id, OK, headers=console).status == 409


def test_without_a_credential_nothing_is_asked_listed_or_answered(server: Running) -> None:
    request_id = ask(server)
    assert server.request("GET", "/api/prompts", headers={}).status == 401
    assert server.request("POST", "/api/prompts", headers={}, json={"prompt": KV}).status == 401
    assert respond(server, request_id, headers={}).status == 401


def test_a_secret_reaches_neither_the_log_nor_a_page(own_server: Running) -> None:
    secret = "correct horse battery staple"
    request_id = ask(own_server, {"kind": "kv", "fields": [{"key": "password", "secret": True}]})

    async def run() -> Any:
        async with listening(own_server, headers=own_server.server_bearer) as page:
            response = {"status": "ok", "values": {"password": secret}}
            answer = await asyncio.to_thread(respond, own_server, request_id, response)
            return answer, await page.next("ui_prompts")

    answer, result = asyncio.run(run())
    assert answer.status == 200
    assert answer.json["data"]["warnings"]
    assert secret not in json.dumps(result) + json.dumps(list_entries(own_server))
    assert secret not in (own_server.state / "ui-prompts.jsonl").read_text()
    assert secret not in own_server.stop()


def test_each_entry_is_sent_to_every_page_with_its_position(own_server: Running) -> None:
    async def run() -> list[list[Any]]:
        async with (
            listening(own_server, headers=own_server.server_bearer) as first,
            listening(own_server, headers=own_server.sign_in()) as second,
        ):
            request_id = await asyncio.to_thread(ask, own_server)
            events = [[await page.next("ui_prompts")] for page in (first, second)]
            await asyncio.to_thread(respond, own_server, request_id)
            for page, events_of_page in zip((first, second), events, strict=True):
                events_of_page.append(await page.next("ui_prompts"))
            return events

    first, second = asyncio.run(run())
    first, second = (news[:2] for news in (first, second))
    assert [without_answerer(news) for news in first] == [without_answerer(news) for news in second]
    (request,), (response,) = (news["entries"] for news in first)
    assert (request["action"], response["action"]) == ("request", "response")
    assert request["offset"] < response["offset"]
    assert request["caller"] == "unknown"
    assert [entry["offset"] for entry in list_entries(own_server)["entries"]] == [request["offset"], response["offset"]]


def test_entries_of_other_programs_are_sent_to_pages_and_listed(own_server: Running) -> None:
    entry = {"ts": "2026-01-11T00:00:00.000Z", "type": "ui_prompt", "action": "request", "requestId": "theirs"}

    async def run() -> Any:
        async with listening(own_server, headers=own_server.server_bearer) as page:
            with (own_server.state / "ui-prompts.jsonl").open("a") as log:
                log.write("no JSON\n" + json.dumps({**entry, "requestId": "odd", "prompt": {"kind": "spell"}}) + "\n")
                log.write(json.dumps({**entry, "prompt": KV}) + "\n")
            return await page.next("ui_prompts")

    odd, result = asyncio.run(run())["entries"]
    assert (odd["requestId"], odd["prompt"]["kind"]) == ("odd", "unreadable")
    assert (result["requestId"], result["prompt"]["kind"]) == ("theirs", "kv")
    assert summary(list_entries(own_server, "?state=pending")) == [("request", "odd"), ("request", "theirs")]


def test_pending_prompts_survive_a_crash_of_the_server(state: Path, project: Path) -> None:
    with Running(state, project) as first:
        request_id = ask(first)
        first.process.kill()
        first.process.wait(20)
    with Running(state, project) as second:
        assert summary(list_entries(second, "?state=pending")) == [("request", request_id)]
        assert respond(second, request_id).status == 200


def test_the_entry_comes_with_the_name_of_who_answered(own_server: Running) -> None:
    by_person, by_program, by_stranger = (ask(own_server, CHOICE, requestId=name) for name in ("a", "b", "c"))
    response = {"status": "ok", "selection": "a"}
    respond(own_server, by_person, response, headers=own_server.sign_in())
    respond(own_server, by_program, response)
    line = {"ts": "2026-01-11T00:00:00.000Z", "type": "ui_prompt", "action": "response", "requestId": by_stranger}

    async def run() -> Any:
        async with listening(own_server, headers=own_server.server_bearer) as page:
            with (own_server.state / "ui-prompts.jsonl").open("a") as log:
                log.write(json.dumps({**line, "response": response}) + "\n")
            return await page.next("ui_prompts")

    asyncio.run(run())
    answered_by = {
        entry["requestId"]: entry.get("answeredBy")
        for entry in list_entries(own_server)["entries"]
        if "response" in entry
    }
    assert answered_by[by_person].startswith("console:")
    assert (answered_by[by_program], answered_by[by_stranger]) == ("program", None)


def test_pages_are_told_when_a_caller_disconnects_and_returns(own_server: Running) -> None:
    async def run() -> list[Any]:
        queue = LogPromptQueue(prompt_store(own_server.state))
        try:
            async with listening(own_server, headers=own_server.server_bearer) as page:
                waiting = asyncio.create_task(queue.ask(CHOICE, request_id="mine", origin=Origin("a test")))
                events = [await page.next("ui_prompts")]
                waiting.cancel()
                events.append(await page.next("ui_prompts"))
                waiting = asyncio.create_task(queue.wait("mine"))
                events.append(await page.next("ui_prompts"))
                waiting.cancel()
                return events
        finally:
            await queue.close()

    events = [entry for news in asyncio.run(run()) for entry in news["entries"]]
    assert [(entry["requestId"], entry["caller"]) for entry in events] == [
        ("mine", "waiting"), ("mine", "gone"), ("mine", "waiting")
    ]  # fmt: skip


def test_a_page_continues_after_a_restart_of_the_server(state: Path, project: Path) -> None:
    with Running(state, project) as first:
        for number in range(4):
            respond(first, ask(first, requestId=f"r{number}"))
        page = list_entries(first, "?state=answered&limit=2")
        first.stop()
    with Running(state, project) as second:
        respond(second, ask(second, requestId="meanwhile"))
        older = list_entries(second, f"?state=answered&limit=9&before={page['next']}")
        assert [request_id for action, request_id in summary(older) if action == "response"] == ["r0", "r1"]
