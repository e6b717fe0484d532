"""`handrail.prompts` as a Python program uses it, on the queue and with other users of it."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from handrail import prompts
from handrail.ports.errors import Conflict, Declined, InputOutput, InvalidParams
from handrail.ports.prompts import ResultPrompt
from handrail.prompts import Page, RequestEntry, ResponseEntry, UiPrompts
from tests.faces.cli.machine import Machine

FORM = {"kind": "kv", "fields": [{"key": "name"}, {"key": "token", "secret": True}]}
CHOICE = {"kind": "choice", "options": [{"value": "a"}, {"value": "b"}]}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
async def ui(state: Path) -> AsyncIterator[UiPrompts]:
    async with prompts.connect(state=state, plugin_id="com.example.music", app_id="player") as connected:
        yield connected


@pytest.fixture
async def other(state: Path) -> AsyncIterator[UiPrompts]:
    async with prompts.connect(state=state, plugin_id="com.example.other", app_id="panel") as connected:
        yield connected


async def until_pending(ui: UiPrompts) -> RequestEntry:
    async with aclosing(ui.updates(0)) as pages:
        async for _ in pages:
            if pending := await ui.pending():
                return pending[0]
    raise AssertionError


async def test_a_question_goes_out_and_its_answer_comes_back(ui: UiPrompts, other: UiPrompts, state: Path) -> None:
    request_id = await ui.request(CHOICE, run_id="run-1")
    assert ui.path == str(state / "ui-prompts.jsonl")
    (request,) = await other.pending()
    assert (request.request_id, request.run_id) == (request_id, "run-1")
    await other.respond(request_id, {"status": "ok", "selection": "b"})
    answer = await ui.wait(request_id)
    assert (answer.response.status, answer.response.selection) == ("ok", "b")
    assert [type(entry) for entry in (await ui.read()).entries] == [RequestEntry, ResponseEntry]
    assert len((await ui.read(limit=1)).entries) == 1


async def test_a_prompt_without_a_source_gets_the_program_as_its_source(ui: UiPrompts) -> None:
    for prompt in (
        CHOICE,
        {**CHOICE, "source": ""},
        {**CHOICE, "source": "me"},
        ResultPrompt(),
        ResultPrompt(source="x"),
    ):
        await ui.request(prompt)
    own = "com.example.music:player"
    assert [entry.prompt.source for entry in await ui.pending()] == [own, own, "me", own, "x"]


async def test_a_secret_reaches_the_asker(ui: UiPrompts, other: UiPrompts, state: Path) -> None:
    asking = asyncio.create_task(ui.ask(FORM))
    question = await until_pending(other)
    receipt = await other.respond(question.request_id, {"status": "ok", "values": {"name": "Ada", "token": "hunter2"}})
    assert receipt.warnings == ()
    assert (await asking).response.values == {"name": "Ada", "token": "hunter2"}
    assert "hunter2" not in repr(await other.read())


async def test_updates_miss_nothing_since_the_connection_was_made(ui: UiPrompts, other: UiPrompts) -> None:
    request_id = await other.request(CHOICE)
    await other.respond(request_id, {"status": "canceled"})
    async with aclosing(ui.updates()) as pages:
        page = await anext(pages)
    assert [entry.action for entry in page.entries] == ["request", "response"]
    await other.request(CHOICE, request_id="later")
    async with aclosing(ui.updates(page.position)) as pages:
        assert [entry.request_id for entry in (await anext(pages)).entries] == ["later"]


async def test_a_chain_of_questions_is_driven_by_updates(ui: UiPrompts, other: UiPrompts) -> None:
    """§9 of the contract: each response decides the next request."""
    answers = {"choice": {"status": "ok", "selection": "a"}, "result": {"status": "ok"}}
    replies: list[asyncio.Task[prompts.Receipt]] = []

    def person(page: Page) -> None:
        questions = [entry for entry in page.entries if isinstance(entry, RequestEntry)]
        value = [(entry.request_id, answers[str(entry.prompt.__struct_config__.tag)]) for entry in questions]
        replies.extend(asyncio.create_task(other.respond(*each)) for each in value)

    stop = other.on_update(person)
    await ui.request(CHOICE, request_id="first")
    async with aclosing(ui.updates()) as pages:
        async for page in pages:
            answer = {entry.request_id for entry in page.entries if isinstance(entry, ResponseEntry)}
            if "first" in answer:
                await ui.request({"kind": "result", "markdown": "done"}, request_id="second")
            if "second" in answer:
                break
    stop()
    await asyncio.gather(*replies)
    assert len(replies) == 2


async def test_a_failing_listener_is_logged_and_still_gets_the_next_update(
    ui: UiPrompts, caplog: pytest.LogCaptureFixture
) -> None:
    values: list[str] = []
    heard = asyncio.Event()

    def listener(page: Page) -> None:
        values.extend(entry.request_id for entry in page.entries)
        heard.set()
        raise RuntimeError("broken")

    with caplog.at_level(logging.ERROR):
        ui.on_update(listener)
        for request_id in ("one", "two"):
            await ui.request(CHOICE, request_id=request_id)
            await heard.wait()
            heard.clear()
    assert values == ["one", "two"]
    assert "a listener to the queue of prompts failed" in caplog.text


async def test_a_question_that_takes_too_long_is_withdrawn(ui: UiPrompts) -> None:
    answer = await ui.ask(CHOICE, timeout=0)
    assert answer.response.status == "timeout"
    assert await ui.pending() == []


async def test_a_question_of_a_task_that_is_cancelled_is_withdrawn(ui: UiPrompts, other: UiPrompts) -> None:
    asking = asyncio.create_task(ui.ask(CHOICE))
    await until_pending(other)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await other.pending() == []


async def test_errors_name_the_problem(ui: UiPrompts) -> None:
    with pytest.raises(InvalidParams, match="options: is required"):
        await ui.request({"kind": "choice"})
    request_id = await ui.request(CHOICE)
    with pytest.raises(InvalidParams, match="selection"):
        await ui.respond(request_id, {"status": "ok", "selection": "c"})
    await ui.respond(request_id, {"status": "canceled"})
    with pytest.raises(Conflict):
        await ui.respond(request_id, {"status": "canceled"})
    with pytest.raises(InvalidParams, match="plugin_id"):
        async with prompts.connect(plugin_id="", app_id="x"):
            pass


async def test_confirming_another_programs_change_is_for_people(ui: UiPrompts, other: UiPrompts) -> None:
    request_id = await other.request({"kind": "file_change_confirm"})
    for id in (request_id, "plan_msg_1", "ask_exec_1"):
        with pytest.raises(Declined, match="person"):
            await ui.respond(id, {"status": "ok"})


async def test_an_app_can_answer_its_own_prompts(ui: UiPrompts) -> None:
    request_id = await ui.request({"kind": "file_change_confirm", "path": "a.txt"})
    await ui.respond(request_id, {"status": "ok"})
    assert (await ui.wait(request_id)).response.status == "ok"


async def test_a_question_that_could_pass_for_an_approval_is_refused(ui: UiPrompts) -> None:
    scope = {"method": "desktop.click", "paramsDigest": "0" * 64}
    for ask in (ui.request, ui.ask):
        for id in ("approval_1", "plan_msg_1", "ask_exec_1", "done_exec_1"):
            with pytest.raises(InvalidParams, match="requestId"):
                await ask({"kind": "result"}, request_id=id)
        with pytest.raises(InvalidParams, match="scope"):
            await ask({"kind": "file_change_confirm", "scope": scope})
    assert await ui.pending() == []


async def test_opening_the_console_without_a_server_says_what_to_do(ui: UiPrompts) -> None:
    with pytest.raises(InputOutput, match="handrail up"):
        await ui.open()


def test_a_person_answers_a_python_program_on_the_command_line(tmp_path: Path) -> None:
    async def asked() -> str:
        async with prompts.connect(state=machine.state, plugin_id="p", app_id="a") as ui:
            request_id = await ui.request(CHOICE)
            result = await asyncio.to_thread(machine.run, "prompts", "answer", request_id, "--ok", "--choose", "b")
            assert result.status == 0, result
            return str((await ui.wait(request_id)).response.selection)

    machine = Machine(tmp_path, tmp_path / "state")
    assert asyncio.run(asked()) == "b"
