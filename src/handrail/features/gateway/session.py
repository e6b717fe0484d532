"""JSON-RPC with one MCP server: requests out, answers, notifications and the server's own requests in.

Knows no process and no HTTP: a channel carries the messages. What a server gets wrong is logged and ignored where that
is harmless; where it is not, the session ends and everybody who waits gets an error.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

import msgspec

from handrail.kernel import strict_json
from handrail.kernel.visible import visible
from handrail.ports.errors import BadAnswer, Failure, Offline, Reported, Timeout

LONGEST_MESSAGE = 32 * 1024 * 1024
_MAX_DEPTH = 128
_MOST_GARBAGE = 100
_MOST_UNASKED = 20_000
_WINDOW_SECONDS = 5.0
_MOST_AT_ONCE = 64
_LONGEST_WORDS = 2000
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603

# The two ways in which libraries write an answer; its middle may be anything.
_HEAD = re.compile(rb'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*,\s*"(?:result|error)"')
_TAIL = re.compile(rb',\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$')

Progress = Callable[[str], Awaitable[None]]
Answerer = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Answers a request of the server's; a Failure becomes an error."""


class Channel(Protocol):
    """Carries messages to a server."""

    async def send(self, message: bytes, *, is_request: bool) -> None:
        """Offline: it can't be reached any more."""
        ...

    def negotiated(self, version: str) -> None:
        """The version of MCP that both sides speak from now on."""
        ...

    def break_off(self) -> None:
        """Ends it at once, without waiting."""
        ...


class Listener(Protocol):
    """What a session tells its owner."""

    def log(self, line: str) -> None: ...

    def notified(self, method: str, params: Mapping[str, Any]) -> None: ...

    async def asked(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request of the server's; a Failure refuses it."""
        ...


class Session:
    def __init__(self, name: str, listener: Listener) -> None:
        self._name = name
        self._listener = listener
        self._channel: Channel | None = None
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._progress: dict[int, Progress] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._garbage = 0
        self._unasked = 0
        self._window_began = time.monotonic()
        self.end: Failure | None = None
        """Why nothing more can come; None while it lasts."""

    def open(self, channel: Channel) -> None:
        self._channel = channel

    async def request(
        self, method: str, params: Mapping[str, Any], *, seconds: float | None, progress: Progress | None = None
    ) -> Any:
        """The result. Offline, Timeout, BadAnswer; Reported with the server's own error.

        Cancelling it tells the server. Without `seconds` somebody else bounds the wait.
        """
        self._number += 1
        number = self._number
        if progress is not None:
            params = {**params, "_meta": {"progressToken": number}}
            self._progress[number] = progress
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        try:
            async with asyncio.timeout(seconds):
                await self._send(message, is_request=True)
                return await answer
        except TimeoutError:
            self._give_up(number, "timed out")
            raise Timeout(f"{self._name} didn't answer {method} within {seconds:g} s.") from None
        except asyncio.CancelledError:
            self._give_up(number, "cancelled")
            raise
        finally:
            self._waiting.pop(number, None)
            self._progress.pop(number, None)
            if answer.done() and not answer.cancelled():
                answer.exception()  # looked at, so that nobody complains that it was not

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        await self._send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def heard(self, line: bytes) -> None:
        """One message from the server."""
        try:
            message = strict_json.decode(line, max_bytes=LONGEST_MESSAGE, max_depth=_MAX_DEPTH)
        except Failure as wrong:
            self._note_garbage(line, wrong.message)
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._note_garbage(line, "no JSON-RPC message")
            return
        method = message.get("method")
        if isinstance(method, str):
            self._hear_unasked(method, message)
        elif "result" in message or "error" in message:
            self._hear_answer(message)
        else:
            self._note_garbage(line, "no JSON-RPC message")

    def is_open(self, number: int) -> bool:
        """Whether somebody waits for the answer to this request."""
        waiting = self._waiting.get(number)
        return waiting is not None and not waiting.done()

    def fail(self, failure: Failure) -> None:
        """Nothing more comes: everybody who waits gets this."""
        if self.end is not None:
            return
        self.end = failure
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(failure)
        for task in self._answering:
            task.cancel()
        if self._channel is not None:
            self._channel.break_off()

    async def _send(self, message: Mapping[str, Any], *, is_request: bool = False) -> None:
        if self.end is not None:
            raise self.end
        assert self._channel is not None
        await self._channel.send(msgspec.json.encode(message), is_request=is_request)

    def _give_up(self, number: int, reason: str) -> None:
        if self.end is None:
            self._in_background(self.notify("notifications/cancelled", {"requestId": number, "reason": reason}))

    def _in_background(self, work: Awaitable[None]) -> None:
        async def quietly() -> None:
            with suppress(Failure):
                await work

        task = asyncio.get_running_loop().create_task(quietly())
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def _hear_answer(self, message: Mapping[str, Any]) -> None:
        number = message.get("id")
        waiting = self._waiting.get(number) if isinstance(number, int) and not isinstance(number, bool) else None
        if waiting is None or waiting.done():
            if isinstance(number, int) and 0 < number <= self._number:
                self._listener.log(f"[handrail] an answer that came twice or too late, ignored: id {number}")
                self._count_unasked()
            else:
                self.fail(BadAnswer(f"{self._name} answered a request that was never sent."))
            return
        error = message.get("error")
        if "result" in message and "error" not in message:
            waiting.set_result(message["result"])
        elif isinstance(error, dict) and isinstance(error.get("message"), str):
            words = visible(error["message"][:_LONGEST_WORDS]) or "no reason given"
            waiting.set_exception(Reported(f"{self._name} refused: {words}", code=str(error.get("code", ""))[:40]))
        else:
            waiting.set_exception(BadAnswer(f"{self._name} answered with what is neither a result nor an error."))

    def _hear_unasked(self, method: str, message: Mapping[str, Any]) -> None:
        if not self._count_unasked():
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if "id" in message:
            self._answer(message["id"], method, params)
        elif method == "notifications/progress":
            self._hear_progress(params)
        else:
            self._listener.notified(method, params)

    def _hear_progress(self, params: Mapping[str, Any]) -> None:
        token = params.get("progressToken")
        progress = self._progress.get(token) if isinstance(token, int) else None
        if progress is None:
            return
        steps = [params.get("progress"), params.get("total")]
        counted = "/".join(f"{step:g}" for step in steps if isinstance(step, int | float))
        words = params.get("message")
        said = words[:_LONGEST_WORDS] if isinstance(words, str) else ""
        if len(self._answering) < _MOST_AT_ONCE:
            self._in_background(progress(" ".join(part for part in (said, counted and f"({counted})") if part)))

    def _answer(self, id: Any, method: str, params: Mapping[str, Any]) -> None:
        async def answer() -> None:
            try:
                reply: dict[str, Any] = {"result": await self._listener.asked(method, params)}
            except Failure as refused:
                code = METHOD_NOT_FOUND if method not in ("elicitation/create", "ping") else INTERNAL_ERROR
                reply = {"error": {"code": code, "message": refused.message}}
            await self._send({"jsonrpc": "2.0", "id": id, **reply})

        if not isinstance(id, int | str) or len(self._answering) >= _MOST_AT_ONCE:
            self._listener.log(f"[handrail] a request of the server's was ignored: {method[:100]}")
            return
        self._in_background(answer())

    def _count_unasked(self) -> bool:
        """False once the server floods us: then the session is over."""
        now = time.monotonic()
        if now - self._window_began > _WINDOW_SECONDS:
            self._window_began, self._unasked = now, 0
        self._unasked += 1
        if self._unasked > _MOST_UNASKED:
            self.fail(BadAnswer(f"{self._name} sent more than {_MOST_UNASKED} messages that were not asked for."))
        return self.end is None

    def _note_garbage(self, line: bytes, why: str) -> None:
        self._garbage += 1
        self._listener.log(f"[not understood: {why[:100]}] {line[:500].decode(errors='replace')}")
        if (found := _HEAD.match(line[:200]) or _TAIL.search(line[-200:])) is not None:
            waiting = self._waiting.get(int(found[1]))
            if waiting is not None and not waiting.done():
                waiting.set_exception(BadAnswer(f"{self._name} sent an answer that can't be read: {why[:200]}"))
        if self._garbage > _MOST_GARBAGE:
            self.fail(BadAnswer(f"{self._name} doesn't speak MCP: more than {_MOST_GARBAGE} lines can't be read."))


def offline(name: str, why: str, **details: Any) -> Offline:
    hint = f"`handrail servers logs {name}` shows what it said."
    return Offline(f"The MCP server {name} {why}.", hint=hint, **details)
