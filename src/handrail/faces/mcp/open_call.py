"""A tool call that outlives the request that began it: its questions, its progress and its result."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from handrail.faces.mcp.elicitation import Form, response_of
from handrail.ports.prompt_queue import AnswerChannel, FindChannels
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import Prompt


class CallParams(msgspec.Struct, frozen=True, rename="camel"):
    """Parameters of `tools/call`."""

    name: str
    arguments: dict[str, Any] | None = None
    request_state: str | None = None
    input_responses: dict[str, Any] | None = None


class OpenCall:
    def __init__(self, owner: str, params: CallParams) -> None:
        self.owner = owner
        self._key = owner, params.name, params.arguments
        self._open: dict[str, tuple[Prompt, Form, asyncio.Future[PromptResponse | None]]] = {}
        self._count = 0
        self._changed = asyncio.Event()
        self.is_heard = True
        """Whether a request of the client waits for it."""
        self.has_asked_person = False
        self.message = ""
        """The latest progress message."""
        self.task: asyncio.Future[dict[str, Any]]

    def start(self, work: Callable[["OpenCall"], Awaitable[dict[str, Any]]]) -> None:
        self.task = asyncio.ensure_future(work(self))

    def stop(self) -> None:
        self.task.cancel()
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())

    def matches(self, owner: str, params: CallParams) -> bool:
        return self._key == (owner, params.name, params.arguments)

    def watch_questions(self, find_channels: FindChannels) -> FindChannels:
        """Wraps `find_channels` so that this call knows when a person is asked."""

        def channels(prompt: Prompt) -> Sequence[AnswerChannel]:
            self.has_asked_person = True
            self._changed.set()
            return find_channels(prompt)

        return channels

    async def ask(self, prompt: Prompt, form: Form) -> PromptResponse | None:
        """Puts a question to the client. Cancelled when someone else answers first."""
        self._count += 1
        name = f"question-{self._count}"
        answer: asyncio.Future[PromptResponse | None] = asyncio.get_running_loop().create_future()
        self._open[name] = prompt, form, answer
        self._changed.set()
        try:
            return await answer
        finally:
            del self._open[name]

    def take(self, responses: Mapping[str, Any]) -> None:
        """Ignores answers to questions that are closed or were never asked."""
        for name, response in responses.items():
            if name in self._open and isinstance(response, Mapping):
                prompt, _, answer = self._open[name]
                if not answer.done():
                    answer.set_result(response_of(prompt, response))

    def questions(self) -> dict[str, Any]:
        """The open questions to the client, as `inputRequests`."""
        return {
            name: {
                "method": "elicitation/create",
                "params": {"mode": "form", "message": form.message, "requestedSchema": form.schema},
            }
            for name, (_, form, answer) in self._open.items()
            if not answer.done()
        }

    async def wait_until(self, is_enough: Callable[["OpenCall"], bool], seconds: float | None = None) -> None:
        """Returns when the call has ended, on `is_enough`, or on timeout. When cancelled, cancels the call, too."""
        loop = asyncio.get_running_loop()
        end = None if seconds is None else loop.time() + seconds
        while not self.task.done() and not is_enough(self) and (end is None or loop.time() < end):
            self._changed.clear()
            changed = asyncio.ensure_future(self._changed.wait())
            remaining = None if end is None else end - loop.time()
            try:
                await asyncio.wait((self.task, changed), timeout=remaining, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                self.stop()
                raise
            finally:
                changed.cancel()
