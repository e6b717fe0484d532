"""A person at the full-screen view: presses keys in the real app over a real queue, and reads the screen."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from handrail.features.people.cli.screen.app import PromptsApp
from handrail.features.people.cli.screen.key_line import KeyLine
from handrail.features.people.cli.screen.lines import TextBlock
from handrail.features.people.cli.screen.page import PromptPage
from handrail.features.people.cli.screen.texts import ENGLISH, Texts
from handrail.ports.prompt_queue import PromptQueue
from tests.waiting import PATIENCE


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class ScreenUser:
    def __init__(self, app: PromptsApp, pilot: Pilot[int], clock: Clock, log: Path) -> None:
        self.app = app
        self.pilot = pilot
        self.clock = clock
        self._log = log

    async def press(self, *keys: str) -> None:
        """Presses keys like a person who reads before each one."""
        for key in keys:
            self.clock.now += 1
            await self.pilot.press(key)
            await self.pilot.pause()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await self.pilot.pause()

    async def until_shown(self, text: str) -> None:
        try:
            await self.until(lambda: text in self.screen)
        except TimeoutError:
            raise AssertionError(f"{text!r} did not appear:\n{self.screen}") from None

    async def until_said(self, text: str) -> None:
        await self.until(lambda: text in self.status.replace("\n", " "))

    async def answered(self, request_id: str) -> dict[str, Any]:
        """Waits for the response in the log, and returns it."""
        await self.until(lambda: request_id in self.responses)
        return self.responses[request_id]

    @property
    def responses(self) -> dict[str, dict[str, Any]]:
        lines = map(json.loads, self._log.read_bytes().splitlines()) if self._log.exists() else ()
        return {line["requestId"]: line["response"] for line in lines if line["action"] == "response"}

    @property
    def page(self) -> PromptPage:
        assert self.app.page is not None
        return self.app.page

    @property
    def shown(self) -> str | None:
        return self.app.page.row.id if self.app.page is not None else None

    @property
    def rows(self) -> list[str]:
        return [row.id for row in self.app.board]

    @property
    def status(self) -> str:
        block = self.app.query_one("#status", TextBlock)
        return block.plain if block.display else ""

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in self.app.query_one(KeyLine).shown]

    @property
    def typed(self) -> list[str]:
        return [field.value for field in self.page.form.query(Input)]

    @property
    def screen(self) -> str:
        """Every character as the terminal would show it."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)


@asynccontextmanager
async def using_screen(
    queue: PromptQueue, log: Path, *, size: tuple[int, int] = (80, 24), texts: Texts = ENGLISH
) -> AsyncIterator[ScreenUser]:
    clock = Clock()
    app = PromptsApp(queue, "terminal:ada", texts, clock)
    async with app.run_test(size=size) as pilot:
        user = ScreenUser(app, pilot, clock, log)
        waiting = {entry.request_id for entry in await queue.pending()}
        await user.until(lambda: waiting <= set(user.rows) and (not waiting or user.app.page is not None))
        await pilot.pause()
        yield user
