"""JSON-RPC with one MCP server: sends requests, receives answers, notifications and the server's own requests.

Independent of processes and HTTP: a channel carries the messages. Harmless mistakes of a server are logged and
ignored; others end the session, and every waiting caller gets an error.
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
_MAX_GARBAGE = 100
_MAX_UNSOLICITED = 20_000
_WINDOW_SECONDS = 5.0
_MAX_AT_ONCE = 64
_LONGEST_WORDS = 2000
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603

# The two ways in which libraries write an answer; anything may be between them.
_HEAD = re.compile(rb'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*,\s*"(?:result|error)"')
_TAIL = re.compile(rb',\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$')

Progress = Callable[[str], Awaitable[None]]


class Channel(Protocol):
    """Carries messages to a server."""

    async def send(self, message: bytes, *, is_request: bool) -> None:
        """Offline: the server can't be reached any more."""
        ...

    def set_version(self, version: str) -> None:
        """Sets the MCP version that both sides use from now on."""
        ...

    def abort(self) -> None:
        """Closes it at once, without waiting."""
        ...


class Listener(Protocol):
    """Handles what a session receives, for its owner."""

    def log(self, line: str) -> None: ...

    def handle_notification(self, method: str, params: Mapping[str, Any]) -> None: ...

    async def answer_request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Answers a request from the server; a Failure refuses it."""
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
        self._unsolicited = 0
        self._window_began = time.monotonic()
        self.end: Failure | None = None
        """Why the session has ended; None while it is open."""

    def open(self, channel: Channel) -> None:
        self._channel = channel

    async def request(
        self, method: str, params: Mapping[str, Any], *, seconds: float | None, progress: Progress | None = None
    ) -> Any:
        """Returns the result. Offline, Timeout, BadAnswer; Reported with the server's own error.

        Cancellation is passed on to the server. Without `seconds`, the caller limits the wait.
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
                answer.exception()  # retrieved, so that asyncio doesn't log it as unhandled

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        await self._send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def receive(self, line: bytes) -> None:
        """Handles one message from the server."""
        try:
            message = strict_json.decode(line, max_bytes=LONGEST_MESSAGE, max_depth=_MAX_DEPTH)
        except Failure as failure:
            self._log_garbage(line, failure.message)
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._log_garbage(line, "no JSON-RPC message")
            return
        method = message.get("method")
        if isinstance(method, str):
            self._receive_unsolicited(method, message)
        elif "result" in message or "error" in message:
            self._receive_answer(message)
        else:
            self._log_garbage(line, "no JSON-RPC message")

    def is_open(self, number: int) -> bool:
        """Whether a caller is waiting for the answer to this request."""
        waiting = self._waiting.get(number)
        return waiting is not None and not waiting.done()

    def fail(self, failure: Failure) -> None:
        """Ends the session: every waiting caller gets this failure."""
        if self.end is not None:
            return
        self.end = failure
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(failure)
        for task in self._answering:
            task.cancel()
        if self._channel is not None:
            self._channel.abort()

    async def _send(self, message: Mapping[str, Any], *, is_request: bool = False) -> None:
        if self.end is not None:
            raise self.end
        assert self._channel is not None
        await self._channel.send(msgspec.json.encode(message), is_request=is_request)

    def _give_up(self, number: int, reason: str) -> None:
        if self.end is None:
            about = {"requestId": number, "reason": reason}
            self._in_background(lambda: self.notify("notifications/cancelled", about))

    def _in_background(self, work: Callable[[], Awaitable[None]]) -> None:
        async def quietly() -> None:
            with suppress(Failure):
                await work()

        task = asyncio.get_running_loop().create_task(quietly())
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    def _receive_answer(self, message: Mapping[str, Any]) -> None:
        number = message.get("id")
        waiting = self._waiting.get(number) if isinstance(number, int) and not isinstance(number, bool) else None
        if waiting is None or waiting.done():
            if isinstance(number, int) and 0 < number <= self._number:
                self._listener.log(f"[handrail] ignored a duplicate or late answer: id {number}")
                self._count_unsolicited()
            else:
                self.fail(BadAnswer(f"{self._name} answered a request that was never sent."))
            return
        error = message.get("error")
        if "result" in message and "error" not in message:
            waiting.set_result(message["result"])
        elif isinstance(error, dict) and isinstance(error.get("message"), str):
            text = visible(error["message"][:_LONGEST_WORDS]) or "no reason given"
            waiting.set_exception(Reported(f"{self._name} refused: {text}", code=str(error.get("code", ""))[:40]))
        else:
            waiting.set_exception(BadAnswer(f"{self._name} answered with neither a result nor an error."))

    def _receive_unsolicited(self, method: str, message: Mapping[str, Any]) -> None:
        if not self._count_unsolicited():
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if "id" in message:
            self._answer(message["id"], method, params)
        elif method == "notifications/progress":
            self._report_progress(params)
        else:
            self._listener.handle_notification(method, params)

    def _report_progress(self, params: Mapping[str, Any]) -> None:
        token = params.get("progressToken")
        progress = self._progress.get(token) if isinstance(token, int) else None
        if progress is None:
            return
        steps = [params.get("progress"), params.get("total")]
        count = "/".join(f"{step:g}" for step in steps if isinstance(step, int | float))
        message = params.get("message")
        text = message[:_LONGEST_WORDS] if isinstance(message, str) else ""
        if len(self._answering) < _MAX_AT_ONCE:
            line = " ".join(part for part in (text, count and f"({count})") if part)
            self._in_background(lambda: progress(line))

    def _answer(self, id: Any, method: str, params: Mapping[str, Any]) -> None:
        async def answer() -> None:
            try:
                reply: dict[str, Any] = {"result": await self._listener.answer_request(method, params)}
            except Failure as refused:
                code = METHOD_NOT_FOUND if method not in ("elicitation/create", "ping") else INTERNAL_ERROR
                reply = {"error": {"code": code, "message": refused.message}}
            await self._send({"jsonrpc": "2.0", "id": id, **reply})

        if not isinstance(id, int | str) or len(self._answering) >= _MAX_AT_ONCE:
            self._listener.log(f"[handrail] ignored a request from the server: {method[:100]}")
            return
        self._in_background(answer)

    def _count_unsolicited(self) -> bool:
        """Returns False once the server floods us, which ends the session."""
        now = time.monotonic()
        if now - self._window_began > _WINDOW_SECONDS:
            self._window_began, self._unsolicited = now, 0
        self._unsolicited += 1
        if self._unsolicited > _MAX_UNSOLICITED:
            self.fail(BadAnswer(f"{self._name} sent more than {_MAX_UNSOLICITED} unsolicited messages."))
        return self.end is None

    def _log_garbage(self, line: bytes, why: str) -> None:
        self._garbage += 1
        self._listener.log(f"[not understood: {why[:100]}] {line[:500].decode(errors='replace')}")
        if (match := _HEAD.match(line[:200]) or _TAIL.search(line[-200:])) is not None:
            waiting = self._waiting.get(int(match[1]))
            if waiting is not None and not waiting.done():
                waiting.set_exception(BadAnswer(f"{self._name} sent an answer that can't be read: {why[:200]}"))
        if self._garbage > _MAX_GARBAGE:
            self.fail(BadAnswer(f"{self._name} doesn't speak MCP: more than {_MAX_GARBAGE} lines can't be read."))


def offline(name: str, why: str, **details: Any) -> Offline:
    hint = f"`handrail servers logs {name}` shows what it said."
    return Offline(f"The MCP server {name} {why}.", hint=hint, **details)
