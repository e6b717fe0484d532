"""Questions to clients of protocol 2026-07-28, to which a server sends no requests.

A call that asks is answered with its questions (`input_required`). It stays open here, and its questions are in the
queue as well. The client calls again with its answers and the state that it was given, and gets the result or the next
question. A client that doesn't come back within an hour has given up.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from handrail.faces.mcp.open_call import CallParams, OpenCall
from handrail.faces.mcp.protocol import INVALID_PARAMS, RpcError

_SECONDS = 3600.0
Work = Callable[[OpenCall], Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class _Waiting:
    open_call: OpenCall
    expiry: asyncio.TimerHandle


class InputRounds:
    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._waiting: dict[str, _Waiting] = {}

    async def answer(self, owner: str, params: CallParams, work: Work) -> dict[str, Any]:
        """`work` carries the call out, and asks through the open call that it gets."""
        if params.request_state is None:
            open_call = OpenCall(owner, params)
            open_call.start(work)
        else:
            open_call = self._resumed(owner, params, params.request_state)
            open_call.take(params.input_responses or {})
        open_call.is_heard = True
        try:
            await open_call.settled(lambda call: bool(call.questions()))
        finally:
            open_call.is_heard = False
        return await open_call.task if open_call.task.done() else self._asking(open_call)

    def forget(self, owner: str) -> None:
        """Ends the open calls of a client that has gone."""
        for state, waiting in list(self._waiting.items()):
            if waiting.open_call.owner == owner:
                waiting.expiry.cancel()
                self._give_up(state)

    def _asking(self, open_call: OpenCall) -> dict[str, Any]:
        state = secrets.token_urlsafe(24)
        expiry = asyncio.get_running_loop().call_later(self._seconds, self._give_up, state)
        self._waiting[state] = _Waiting(open_call, expiry)
        return {"resultType": "input_required", "inputRequests": open_call.questions(), "requestState": state}

    def _resumed(self, owner: str, params: CallParams, state: str) -> OpenCall:
        waiting = self._waiting.get(state)
        if waiting is None or not waiting.open_call.is_of(owner, params):
            raise RpcError(INVALID_PARAMS, "This question is not open. Call the tool again, without `requestState`.")
        del self._waiting[state]
        waiting.expiry.cancel()
        return waiting.open_call

    def _give_up(self, state: str) -> None:
        self._waiting.pop(state).open_call.stop()
