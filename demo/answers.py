"""Who answers what the agent asks: the person in this terminal or in the console, or $ANSWER in their place.

The questions are those of handrail's own queue, so the first answer counts, wherever it was given.
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

from demo.teller import Teller
from handrail.ports.errors import Conflict, Failure
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt, KvPrompt, ResultPrompt, TaskConfirmPrompt
from handrail.wiring import Wiring

Preset = Literal["allow", "deny"]
LOUDNESS = "60"
_REMARK = "Not now: this demonstration shows what a no looks like."


class Answers:
    def __init__(self, queue: PromptQueue, preset: Preset | None, teller: Teller) -> None:
        self._queue = queue
        self._preset = preset
        self._teller = teller
        self._typing: dict[str, asyncio.Task[None]] = {}
        self.count = 0

    async def follow(self, position: int) -> None:
        """From there on, until it is cancelled."""
        try:
            async for page in self._queue.follow(position):
                for entry in page.entries:
                    if isinstance(entry, RequestEntry):
                        await self._asked(entry)
                    else:
                        await self._told(entry)
        finally:
            for task in self._typing.values():
                task.cancel()

    async def _asked(self, entry: RequestEntry) -> None:
        if isinstance(entry.prompt, ResultPrompt):
            return  # told by the agent itself
        await self._teller.catch_up(entry.request_id)
        self._teller.asks(entry.prompt)
        if self._preset is not None:
            with suppress(Conflict):
                await self._queue.respond(
                    entry.request_id, _preset(entry, self._preset), by=f"make demo ANSWER={self._preset}"
                )
        elif sys.stdin.isatty():
            self._typing[entry.request_id] = asyncio.create_task(self._typed(entry))
        else:
            self._teller.line("  Answer in the console.", "dim")

    async def _typed(self, entry: RequestEntry) -> None:
        termios.tcflush(sys.stdin, termios.TCIFLUSH)  # typed before the question stood there, so no answer to it
        while True:
            self._teller.hint(_how(entry))
            if (line := await _line()) is None:
                return
            if (response := _read(entry, line)) is None:
                continue
            try:
                await self._queue.respond(entry.request_id, response, by=f"terminal:{Wiring().machine.user}")
            except Conflict:
                return
            except Failure as refused:
                self._teller.line(f"  {refused.message}", "red")
                continue
            return

    async def _told(self, entry: ResponseEntry) -> None:
        self.count += 1
        by = (await self._queue.answered_by([entry.request_id])).get(entry.request_id, "a person")
        if (typing := self._typing.pop(entry.request_id, None)) is not None and not typing.done():
            typing.cancel()
            self._teller.line("")
        match entry.response:
            case PromptResponse(status="ok", values={"answer": answer}):
                self._teller.answered(f"“{answer}”", by)
            case PromptResponse(status="ok"):
                self._teller.answered("yes", by)
            case PromptResponse(remark=str(remark)) if remark:
                self._teller.answered(f"no: {remark}", by)
            case _:
                self._teller.answered("no", by)


@asynccontextmanager
async def answering(state: Path, preset: Preset | None, teller: Teller) -> AsyncIterator[Answers]:
    """While inside, somebody looks at the questions, so nobody else is called to them."""
    stores = Wiring().open_stores(state)
    queue = stores.prompts
    answers = Answers(queue, preset, teller)
    try:
        with stores.watching():
            position = (await queue.entries(0)).position  # so that not even the first question is missed
            async with asyncio.TaskGroup() as group:
                following = group.create_task(answers.follow(position))
                yield answers
                following.cancel()
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None  # of the tour or of the following: whichever failed first
    finally:
        await queue.close()


def preset_of(wanted: str | None) -> Preset | None:
    """ValueError: it is neither."""
    if wanted in (None, "", "ask"):
        return None
    if wanted not in ("allow", "deny"):
        raise ValueError(f"ANSWER must be allow or deny, and is {wanted!r}. Without it you are asked.")
    return cast(Preset, wanted)


def _preset(entry: RequestEntry, preset: Preset) -> PromptResponse:
    """A plan is confirmed in either case: otherwise there would be nothing to deny."""
    match entry.prompt:
        case TaskConfirmPrompt(tasks=tasks):
            return PromptResponse(status="ok", tasks=tasks)
        case KvPrompt(fields=fields) if preset == "allow":
            return PromptResponse(status="ok", values={field.key: LOUDNESS for field in fields})
        case FileChangePrompt() if preset == "allow":
            return PromptResponse(status="ok")
    return PromptResponse(status="canceled", remark=_REMARK) if isinstance(entry.prompt, FileChangePrompt) else _NO


_NO = PromptResponse(status="canceled")


def _how(entry: RequestEntry) -> str:
    match entry.prompt:
        case TaskConfirmPrompt():
            return "[y]es / y -2 leaves step 2 out / [n]o / a wish for another plan:"
        case KvPrompt():
            return "Your answer (nothing: none):"
    return "[y]es / for this [t]ask / [n]o / n with a remark:"


def _read(entry: RequestEntry, line: str) -> PromptResponse | None:
    """None: ask again."""
    word, _, rest = line.partition(" ")
    match entry.prompt, word.lower():
        case KvPrompt(fields=fields), _:
            return PromptResponse(status="ok", values={field.key: line for field in fields}) if line else _NO
        case _, "n" | "no" | "n:" | "no:":
            return PromptResponse(status="canceled", remark=rest) if rest else _NO
        case TaskConfirmPrompt(tasks=tasks), "y" | "yes":
            left_out = {int(number) for number in re.findall(r"-(\d+)", rest)}
            kept = [task for number, task in enumerate(tasks, 1) if number not in left_out]
            return PromptResponse(status="ok", tasks=tuple(kept))
        case TaskConfirmPrompt(), _ if line:
            return PromptResponse(status="canceled", remark=line)
        case FileChangePrompt(), "y" | "yes":
            return PromptResponse(status="ok")
        case FileChangePrompt(), "t" | "task":
            return PromptResponse(status="ok", scope="task")
    return None


async def _line() -> str | None:
    """The next line that the person enters; None at the end of input."""
    loop = asyncio.get_running_loop()
    entered: asyncio.Future[bytes] = loop.create_future()
    keyboard = sys.stdin.fileno()

    def on_input() -> None:
        if not entered.done():
            entered.set_result(os.read(keyboard, 4096))

    loop.add_reader(keyboard, on_input)
    try:
        typed = await entered
    finally:
        loop.remove_reader(keyboard)
    return typed.decode(errors="replace").strip() if typed else None
