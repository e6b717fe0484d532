"""Asks the person at the terminal. The wait blocks nobody, and Ctrl-C ends it."""

import asyncio
import os
import re
import sys
import termios
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from handrail.contract.approval import Answer, Question
from handrail.contract.errors import Declined
from handrail.faces.cli.gutter import width_of
from handrail.faces.cli.person import user_name
from handrail.faces.cli.question_page import Line, QuestionPage

_COLOURS = {"title": "1", "heading": "1", "note": "36", "added": "32", "removed": "31"}
_YES = re.compile(r"y(es)?", re.IGNORECASE)
_NO = re.compile(r"no?(?:[\s:,]+(?P<remark>.*))?", re.IGNORECASE | re.DOTALL)
_VIEW = re.compile(r"v(iew)?", re.IGNORECASE)


class TerminalApprover:
    """One question at a time: the next one waits, so that none takes another's place under the person's hands."""

    def __init__(self, keyboard: int = 0) -> None:
        self._keyboard = keyboard
        self._turn = asyncio.Lock()

    async def ask(self, question: Question) -> Answer:
        async with self._turn:
            if not _is_in_foreground(self._keyboard):
                raise Declined(
                    f"{question.call.tool} needs a person's yes, and handrail runs in the background.",
                    hint="Bring it to the foreground, or start it with --answer allow or a rule in the policy.",
                    reason="nobody",
                )
            with _screen(self._keyboard) as screen:
                try:
                    return await self._asked(question, screen)
                except asyncio.CancelledError:
                    print("\nWithdrawn: the call was stopped, nothing was done.", file=screen, flush=True)
                    raise

    async def _asked(self, question: Question, screen: TextIO) -> Answer:
        page = QuestionPage(question, width_of(screen))
        _show(screen, page.lines())
        # What was typed before the question stood there is no answer to it.
        termios.tcflush(self._keyboard, termios.TCIFLUSH)
        by = f"terminal:{user_name()}"
        while True:
            choices = "[y]es / [n]o / n with a remark" + (" / [v]iew all" if page.has_folded else "")
            print(f"Allow? {choices}: ", end="", file=screen, flush=True)
            typed = await _line(self._keyboard)
            if typed is None:
                print("no", file=screen, flush=True)
                return Answer("canceled", by)
            if _YES.fullmatch(typed):
                return Answer("ok", by)
            if refusal := _NO.fullmatch(typed):
                return Answer("canceled", by, refusal["remark"] or None)
            if _VIEW.fullmatch(typed):
                _show(screen, page.unfolded())


def _is_in_foreground(keyboard: int) -> bool:
    """A background job that reads the terminal would be stopped by the system."""
    try:
        return os.tcgetpgrp(keyboard) == os.getpgrp()
    except OSError:
        return True


@contextmanager
def _screen(keyboard: int) -> Iterator[TextIO]:
    """stderr, or the keyboard's own terminal where stderr goes elsewhere."""
    if sys.stderr.isatty():
        yield sys.stderr
        return
    with open(os.ttyname(keyboard), "w", encoding="utf-8") as terminal:
        yield terminal


def _show(screen: TextIO, lines: Iterable[Line]) -> None:
    is_coloured = screen.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    for line in lines:
        colour = _COLOURS.get(line.style) if is_coloured else None
        print(f"\x1b[{colour}m{line.text}\x1b[0m" if colour else line.text, file=screen)
    screen.flush()


async def _line(keyboard: int) -> str | None:
    """The next line that the person enters; None at the end of input."""
    loop = asyncio.get_running_loop()
    entered: asyncio.Future[bytes] = loop.create_future()
    typed = bytearray()

    def on_input() -> None:
        try:
            piece = os.read(keyboard, 4096)
        except OSError:
            piece = b""
        typed.extend(piece)
        if (not piece or piece.endswith(b"\n")) and not entered.done():
            entered.set_result(bytes(typed))

    loop.add_reader(keyboard, on_input)
    try:
        line = await entered
    finally:
        loop.remove_reader(keyboard)
    return line.decode(errors="replace").strip() if line else None
