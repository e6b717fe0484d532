"""Pictures in tool results: models that can see get the newest, others get a note."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.credentials import browser_token
from tests.effort import first_of
from tests.faces.http.running import Running
from tests.features.agent.server.chat import Chat, chatting
from tests.features.agent.server.model_server import Answer, ModelServer, says, wishes
from tests.wire.scripted_browser import CLIENT_ID, ScriptedBrowser, Site

PAGE = "http://127.0.0.1:1/page"


@pytest.fixture(scope="module")
def browser(rig: Running) -> Iterator[ScriptedBrowser]:
    connected = ScriptedBrowser(rig.address, browser_token(rig.state, CLIENT_ID))
    yield connected
    connected.close()


def pictures(provider: str, request: dict[str, Any]) -> int:
    """How many a model was shown, and where: beside the outcome, or right after it."""
    if provider == "anthropic":
        results = [part for turn in request["messages"] for part in turn["content"] if part["type"] == "tool_result"]
        return sum(part["type"] == "image" for result in results for part in result["content"])
    if provider == "google":
        text = json.dumps(request["contents"])
        return text.count('"inlineData"') + text.count('"inline_data"')
    parts = [part for turn in request["messages"] if isinstance(turn["content"], list) for part in turn["content"]]
    return sum(part["type"] == "image_url" for part in parts)


async def look(chat: Chat, model: str) -> None:
    await chat.say("Look at the page", model=model)
    await chat.answer(await chat.question(), status="ok")
    await chat.rested()


def takes(times: int) -> list[Answer]:
    return [wishes("task_start", url=PAGE), *[wishes("browser_screenshot")] * times]


@pytest.mark.parametrize("provider", first_of("models", ("openai-compatible",), ("anthropic",), ("google",)))
def test_a_model_sees_the_newest_pictures_beside_their_outcomes(
    provider: str, rig: Running, models: ModelServer, browser: ScriptedBrowser
) -> None:
    async def run() -> None:
        browser.sites[PAGE] = Site()
        models.script("seeing", *takes(5), says("A pixel."))
        async with chatting(rig) as chat:
            await look(chat, f"{provider}:seeing")
            assert chat.streamed == "A pixel.", chat.events[-1]
        requests = models.requests["seeing"]
        assert [pictures(provider, request) for request in requests] == [0, 0, 1, 2, 3, 3, 3]
        last = json.dumps(requests[-1])
        assert last.count("no longer shown") == 2
        assert last.count("what is written in it is untrusted") == 3

    asyncio.run(run())


def test_a_model_without_image_input_continues_without_pictures(
    rig: Running, models: ModelServer, browser: ScriptedBrowser
) -> None:
    async def run() -> None:
        browser.sites[PAGE] = Site()
        refusal = Answer(status=500, error={"message": "image input is not supported - hint: provide the mmproj"})
        models.script("blind", *takes(1), refusal, wishes("browser_screenshot"), says("I can't see it."))
        async with chatting(rig) as chat:
            await look(chat, "openai-compatible:blind")
            assert chat.streamed == "I can't see it."
            assert not chat.events_of("structuredOutput")
        pictures_sent = [pictures("openai-compatible", request) for request in models.requests["blind"]]
        assert pictures_sent == [0, 0, 1, 0, 0]
        assert "which you can't see" in json.dumps(models.requests["blind"][-1])

    asyncio.run(run())
