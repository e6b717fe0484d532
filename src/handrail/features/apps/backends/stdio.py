"""Apps on standard input and output: one process per app, kept running, started again when it has ended.

Replies are matched by `request_id`. An app that breaks the framing loses its process and all pending answers; other
apps are not affected.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

import msgspec

from handrail.features.apps.backends.child import Child, Why
from handrail.features.apps.calls.envelopes import MAX_REPLY, encoded
from handrail.features.apps.calls.program_digest import of_command
from handrail.features.apps.model import App, AppRequest, AppTool, StdioExecution
from handrail.ports.errors import BadAnswer, Failure, Offline

_OURS = "HANDRAIL_"
"""handrail's own environment variables are not passed on to apps."""


class _Addressed(msgspec.Struct):
    request_id: str


_ADDRESSED = msgspec.json.Decoder(_Addressed)


class StdioTransport:
    def __init__(self) -> None:
        self._apps: dict[str, _Running] = {}
        self._ending: set[asyncio.Task[None]] = set()

    async def call(self, app: App, tool: AppTool, request: AppRequest, *, timeout: float) -> bytes:
        running = self._apps.get(app.id)
        if running is None or not running.is_usable(app):
            if running is not None:
                self._part_with(running)
            running = self._apps[app.id] = _Running(app)
        try:
            return await running.ask(request)
        except asyncio.CancelledError:
            if running.is_idle():
                # There is no other way to call a line off, and the next would wait behind it.
                self._part_with(running)
            raise

    async def close(self) -> None:
        running, self._apps = list(self._apps.values()), {}
        await asyncio.gather(*(each.close() for each in running), *self._ending, return_exceptions=True)

    def _part_with(self, running: "_Running") -> None:
        if self._apps.get(running.app.id) is running:
            del self._apps[running.app.id]
        task = asyncio.create_task(running.destroy())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


class _Running:
    """One process of an app, from its start to its end."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._given_up: set[str] = set()
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._is_spoiled = False

    def is_usable(self, app: App) -> bool:
        if self._is_spoiled or asyncio.get_running_loop() is not self._loop:
            return False
        return app.execution == self.app.execution and (self._child is None or self._child.is_alive)

    def is_idle(self) -> bool:
        return not self._waiting

    async def ask(self, request: AppRequest) -> bytes:
        child = await self._started()
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[request.request_id] = answer
        try:
            try:
                await child.write(encoded(request))
            except ConnectionError:
                if not answer.done():
                    answer.set_exception(self._gone())
            return await answer
        except asyncio.CancelledError:
            self._given_up.add(request.request_id)
            raise
        finally:
            self._waiting.pop(request.request_id, None)

    async def close(self) -> None:
        if self._child is not None:
            await self._child.close()
        self._fail_all(self._gone())

    async def destroy(self) -> None:
        self._is_spoiled = True
        if self._child is not None:
            await self._child.destroy()
        self._fail_all(self._gone())

    async def _started(self) -> Child:
        async with self._starting:
            if self._child is None:
                place = self.app.execution
                assert isinstance(place, StdioExecution)
                folder = _folder(self.app)
                env = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
                try:
                    self._child = await Child.start(
                        _command(place, folder), {**env, **place.env}, folder, MAX_REPLY, self._heard, self._ended
                    )
                except OSError as error:
                    self._is_spoiled = True
                    raise Offline(
                        f"{self.app.id} can't be started: {error.strerror or error}: {place.command}",
                        hint="Its descriptor's execution.command names the program.",
                    ) from None
            return self._child

    def _heard(self, lines: list[bytes]) -> None:
        """The lines of one read. An id in two of them is answered twice, so neither counts."""
        answers: dict[str, list[bytes]] = {}
        for line in lines:
            try:
                answers.setdefault(_ADDRESSED.decode(line).request_id, []).append(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self._spoil(BadAnswer(f"{self.app.id} wrote a line that isn't a reply of this contract."))
                return
        for id, replies in answers.items():
            waiting = self._waiting.get(id)
            if id in self._given_up:
                self._given_up.discard(id)
            elif waiting is None or waiting.done():
                self._spoil(BadAnswer(f"{self.app.id} answered a request that was not open: it can't be trusted."))
            elif len(replies) > 1:
                waiting.set_exception(BadAnswer(f"{self.app.id} answered one request {len(replies)} times."))
                self._spoil(BadAnswer(f"{self.app.id} answered another request twice."))
            else:
                waiting.set_result(replies[0])

    def _spoil(self, failure: Failure) -> None:
        """Lines can no longer be matched to requests."""
        self._is_spoiled = True
        self._fail_all(failure)
        if self._child is not None:
            self._child.kill()

    def _ended(self, why: Why) -> None:
        self._is_spoiled = True
        match why:
            case "ended":
                self._fail_all(self._gone())
            case "too long":
                self._fail_all(BadAnswer(f"{self.app.id} answered more than {MAX_REPLY} bytes.", maxBytes=MAX_REPLY))
            case "not understood":
                self._fail_all(BadAnswer(f"{self.app.id} answered what can't be read."))

    def _fail_all(self, failure: Failure) -> None:
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(failure)

    def _gone(self) -> Offline:
        said = self._child.last_words if self._child is not None else ""
        details: dict[str, Any] = {"stderr": said} if said else {}
        return Offline(f"{self.app.id} ended before it answered.", **details)


def _folder(app: App) -> str:
    """The folder of the descriptor, or the home folder if it has none."""
    beside = os.path.dirname(app.source)
    return beside if os.path.isdir(beside) else str(Path.home())


def _command(place: StdioExecution, folder: str) -> list[str]:
    """`~` is the user's home, and a relative path begins at the descriptor. There is no shell."""
    command = os.path.expanduser(place.command)
    if "/" in command and not os.path.isabs(command):
        command = os.path.join(folder, command)
    return [command, *place.args]


def program_of(app: App, place: StdioExecution) -> str:
    """Which program a call would start. Blocks."""
    folder = _folder(app)
    return of_command(_command(place, folder), folder, place.env.get("PATH"))
