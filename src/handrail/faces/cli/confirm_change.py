"""An approver for far-reaching commands: shows the whole change on the terminal and asks for confirmation."""

import asyncio
import sys

from handrail.faces.cli.output import say
from handrail.kernel.approval import Answer, Approver, Question
from handrail.kernel.visible import visible
from handrail.ports.errors import Declined


class ConfirmOnTerminal(Approver):
    def __init__(self, question: str) -> None:
        self._question = question

    async def ask(self, question: Question) -> Answer:
        say(visible(question.preview.diff or ""))
        say(question.preview.summary)
        if not sys.stdin.isatty():
            raise Declined("There is no terminal to ask on.", hint="Run it again with --answer allow.", reason="nobody")
        print(f"{self._question} [y]es / [n]o: ", end="", flush=True)
        line = await asyncio.to_thread(sys.stdin.readline)
        is_yes = line.strip().lower() in ("y", "yes")
        return Answer("ok" if is_yes else "canceled", by="own command")
