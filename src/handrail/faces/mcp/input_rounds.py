"""Questions to clients of protocol 2026-07-28, to which a server sends no requests.

A call that asks is answered with what it asks (`input_required`). It goes on here meanwhile, and its question waits in
the queue as well. The client calls again with its answers and the state that it was given, and gets the result or the
next question. A client that does not come back is one that has given up.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from handrail.faces.mcp.elicitation import Form, answer_of
from handrail.faces.mcp.sdk import MCPError, types
from handrail.ports.prompts import Prompt, PromptResponse

_SECONDS = 3600.0
Work = Callable[["OpenCall"], Awaitable[dict[str, Any]]]


class OpenCall:
    """One call from its first request to its result."""

    def __init__(self, owner: str, params: types.CallToolRequestParams) -> None:
        self._of = owner, params.name, params.arguments
        self._open: dict[str, tuple[Prompt, asyncio.Future[PromptResponse | None]]] = {}
        self._questions: asyncio.Queue[tuple[str, Form]] = asyncio.Queue()
        self._count = 0
        self.is_heard = True
        """A request of the client's waits for it."""
        self.task: asyncio.Future[Any] | None = None
        self.expiry: asyncio.TimerHandle | None = None

    def is_of(self, owner: str, params: types.CallToolRequestParams) -> bool:
        return self._of == (owner, params.name, params.arguments)

    async def ask(self, prompt: Prompt, form: Form) -> PromptResponse | None:
        """Cancelled when somebody else answers first."""
        self._count += 1
        name = f"question-{self._count}"
        answer: asyncio.Future[PromptResponse | None] = asyncio.get_running_loop().create_future()
        self._open[name] = prompt, answer
        await self._questions.put((name, form))
        try:
            return await answer
        finally:
            del self._open[name]

    def take(self, responses: Mapping[str, Any]) -> None:
        """What is answered already, or was never asked, is passed over."""
        for name, response in responses.items():
            if name in self._open and isinstance(response, types.ElicitResult):
                prompt, answer = self._open[name]
                if not answer.done():
                    answer.set_result(answer_of(prompt, response.action, response.content or {}))

    async def next(self) -> tuple[str, Form] | None:
        """What it asks next that is still open; None when it has ended."""
        assert self.task is not None
        while True:
            asking: asyncio.Future[Any] = asyncio.ensure_future(self._questions.get())
            try:
                await asyncio.wait((self.task, asking), return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                self.task.cancel()
                raise
            finally:
                asking.cancel()
            if self.task.done():
                return None
            name, form = asking.result()
            if name in self._open:
                return name, form


class InputRounds:
    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._waiting: dict[str, OpenCall] = {}

    async def answer(self, owner: str, params: types.CallToolRequestParams, work: Work) -> dict[str, Any]:
        """`work` carries the call out; it gets the open_call, to ask through it."""
        if params.request_state is None:
            open_call = OpenCall(owner, params)
            open_call.task = asyncio.ensure_future(work(open_call))
        else:
            open_call = self._resumed(owner, params, params.request_state)
            open_call.take(params.input_responses or {})
        open_call.is_heard = True
        try:
            asked = await open_call.next()
        finally:
            open_call.is_heard = False
        assert open_call.task is not None
        if asked is None:
            result: dict[str, Any] = await open_call.task
            return result
        return self._asking(open_call, *asked)

    def _asking(self, open_call: OpenCall, name: str, form: Form) -> dict[str, Any]:
        state = secrets.token_urlsafe(24)
        self._waiting[state] = open_call
        open_call.expiry = asyncio.get_running_loop().call_later(self._seconds, self._give_up, state)
        asked = {"mode": "form", "message": form.message, "requestedSchema": form.schema}
        return {
            "resultType": "input_required",
            "inputRequests": {name: {"method": "elicitation/create", "params": asked}},
            "requestState": state,
        }

    def _resumed(self, owner: str, params: types.CallToolRequestParams, state: str) -> OpenCall:
        open_call = self._waiting.get(state)
        if open_call is None or not open_call.is_of(owner, params):
            message = "This question is not open. Call the tool again, without `requestState`."
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        del self._waiting[state]
        if open_call.expiry is not None:
            open_call.expiry.cancel()
        return open_call

    def _give_up(self, state: str) -> None:
        open_call = self._waiting.pop(state)
        if open_call.task is not None:
            open_call.task.cancel()
            open_call.task.add_done_callback(lambda task: task.cancelled() or task.exception())
