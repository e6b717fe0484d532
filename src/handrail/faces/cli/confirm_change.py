"""For a command that reaches far: shows the whole change on the terminal and asks before it is made."""

import asyncio
import sys

from handrail.faces.cli.output import say
from handrail.kernel.approval import Answer, Approver, Question
from handrail.kernel.visible import visible
from handrail.ports.errors import Declined


class ShownFirst(Approver):
    def __init__(self, words: str) -> None:
        self._words = words

    async def ask(self, question: Question) -> Answer:
        say(visible(question.preview.diff or ""))
        say(question.preview.summary)
        if not sys.stdin.isatty():
            raise Declined("There is no terminal to ask on.", hint="Repeat it with --answer allow.", reason="nobody")
        print(f"{self._words} [y]es / [n]o: ", end="", flush=True)
        line = await asyncio.to_thread(sys.stdin.readline)
        is_yes = line.strip().lower() in ("y", "yes")
        return Answer("ok" if is_yes else "canceled", by="own command")
