"""Apps on stdin and stdout: one process per app, kept running, and restarted when it has ended.

Replies are matched by `request_id`. An app that breaks the framing loses its process and all pending answers, without
effect on other apps.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec

from handrail.features.apps.backends.child import Child, EndReason
from handrail.features.apps.calls.envelopes import MAX_REPLY, encode_request
from handrail.features.apps.calls.program_digest import command_digest
from handrail.features.apps.model import App, AppRequest, AppTool, StdioExecution
from handrail.ports.errors import BadAnswer, Failure, Offline
from handrail.ports.unreadable_json import UNREADABLE_JSON

_OWN_PREFIX = "HANDRAIL_"
"""handrail's own environment variables are not passed on to apps."""


class _ReplyHead(msgspec.Struct):
    request_id: str


_REPLY_HEAD = msgspec.json.Decoder(_ReplyHead)


class StdioTransport:
    def __init__(self) -> None:
        self._apps: dict[str, _AppProcess] = {}
        self._ending: set[asyncio.Task[None]] = set()

    async def call(self, app: App, tool: AppTool, request: AppRequest, *, timeout: float) -> bytes:
        running = self._apps.get(app.id)
        if running is None or not running.is_usable(app):
            if running is not None:
                self._discard(running)
            running = self._apps[app.id] = _AppProcess(app)
        try:
            return await running.ask(request)
        except asyncio.CancelledError:
            if running.is_idle():
                # Nothing else can cancel a request on a pipe, and the next one would wait behind it.
                self._discard(running)
            raise

    async def close(self) -> None:
        processes, self._apps = list(self._apps.values()), {}
        await asyncio.gather(*(each.close() for each in processes), *self._ending, return_exceptions=True)

    def _discard(self, running: "_AppProcess") -> None:
        if self._apps.get(running.app.id) is running:
            del self._apps[running.app.id]
        task = asyncio.create_task(running.destroy())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


class _AppProcess:
    """One process of an app, from its start to its end."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._abandoned: set[str] = set()
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._is_broken = False

    def is_usable(self, app: App) -> bool:
        if self._is_broken or asyncio.get_running_loop() is not self._loop:
            return False
        return app.execution == self.app.execution and (self._child is None or self._child.is_alive)

    def is_idle(self) -> bool:
        return not self._waiting

    async def ask(self, request: AppRequest) -> bytes:
        child = await self._start()
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[request.request_id] = answer
        try:
            try:
                await child.write(encode_request(request))
            except ConnectionError:
                if not answer.done():
                    answer.set_exception(self._offline())
            return await answer
        except asyncio.CancelledError:
            self._abandoned.add(request.request_id)
            raise
        finally:
            self._waiting.pop(request.request_id, None)

    async def close(self) -> None:
        if self._child is not None:
            await self._child.close()
        self._fail_all(self._offline())

    async def destroy(self) -> None:
        self._is_broken = True
        if self._child is not None:
            await self._child.destroy()
        self._fail_all(self._offline())

    async def _start(self) -> Child:
        async with self._starting:
            if self._child is None:
                place = self.app.execution
                assert isinstance(place, StdioExecution)
                folder = _folder(self.app)
                env = {name: value for name, value in os.environ.items() if not name.startswith(_OWN_PREFIX)}
                try:
                    self._child = await Child.start(
                        _command(place, folder), {**env, **place.env}, folder, MAX_REPLY, self._on_lines, self._on_end
                    )
                except OSError as error:
                    self._is_broken = True
                    raise Offline(
                        f"{self.app.id} can't be started: {error.strerror or error}: {place.command}",
                        hint="Its descriptor's execution.command names the program.",
                    ) from None
            return self._child

    def _on_lines(self, lines: list[bytes]) -> None:
        """Handles the lines of one read. Two replies to one id fail the request, because neither can be trusted."""
        answers: dict[str, list[bytes]] = {}
        for line in lines:
            try:
                answers.setdefault(_REPLY_HEAD.decode(line).request_id, []).append(line)
            except UNREADABLE_JSON:
                self._break_off(BadAnswer(f"{self.app.id} wrote a line that isn't a reply of this contract."))
                return
        for id, replies in answers.items():
            waiting = self._waiting.get(id)
            if id in self._abandoned:
                self._abandoned.discard(id)
            elif waiting is None or waiting.done():
                self._break_off(BadAnswer(f"{self.app.id} answered a request that wasn't open: it can't be trusted."))
            elif len(replies) > 1:
                waiting.set_exception(BadAnswer(f"{self.app.id} answered one request {len(replies)} times."))
                self._break_off(BadAnswer(f"{self.app.id} answered another request twice."))
            else:
                waiting.set_result(replies[0])

    def _break_off(self, failure: Failure) -> None:
        """Gives up the process: its lines can no longer be matched to requests."""
        self._is_broken = True
        self._fail_all(failure)
        if self._child is not None:
            self._child.kill()

    def _on_end(self, reason: EndReason) -> None:
        self._is_broken = True
        match reason:
            case "ended":
                self._fail_all(self._offline())
            case "too long":
                self._fail_all(BadAnswer(f"{self.app.id} answered more than {MAX_REPLY} bytes.", maxBytes=MAX_REPLY))
            case "not understood":
                self._fail_all(BadAnswer(f"{self.app.id} sent output that can't be read."))

    def _fail_all(self, failure: Failure) -> None:
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(failure)

    def _offline(self) -> Offline:
        last_words = self._child.last_words if self._child is not None else ""
        details: dict[str, Any] = {"stderr": last_words} if last_words else {}
        return Offline(f"{self.app.id} ended before it answered.", **details)


def _folder(app: App) -> str:
    """The folder of the descriptor, or the home folder if there is none."""
    folder = os.path.dirname(app.source)
    return folder if os.path.isdir(folder) else str(Path.home())


def _command(place: StdioExecution, folder: str) -> list[str]:
    """`~` is the user's home, and relative paths start at the descriptor. No shell is used."""
    command = os.path.expanduser(place.command)
    if "/" in command and not os.path.isabs(command):
        command = os.path.join(folder, command)
    return [command, *place.args]


def program_digest_of(app: App, place: StdioExecution) -> str:
    """Identifies the program that a call would start. Blocks."""
    folder = _folder(app)
    return command_digest(_command(place, folder), folder, place.env.get("PATH"))
