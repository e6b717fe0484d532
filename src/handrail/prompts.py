"""`host.uiPrompts` of contract 5 for Python programs: ask people, follow answers, and answer.

    async with handrail.prompts.connect(plugin_id="com.example.music", app_id="player") as ui:
        answer = await ui.ask({"kind": "choice", "options": [{"value": "a"}, {"value": "b"}]})

It uses the queue in the state directory directly; no server is needed. Errors are the conditions of
`handrail.ports.errors`: InvalidParams names the fields, Conflict means that someone else answered first.
"""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from handrail.kernel.prompts.first_answer import withdraw
from handrail.kernel.prompts.foreign_prompts import check_foreign, needs_person
from handrail.ports.errors import Declined, Failure, InputOutput, InvalidParams, Unsupported
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import Origin, Page, PromptAnswer, PromptQueue, Receipt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import Prompt
from handrail.wiring import Wiring

__all__ = [
    "Page",
    "PromptAnswer",
    "PromptResponse",
    "Receipt",
    "RequestEntry",
    "ResponseEntry",
    "UiPrompts",
    "connect",
]

_RETRY_SECONDS = 1.0

logger = logging.getLogger(__name__)


@asynccontextmanager
async def connect(*, plugin_id: str, app_id: str, state: Path | None = None) -> AsyncIterator["UiPrompts"]:
    """Connects to the queue of a state directory, by default the user's own."""
    if not plugin_id or not app_id:
        raise InvalidParams("plugin_id and app_id tell people who asks; neither can be empty.")
    queue = (await asyncio.to_thread(Wiring().open_stores, state)).prompts
    try:
        ui = UiPrompts(queue, f"{plugin_id}:{app_id}", state, (await queue.entries(0)).position)
        try:
            yield ui
        finally:
            await ui.stop()
    finally:
        await queue.close()


class UiPrompts:
    """The connection that `connect` returns."""

    def __init__(self, queue: PromptQueue, source: str, state: Path | None, position: int) -> None:
        self._queue = queue
        self._source = source
        self._origin = Origin(
            f"app:{source} ({os.path.realpath(sys.executable)}, pid {os.getpid()}, uid {os.getuid()})"
        )
        self._state = state
        self._position = position
        self._listening: set[asyncio.Task[None]] = set()

    @property
    def path(self) -> str:
        """The log's location."""
        return self._queue.location

    async def read(self, limit: int | None = None) -> Page:
        """The newest `limit` entries of the log; all by default."""
        return await self._queue.entries(limit)

    async def pending(self) -> list[RequestEntry]:
        """Prompts without an answer, oldest first."""
        return [each.request for each in await self._queue.pending()]

    async def updates(self, since: int | None = None) -> AsyncGenerator[Page, None]:
        """Yields entries as they are added, from this connection's start or from a page's `position`; never ends."""
        async with aclosing(self._queue.follow(self._position if since is None else since)) as pages:
            async for page in pages:
                yield page

    def on_update(self, listener: Callable[[Page], object]) -> Callable[[], None]:
        """Calls a listener in the background; the returned function ends it. Errors are logged."""
        task = asyncio.create_task(self._notify(listener))
        self._listening.add(task)
        task.add_done_callback(self._listening.discard)

        def stop() -> None:
            task.cancel()

        return stop

    async def request(
        self, prompt: Prompt | Mapping[str, Any], *, request_id: str | None = None, run_id: str | None = None
    ) -> str:
        """Returns the requestId once the prompt is on disk. It stays there until it is answered."""
        check_foreign(prompt, request_id)
        return await self._queue.request(
            self._with_source(prompt), request_id=request_id, run_id=run_id, origin=self._origin
        )

    async def wait(self, request_id: str) -> PromptAnswer:
        """Waits for the answer without a time limit.

        Secrets only reach a program that is waiting when they are given; `ask` always waits.
        """
        return await self._queue.wait(request_id)

    async def ask(
        self,
        prompt: Prompt | Mapping[str, Any],
        *,
        request_id: str | None = None,
        run_id: str | None = None,
        timeout: float | None = None,
    ) -> PromptAnswer:
        """`request` and `wait` in one. After `timeout` seconds, or when cancelled, the question is withdrawn."""
        check_foreign(prompt, request_id)
        used_id = request_id or str(uuid4())
        try:
            async with asyncio.timeout(timeout):
                return await self._queue.ask(
                    self._with_source(prompt), request_id=used_id, run_id=run_id, origin=self._origin
                )
        except TimeoutError:
            return await withdraw(self._queue, used_id, f"app:{self._source}")
        except asyncio.CancelledError:
            await asyncio.shield(withdraw(self._queue, used_id, f"app:{self._source}"))
            raise

    async def respond(
        self, request_id: str, response: PromptResponse | Mapping[str, Any], *, run_id: str | None = None
    ) -> Receipt:
        """Answers for a person whom this program has asked in its own way.

        Approvals are for people: a program can only confirm a change for which it has posted the prompt itself.
        """
        if await needs_person(self._queue, request_id, self._origin.by):
            raise Declined(
                "Only a person can answer this.",
                hint="Answer it in the console (`handrail open`) or in a terminal (`handrail prompts`).",
                reason="person",
            )
        return await self._queue.respond(request_id, response, run_id=run_id, by=f"app:{self._source}")

    async def open(self) -> None:
        """Opens the console in the person's browser, as `handrail open` does. Needs a server and a display."""
        where = () if self._state is None else ("--state", str(self._state))
        pipe = asyncio.subprocess.PIPE
        words = (sys.executable, "-m", "handrail", "open", *where)
        process = await asyncio.create_subprocess_exec(*words, stdout=pipe, stderr=pipe)
        printed, complaint = await process.communicate()
        if process.returncode != 0:
            raise InputOutput(complaint.decode(errors="replace").strip() or "The console can't be opened.")
        if printed:  # the address, for a person to copy, because there is no display
            raise Unsupported(
                "There is no display to open the console on.",
                hint="Run `handrail prompts` in a terminal, or `handrail open --print`.",
            )

    async def stop(self) -> None:
        """Ends every listener."""
        for task in list(self._listening):
            task.cancel()
        await asyncio.gather(*self._listening, return_exceptions=True)

    async def _notify(self, listener: Callable[[Page], object]) -> None:
        position = self._position
        while True:
            try:
                async for page in self.updates(position):
                    position = page.position
                    try:
                        listener(page)
                    except Exception:
                        logger.exception("a listener to the queue of prompts failed")
            except Failure as failure:
                logger.warning("the queue of prompts can't be followed: %s", failure.message)
                await asyncio.sleep(_RETRY_SECONDS)

    def _with_source(self, prompt: Prompt | Mapping[str, Any]) -> Prompt | Mapping[str, Any]:
        """Adds the source if the prompt has none."""
        if isinstance(prompt, Mapping):
            return prompt if prompt.get("source") else {**prompt, "source": self._source}
        if getattr(prompt, "source", self._source):  # the queue refuses what isn't a prompt
            return prompt
        return msgspec.structs.replace(prompt, source=self._source)
