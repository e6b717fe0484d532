"""Asks clients of protocol 2026-07-28 questions, without requests from the server.

A call that asks is answered with its questions (`input_required`). It stays open here, and its questions are also in
the queue. The client calls again with its answers and the state that it got, and gets the result or the next
question. If it doesn't call again within an hour, the call is cancelled.
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
class _PausedCall:
    open_call: OpenCall
    expiry: asyncio.TimerHandle


class InputRounds:
    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._paused: dict[str, _PausedCall] = {}

    async def answer(self, owner: str, params: CallParams, work: Work) -> dict[str, Any]:
        """`work` runs the call and asks its questions through the open call that it gets."""
        if params.request_state is None:
            open_call = OpenCall(owner, params)
            open_call.start(work)
        else:
            open_call = self._resume(owner, params, params.request_state)
            open_call.take(params.input_responses or {})
        open_call.is_heard = True
        try:
            await open_call.wait_until(lambda call: bool(call.questions()))
        finally:
            open_call.is_heard = False
        return await open_call.task if open_call.task.done() else self._ask_client(open_call)

    def forget(self, owner: str) -> None:
        """Ends the open calls of a client that has disconnected."""
        for state, paused in list(self._paused.items()):
            if paused.open_call.owner == owner:
                paused.expiry.cancel()
                self._expire(state)

    def _ask_client(self, open_call: OpenCall) -> dict[str, Any]:
        state = secrets.token_urlsafe(24)
        expiry = asyncio.get_running_loop().call_later(self._seconds, self._expire, state)
        self._paused[state] = _PausedCall(open_call, expiry)
        return {"resultType": "input_required", "inputRequests": open_call.questions(), "requestState": state}

    def _resume(self, owner: str, params: CallParams, state: str) -> OpenCall:
        paused = self._paused.get(state)
        if paused is None or not paused.open_call.matches(owner, params):
            raise RpcError(INVALID_PARAMS, "This question is not open. Call the tool again, without `requestState`.")
        del self._paused[state]
        paused.expiry.cancel()
        return paused.open_call

    def _expire(self, state: str) -> None:
        self._paused.pop(state).open_call.stop()
