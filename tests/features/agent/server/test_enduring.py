"""Errors that don't pass, and a conversation of five thousand messages."""

import asyncio

import pytest

from tests.faces.http.running import Running
from tests.features.agent.server.chat import add_turns, chatting
from tests.features.agent.server.model_server import Answer, ModelServer, says
from tests.features.agent.server.test_talking import content_of, error

NOW = {"retry-after": "0"}


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (error(429, "rate_limit_error", "slow down", **NOW), "RATE_LIMITED", "is refusing requests"),
        (error(400, "context_length_exceeded", "too long"), "BAD_REQUEST", "longer than"),
        (error(402, "insufficient_quota", "no credit"), "FORBIDDEN", "no credit left"),
    ],
    ids=["rate limit", "overflow", "no credit"],
)
def test_a_trouble_that_stays_ends_the_run_which_can_be_resumed(
    answer: Answer, code: str, words: str, rig: Running, models: ModelServer
) -> None:
    async def run() -> None:
        models.script("hopeless", *[answer] * 4)
        async with chatting(rig) as chat:
            await chat.say("Hello", model="openai-compatible:hopeless")
            output = await chat.of("structuredOutput", status="error")
            assert output["error"]["code"] == code
            assert words in output["error"]["message"]
            rested = await chat.rested()
            assert (rested["canResume"], rested["trouble"]) == (True, output["error"]["message"])
            models.script("hopeless", says("At last."))
            await chat.steer("resume")
            await chat.of("chatDelta", finished=True)
            assert chat.streamed == "At last."
            await chat.rested()

    asyncio.run(run())


def test_a_task_of_five_thousand_messages_can_continue(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        models.script("long", says("Begun."), says("A summary of it all."), says("I remember."))
        async with chatting(rig) as chat:
            await chat.say("Begin", model="openai-compatible:long")
            await chat.rested()
            turns = [
                {"type": "user", "id": f"m{n}", "text": f"question {n} " * 20}
                if n % 2
                else {"type": "assistant", "text": f"answer {n} " * 20}
                for n in range(5000)
            ]
            add_turns(rig.state, chat.task, turns)
            await chat.say("Do you remember?")
            await chat.of("chatDelta", finished=True, content="I remember.")
            await chat.rested()
        request = models.requests["long"]
        assert len(request) == 3
        assert "A summary of the conversation so far" in content_of(request[2])
        assert "A summary of it all." in content_of(request[2])
        assert "Do you remember?" in content_of(request[2])

    asyncio.run(run())
