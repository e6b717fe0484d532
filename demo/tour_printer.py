"""Prints the tour in the terminal: who speaks, which calls are made and which questions are asked."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from msgspec import UNSET
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from handrail.faces.cli.output import behind_gutter
from handrail.kernel.visible import visible
from handrail.ports.prompts import FileChangePrompt, KvPrompt, Prompt, ResultPrompt, TaskConfirmPrompt

_WIDEST = 110
_CATCH_UP_SECONDS = 3.0
_LONGEST_ERROR = 240
_SUBJECTS = ("path", "scenePath", "url", "tool", "groupTitle", "text", "textGone", "clickId", "question")
_NAME_LINES = 2
"""The number of a diff's lines that name its file."""
_DIFF = {"+": "green", "-": "red", "@": "cyan"}


class TourPrinter:
    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, soft_wrap=False)
        if not self._console.is_terminal or self._console.width > _WIDEST:
            self._console.width = _WIDEST
        self._since: dict[str, float] = {}
        self._said = set[str]()
        self._news = asyncio.Event()

    def title(self, text: str) -> None:
        self._console.print(Rule(Text(text, "bold"), align="left", style="dim"))

    def line(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), overflow="fold")

    def address(self, text: str) -> None:
        """On one line, so that it can be clicked on or copied."""
        self._console.print(Text(f"  {text}", "cyan underline"), soft_wrap=True)

    def says(self, who: str, text: str) -> None:
        self._console.print()
        self._console.print(Text(who, "bold"))
        self._console.print(Padding(Markdown(visible(text)), (0, 2)))

    def event(self, event: Mapping[str, Any]) -> None:
        """Prints an event of the task's page."""
        self._news.set()
        match event:
            case {"type": "chatDelta", "finished": True, "content": str(text), "messageId": str(message)}:
                self._said.add(message)
                self.says("Agent", text)
            case {"type": "toolUsed", "status": "running", "actionId": str(call)}:
                self._since.setdefault(call, time.monotonic())
            # Events without a message id are the browser's, about what the agent's call does there.
            case {"type": "toolUsed", "name": str(name), "actionId": str(call), "status": str(status), "messageId": _}:
                took = time.monotonic() - self._since.pop(call, time.monotonic())
                self._outcome(name, event.get("arguments", {}), took, status == "success", str(event.get("text", "")))
            case {"type": "structuredOutput", "status": "success", "data": {"result": str(result)}}:
                self.says("Done", result)
            case {"type": "structuredOutput", "status": "error", "error": {"message": str(message)}}:
                self.line(f"  ✗ {visible(message)}", "red")
            case {"type": "runStatus", "status": "paused"}:
                self.line("  paused; use Resume in the console", "yellow")

    async def catch_up(self, request_id: str) -> None:
        """Waits for the events that led to a question, because they come over another connection than the question."""
        message = request_id.removeprefix("plan_")
        with suppress(TimeoutError):
            async with asyncio.timeout(_CATCH_UP_SECONDS):
                while message not in self._said and (message != request_id or not self._since):
                    self._news.clear()
                    await self._news.wait()

    def asks(self, prompt: Prompt) -> None:
        self._console.print()
        self._console.print(Text(f"? {visible(_title(prompt))}", "bold yellow"))
        match prompt:
            case FileChangePrompt(message=message, diff=diff, command=command):
                for text in (message, command):
                    self._print_behind_gutter(text if isinstance(text, str) else "")
                if isinstance(diff, str):
                    for number, line in enumerate(diff.splitlines()):
                        self._print_behind_gutter(line, "bold" if number < _NAME_LINES else _DIFF.get(line[:1], ""))
            case TaskConfirmPrompt(tasks=tasks):
                for number, task in enumerate(tasks, 1):
                    self._print_behind_gutter(f"{number}. {task.title}")
            case KvPrompt(message=message) if isinstance(message, str):
                self._print_behind_gutter(message)

    def answered(self, what: str, by: str) -> None:
        self.line(f"  → {what}, by {visible(by)}", "yellow")

    def hint(self, text: str) -> None:
        self._console.print(Text(f"  {text} ", "dim"), end="")

    def _outcome(self, name: str, arguments: Mapping[str, Any], took: float, is_done: bool, text: str) -> None:
        subject = next((str(arguments[key]) for key in _SUBJECTS if arguments.get(key)), "")
        if arguments.get("dryRun") is True:
            subject += " (dry run)"
        line = Text.assemble(
            ("  ✓ ", "green") if is_done else ("  ✗ ", "red"),
            (name, "bold"),
            f" {visible(subject)[:70]}".rstrip(),
            (f"  {took:.1f} s", "dim"),
        )
        self._console.print(line, overflow="ellipsis", no_wrap=True)
        if not is_done:
            self._print_behind_gutter(text[:_LONGEST_ERROR], "red")

    def _print_behind_gutter(self, text: str, style: str = "") -> None:
        for line in behind_gutter(text.rstrip("\n"), self._console.width) if text else ():
            self._console.print(Text(line, style), overflow="crop", no_wrap=True)


def _title(prompt: Prompt) -> str:
    match prompt:
        case TaskConfirmPrompt():
            return "The agent's plan: continue?"
        case KvPrompt():
            return "The agent asks you"
        case ResultPrompt():
            return "Done"
    return str(prompt.title) if prompt.title is not UNSET else "Allow this call?"
