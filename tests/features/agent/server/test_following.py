"""A page that begins to follow a task in the middle of a reply."""

import asyncio
import threading
from collections.abc import Iterator

from tests.faces.http.running import Running
from tests.features.agent.server.chat import chatting
from tests.features.agent.server.model_server import Answer, ModelServer


class _GatedReply(tuple[str, ...]):
    """Pieces of an answer: the last one waits for its gate."""

    gate: threading.Event

    def __iter__(self) -> Iterator[str]:
        *first, last = super().__iter__()
        yield from first
        self.gate.wait(30)
        yield last


def test_a_page_that_comes_in_the_middle_of_a_reply_sees_all_of_it(rig: Running, models: ModelServer) -> None:
    async def run() -> None:
        pieces = _GatedReply(("One, ", "two, ", "three."))
        pieces.gate = threading.Event()
        models.script("held", Answer(pieces))
        async with chatting(rig) as chat:
            await chat.say("Count", id="evt-1", model="openai-compatible:held")
            await chat.until(lambda event: chat.streamed == "One, two, ")
            async with chatting(rig, chat.task) as late:
                await late.page.send("frontend_message", {"v": 1, "type": "subscribe", "taskId": chat.task})
                await late.until(lambda event: late.streamed == "One, two, ")
                pieces.gate.set()
                for page in (chat, late):
                    await page.of("chatDelta", finished=True)
                    assert page.streamed == "One, two, three."

    asyncio.run(run())
