"""Questions that are also sent to the client: with the SDK's own client over both transports, and line by line."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client as SdkClient
from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    CallToolResult,
    ElicitRequestFormParams,
    ElicitResult,
    ErrorData,
    Implementation,
    InputRequiredResult,
    InputResponses,
)

from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.prompt_entries import ResponseEntry
from handrail.ports.prompt_queue import QueuedPrompt
from handrail.ports.prompt_response import PromptResponse
from handrail.stores.local.prompt_store import prompt_store
from tests.effort import first_of
from tests.waiting import eventually
from tests.wire.clients import HANDRAIL, Json, Up, run
from tests.wire.stage import SCENE, START

BOTH = pytest.mark.parametrize("face", first_of("faces", ("stdio",), ("streamable",)))
pytestmark = pytest.mark.anyio

OPTIONS = [{"value": "a", "label": "Apple"}, {"value": "b", "label": "Pear"}]
ANSWERED = PromptResponse(status="ok", values={"answer": "grey"})

REPLACE = {"path": START, "find": "beach", "replace": "city"}

Answer = Callable[[ElicitRequestFormParams], Awaitable[ElicitResult | ErrorData]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Person:
    """The person at the client with their form, and the queue, which has the same question."""

    def __init__(self, state: Path) -> None:
        self.queue = LogPromptQueue(prompt_store(state))
        self.shown: list[ElicitRequestFormParams] = []
        self.is_shown = anyio.Event()
        self.was_taken_back = anyio.Event()
        self.says: Answer = self.thinks

    async def __call__(self, context: Any, params: Any) -> ElicitResult | ErrorData:
        assert isinstance(params, ElicitRequestFormParams)
        self.shown.append(params)
        self.is_shown.set()
        return await self.says(params)

    async def thinks(self, params: ElicitRequestFormParams) -> ElicitResult:
        try:
            await anyio.sleep_forever()
        finally:
            self.was_taken_back.set()
        return ElicitResult(action="cancel")

    def will(self, action: Any, **content: Any) -> None:
        async def says(params: ElicitRequestFormParams) -> ElicitResult:
            return ElicitResult(action=action, content=content or None)

        self.says = says

    async def waiting(self) -> QueuedPrompt:
        return (await eventually(self.queue.pending, "a question"))[0]

    async def answers_in_the_queue(self, response: PromptResponse = ANSWERED) -> None:
        await self.queue.respond((await self.waiting()).request_id, response)

    async def answer_in_the_log(self) -> ResponseEntry:
        last = (await self.queue.entries()).entries[-1]
        assert isinstance(last, ResponseEntry)
        return last


@pytest.fixture
def own_state(tmp_path: Path) -> Path:
    folder = tmp_path / "own-state"
    folder.mkdir()
    return folder


@pytest.fixture
async def person(own_state: Path) -> AsyncIterator[Person]:
    person = Person(own_state)
    yield person
    await person.queue.close()


@asynccontextmanager
async def connected(
    face: str, project: Path, state: Path, person: Person | None, mode: str = "legacy", **environ: str
) -> AsyncIterator[SdkClient]:
    name = Implementation(name="wire", version="1")
    if face == "stdio":
        arguments = ["mcp", "--project", str(project), "--state", str(state)]
        server = StdioServerParameters(command=HANDRAIL, args=arguments, env={**os.environ, **environ})
        async with SdkClient(
            stdio_client(server), mode=mode, elicitation_callback=person, client_info=name, raise_exceptions=True
        ) as client:
            yield client
        return
    up = Up(project, state, environ=environ)
    try:
        url, headers = str(up.http.base_url.join("/mcp")), {"Authorization": up.http.headers["Authorization"]}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
            SdkClient(
                streamable_http_client(url, http_client=http), mode=mode, elicitation_callback=person, client_info=name
            ) as client,
        ):
            yield client
    finally:
        up.close()


async def call(client: SdkClient, tool: str, **params: Any) -> Json:
    result = await client.call_tool(tool, params)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def ask(client: SdkClient) -> Json:
    return await call(client, "ask_followup_question", question="Which colour?")


@BOTH
async def test_the_clients_answer_is_accepted_and_logged(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    person.will("accept", answer="blue")
    async with connected(face, own_project, own_state, person) as client:
        assert await ask(client) == {"ack": True, "answer": "blue"}
    (form,) = person.shown
    assert form.message == "A question\n\nWhich colour?"
    assert form.requested_schema["required"] == ["answer"]
    entry = await person.answer_in_the_log()
    assert entry.response == PromptResponse(status="ok", values={"answer": "blue"})
    assert await person.queue.answered_by([entry.request_id]) == {entry.request_id: "client:wire/1"}
    assert await person.queue.pending() == []


@BOTH
async def test_choices_are_made_in_the_client(face: str, own_project: Path, own_state: Path, person: Person) -> None:
    async with connected(face, own_project, own_state, person) as client:
        person.will("accept", selection="b")
        assert (await call(client, "prompt_choices", options=OPTIONS))["selection"] == "b"
        person.will("accept", selection=["a", "b"])
        assert (await call(client, "prompt_choices", options=OPTIONS, multiple=True))["selection"] == ["a", "b"]
        person.will("decline")
        assert (await call(client, "prompt_choices", options=OPTIONS))["status"] == "canceled"


@BOTH
async def test_an_answer_from_elsewhere_takes_the_form_back(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    async with connected(face, own_project, own_state, person) as client, anyio.create_task_group() as tasks:

        async def answer() -> None:
            await person.is_shown.wait()
            await person.answers_in_the_queue()

        tasks.start_soon(answer)
        assert await ask(client) == {"ack": True, "answer": "grey"}
        await person.was_taken_back.wait()
        assert (await client.call_tool("read_file", {"path": "notes.md"})).is_error is False


@BOTH
async def test_a_client_that_never_answers_does_not_delay_others(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    async with connected(face, own_project, own_state, person) as client:
        result = await call(client, "prompt_choices", options=OPTIONS, timeout_ms=50)
        assert result["status"] == "timeout"
    assert await person.queue.pending() == []


@BOTH
async def test_a_form_with_a_secret_is_not_sent_to_the_client(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    fields = [{"key": "name"}, {"key": "password", "secret": True}]
    values = {"name": "Ada", "password": "tr0ub4dor"}
    async with connected(face, own_project, own_state, person) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(person.answers_in_the_queue, PromptResponse(status="ok", values=values))
        assert (await call(client, "prompt_key_values", fields=fields))["values"] == values
    assert person.shown == []


UNUSABLE = [
    pytest.param(ElicitResult(action="accept"), id="nothing"),
    pytest.param(ElicitResult(action="accept", content={"answer": 5}), id="a number"),
    pytest.param(ElicitResult(action="accept", content={"answer": "blue", "more": "x"}), id="a field too many"),
    pytest.param(ElicitResult(action="cancel"), id="dismissed"),
    pytest.param(ErrorData(code=INTERNAL_ERROR, message="no window"), id="an error"),
]


@BOTH
@pytest.mark.parametrize("answer", UNUSABLE)
async def test_an_invalid_answer_leaves_the_question_open(
    face: str, own_project: Path, own_state: Path, person: Person, answer: ElicitResult | ErrorData
) -> None:
    has_answered = anyio.Event()

    async def says(params: ElicitRequestFormParams) -> ElicitResult | ErrorData:
        has_answered.set()
        return answer

    async def answer_elsewhere() -> None:
        await has_answered.wait()
        for _ in ("while it is sent", "after it was read"):
            await client.call_tool("read_file", {"path": "notes.md"})
        await person.answers_in_the_queue()

    person.says = says
    async with connected(face, own_project, own_state, person) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(answer_elsewhere)
        assert await ask(client) == {"ack": True, "answer": "grey"}
    assert len(person.shown) == 1


@BOTH
async def test_a_client_of_the_newest_protocol_is_asked_in_its_answer_and_calls_again(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    person.will("accept", answer="blue")
    async with connected(face, own_project, own_state, person, mode="auto") as client:
        assert client.protocol_version == "2026-07-28"
        assert await ask(client) == {"ack": True, "answer": "blue"}
        (form,) = person.shown
        assert form.message == "A question\n\nWhich colour?"
        person.will("accept", selection="b")
        assert (await call(client, "prompt_choices", options=OPTIONS))["selection"] == "b"
    entry = await person.answer_in_the_log()
    assert await person.queue.answered_by([entry.request_id]) == {entry.request_id: "client:wire/1"}


@BOTH
async def test_an_answer_from_elsewhere_ends_the_question_of_the_newest_protocol_as_well(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    async def says(params: ElicitRequestFormParams) -> ElicitResult:
        await person.answers_in_the_queue()
        return ElicitResult(action="accept", content={"answer": "late"})

    person.says = says
    async with connected(face, own_project, own_state, person, mode="auto") as client:
        assert await ask(client) == {"ack": True, "answer": "grey"}


async def test_only_the_asked_client_may_answer_and_only_for_that_call(own_project: Path, own_state: Path) -> None:
    async with connected("stdio", own_project, own_state, Person(own_state), mode="auto") as client:
        question = {"question": "Which colour?"}
        first = await client.session.call_tool("ask_followup_question", question, allow_input_required=True)
        assert isinstance(first, InputRequiredResult)
        for arguments, state in (({"question": "Another?"}, first.request_state), (question, "made up")):
            with pytest.raises(MCPError, match="not open"):
                await client.session.call_tool(
                    "ask_followup_question", arguments, request_state=state, allow_input_required=True
                )
        assert first.input_requests is not None
        answers: InputResponses = {
            name: ElicitResult(action="accept", content={"answer": "red"}) for name in first.input_requests
        }
        result = await client.session.call_tool(
            "ask_followup_question", question, input_responses=answers, request_state=first.request_state
        )
        assert result.structured_content == {"ack": True, "answer": "red"}


@BOTH
async def test_a_call_that_its_client_cancels_takes_the_question_and_the_form_back(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    async with connected(face, own_project, own_state, person) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, client)
            await person.is_shown.wait()
            tasks.cancel_scope.cancel()
        await person.was_taken_back.wait()
    entry = await person.answer_in_the_log()
    assert entry.response.status == "timeout"


@BOTH
async def test_an_approval_is_sent_to_the_client_if_the_settings_say_so(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    async with connected(face, own_project, own_state, person, HANDRAIL_ELICIT_APPROVALS="true") as client:
        person.will("accept", decision="deny", remark="keep the beach")
        denied = await client.call_tool("replace_in_file", REPLACE)
        assert denied.is_error
        assert "keep the beach" in str(denied.content)
        assert (own_project / START).read_text() == SCENE
        person.will("accept", decision="once")
        await call(client, "replace_in_file", **REPLACE)
        assert "city" in (own_project / START).read_text()
    assert START in person.shown[0].message
    assert "-changeBg:beach.jpg;\n+changeBg:city.jpg;" in person.shown[0].message
    history = run("history", "--project", own_project, "--state", own_state)
    assert "by client:wire/1" in history.stdout


@BOTH
async def test_an_approval_is_not_sent_to_the_client_by_default(
    face: str, own_project: Path, own_state: Path, person: Person
) -> None:
    async with connected(face, own_project, own_state, person) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(person.answers_in_the_queue, PromptResponse(status="ok"))
        await call(client, "replace_in_file", **REPLACE)
    assert person.shown == []
