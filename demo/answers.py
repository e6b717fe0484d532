"""Answers the agent's questions: the person in this terminal or in the console, or $ANSWER instead.

The questions are in handrail's own queue, so the first answer counts, wherever it is given.
"""

import asyncio
import os
import re
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Literal, cast

from demo.tour_printer import TourPrinter
from handrail.ports.errors import Conflict, Failure
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt, KvPrompt, ResultPrompt, TaskConfirmPrompt
from handrail.wiring import Wiring

Preset = Literal["allow", "deny"]
LOUDNESS = "60"
_REMARK = "Not now: this demonstration shows what a denial looks like."


class Answers:
    def __init__(self, queue: PromptQueue, preset: Preset | None, printer: TourPrinter) -> None:
        self._queue = queue
        self._preset = preset
        self._printer = printer
        self._typing: dict[str, asyncio.Task[None]] = {}
        self.count = 0

    async def follow(self, position: int) -> None:
        """Handles entries from this position on, until it is cancelled."""
        try:
            async for page in self._queue.follow(position):
                for entry in page.entries:
                    if isinstance(entry, RequestEntry):
                        await self._on_request(entry)
                    else:
                        await self._on_response(entry)
        finally:
            for task in self._typing.values():
                task.cancel()

    async def _on_request(self, entry: RequestEntry) -> None:
        if isinstance(entry.prompt, ResultPrompt):
            return  # shown by the agent itself
        await self._printer.catch_up(entry.request_id)
        self._printer.asks(entry.prompt)
        if self._preset is not None:
            with suppress(Conflict):
                await self._queue.respond(
                    entry.request_id, _preset(entry, self._preset), by=f"make demo ANSWER={self._preset}"
                )
        elif sys.stdin.isatty():
            self._typing[entry.request_id] = asyncio.create_task(self._ask_in_terminal(entry))
        else:
            self._printer.line("  Answer in the console.", "dim")

    async def _ask_in_terminal(self, entry: RequestEntry) -> None:
        termios.tcflush(sys.stdin, termios.TCIFLUSH)  # ignores input typed before the question appeared
        while True:
            self._printer.hint(_instructions(entry))
            if (line := await _read_line()) is None:
                return
            if (response := _parse_line(entry, line)) is None:
                continue
            try:
                await self._queue.respond(entry.request_id, response, by=f"terminal:{Wiring().machine.user}")
            except Conflict:
                return
            except Failure as failure:
                self._printer.line(f"  {failure.message}", "red")
                continue
            return

    async def _on_response(self, entry: ResponseEntry) -> None:
        self.count += 1
        by = (await self._queue.answered_by([entry.request_id])).get(entry.request_id, "a person")
        if (typing := self._typing.pop(entry.request_id, None)) is not None and not typing.done():
            typing.cancel()
            self._printer.line("")
        match entry.response:
            case PromptResponse(status="ok", values={"answer": answer}):
                self._printer.answered(f"“{answer}”", by)
            case PromptResponse(status="ok"):
                self._printer.answered("yes", by)
            case PromptResponse(remark=str(remark)) if remark:
                self._printer.answered(f"no: {remark}", by)
            case _:
                self._printer.answered("no", by)


@asynccontextmanager
async def answer_questions(state: Path, preset: Preset | None, printer: TourPrinter) -> AsyncIterator[Answers]:
    """Within the context, a person counts as watching the queue, so no one else is notified."""
    stores = Wiring().open_stores(state)
    queue = stores.prompts
    answers = Answers(queue, preset, printer)
    try:
        with stores.watching():
            position = (await queue.entries(0)).position  # before the first question can come
            async with asyncio.TaskGroup() as group:
                task = group.create_task(answers.follow(position))
                yield answers
                task.cancel()
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None  # from the tour or the task, whichever failed first
    finally:
        await queue.close()


def parse_preset(value: str | None) -> Preset | None:
    """ValueError for anything other than allow, deny or ask."""
    if value in (None, "", "ask"):
        return None
    if value not in ("allow", "deny"):
        raise ValueError(f"ANSWER must be allow or deny, not {value!r}. Without it, you are asked.")
    return cast(Preset, value)


def _preset(entry: RequestEntry, preset: Preset) -> PromptResponse:
    """Confirms the plan in both cases, because otherwise there would be nothing to deny."""
    match entry.prompt:
        case TaskConfirmPrompt(tasks=tasks):
            return PromptResponse(status="ok", tasks=tasks)
        case KvPrompt(fields=fields) if preset == "allow":
            return PromptResponse(status="ok", values={field.key: LOUDNESS for field in fields})
        case FileChangePrompt() if preset == "allow":
            return PromptResponse(status="ok")
    return PromptResponse(status="canceled", remark=_REMARK) if isinstance(entry.prompt, FileChangePrompt) else _NO


_NO = PromptResponse(status="canceled")


def _instructions(entry: RequestEntry) -> str:
    match entry.prompt:
        case TaskConfirmPrompt():
            return "[y]es / y -2 to skip step 2 / [n]o / what to change in the plan:"
        case KvPrompt():
            return "Your answer (empty to decline):"
    return "[y]es / for this [t]ask / [n]o / n with a remark:"


def _parse_line(entry: RequestEntry, line: str) -> PromptResponse | None:
    """None if the line isn't a valid answer, so the question is repeated."""
    word, _, rest = line.partition(" ")
    match entry.prompt, word.lower():
        case KvPrompt(fields=fields), _:
            return PromptResponse(status="ok", values={field.key: line for field in fields}) if line else _NO
        case _, "n" | "no" | "n:" | "no:":
            return PromptResponse(status="canceled", remark=rest) if rest else _NO
        case TaskConfirmPrompt(tasks=tasks), "y" | "yes":
            excluded = {int(number) for number in re.findall(r"-(\d+)", rest)}
            kept = [task for number, task in enumerate(tasks, 1) if number not in excluded]
            return PromptResponse(status="ok", tasks=tuple(kept))
        case TaskConfirmPrompt(), _ if line:
            return PromptResponse(status="canceled", remark=line)
        case FileChangePrompt(), "y" | "yes":
            return PromptResponse(status="ok")
        case FileChangePrompt(), "t" | "task":
            return PromptResponse(status="ok", scope="task")
    return None


async def _read_line() -> str | None:
    """Returns the next line that the person enters; None at the end of input."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[bytes] = loop.create_future()
    stdin = sys.stdin.fileno()

    def on_input() -> None:
        if not line.done():
            line.set_result(os.read(stdin, 4096))

    loop.add_reader(stdin, on_input)
    try:
        data = await line
    finally:
        loop.remove_reader(stdin)
    return data.decode(errors="replace").strip() if data else None
