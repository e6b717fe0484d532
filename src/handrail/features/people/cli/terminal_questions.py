"""Asks the person at the terminal, in addition to the queue, without blocking the event loop. Ctrl-C ends it."""

import asyncio
import os
import re
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TextIO

import msgspec
from msgspec import UNSET

from handrail.faces.cli.output import width_of
from handrail.faces.cli.presence import show_word
from handrail.faces.cli.program import program
from handrail.features.people.cli.question_page import QuestionPage, show_lines
from handrail.features.people.cli.text_editor import edit_text
from handrail.kernel.approval import Question
from handrail.kernel.prompts.first_answer import ANSWERED
from handrail.kernel.prompts.part_numbers import number_parts, select_parts
from handrail.ports import prompt_views
from handrail.ports.approval_card import Scope
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_queue import AnswerChannel
from handrail.ports.prompt_response import PromptResponse

_YES = re.compile(r"(?P<once>y(es)?)|(?P<task>t(ask)?)|(?P<rule>a(lways)?)", re.IGNORECASE)
_ALLOW = re.compile(r"allow", re.IGNORECASE)
_UNSEEN_CHOICES = "[n]o / n with a remark / the whole word allow, to allow unseen what can't be shown"
_ALL_TOOLS = re.compile(r"all", re.IGNORECASE)
_NO = re.compile(r"no?(?:[\s:,]+(?P<remark>.*))?", re.IGNORECASE | re.DOTALL)
_VIEW = re.compile(r"v(iew)?", re.IGNORECASE)
_SHOW = re.compile(r"s(how)?", re.IGNORECASE)
_EDIT = re.compile(r"e(dit)?", re.IGNORECASE)
_NUMBERS = re.compile(r"\d{1,6}(?:[\s,]+\d{1,6})*")


class TerminalQuestions:
    """Asks one question at a time, so that none replaces another while the person is typing."""

    def __init__(self, keyboard: int = 0) -> None:
        self._keyboard = keyboard
        self._lock = asyncio.Lock()
        self._view = prompt_views.announce_view()
        """Desktop tools leave this terminal alone while it may ask."""

    def channels(self, question: Question) -> Sequence[AnswerChannel]:
        by = f"terminal:{program().machine.user}"
        confirm = partial(self._confirm, question)
        return [AnswerChannel(by, lambda: self._ask(question), confirm, lambda: self._lock)]

    async def _ask(self, question: Question) -> PromptResponse | None:
        if not _is_in_foreground(self._keyboard):
            return None
        with _asking(self._keyboard) as screen:
            return await self._ask_on(question, screen)

    async def _confirm(self, question: Question, response: PromptResponse) -> bool:
        """Whether the person types the word: other programs can paste a line such as `a` into some terminals."""
        if not _is_in_foreground(self._keyboard):
            return False
        with _asking(self._keyboard) as screen:
            show_lines(screen, QuestionPage(question, width_of(screen)).confirmed(response))
            word = show_word(self._keyboard)
            is_typed = (await _line(self._keyboard) or "").lower() == word
            if not is_typed:
                print("The word wasn't typed, so nothing was sent; the question stays open.", file=screen, flush=True)
            return is_typed

    async def _ask_on(self, question: Question, screen: TextIO) -> PromptResponse:
        page = QuestionPage(question, width_of(screen))
        show_lines(screen, page.lines())
        # What was typed before the question appeared isn't an answer to it.
        termios.tcflush(self._keyboard, termios.TCIFLUSH)
        is_unseen, has_password = question.preview.unseen is not None, bool(question.preview.masked)
        while True:
            seen_choices = " / ".join(["[y]es", *_extra_choices(question), "[n]o", "n with a remark"])
            choices = _UNSEEN_CHOICES if is_unseen else seen_choices
            views = f"{' / [v]iew all' if page.has_folded else ''}{' / [s]how password' if has_password else ''}"
            print(f"Allow? {choices}{views}: ", end="", file=screen, flush=True)
            typed = await _line(self._keyboard)
            if typed is None:
                print("no", file=screen, flush=True)
                return PromptResponse(status="canceled")
            if is_unseen and _ALLOW.fullmatch(typed):
                return PromptResponse(status="ok", scope="once")
            if question.preview.consent is not None and _ALL_TOOLS.fullmatch(typed):
                return PromptResponse(status="ok", scope="rule", covers="app")
            if not is_unseen and (match := _YES.fullmatch(typed)) and _is_offered(question, scope := _scope(match)):
                return PromptResponse(status="ok", scope=scope)
            if refusal := _NO.fullmatch(typed):
                return PromptResponse(status="canceled", remark=refusal["remark"] or UNSET)
            if _VIEW.fullmatch(typed):
                show_lines(screen, page.unfolded())
            elif has_password and _SHOW.fullmatch(typed):
                show_lines(screen, page.masked())
            elif (selection := await self._parts_selected(question, typed, screen)) is not None:
                return msgspec.convert({"status": "ok", **selection}, PromptResponse)

    async def _parts_selected(self, question: Question, typed: str, screen: TextIO) -> dict[str, Any] | None:
        """The response's members if the person types numbers of parts or edits the text; None for any other input."""
        parts = question.preview.parts
        if _EDIT.fullmatch(typed) and len(parts) == 1 and parts[0].content is not UNSET:
            text = await edit_text(parts[0].content, parts[0].path)
            print("The text is unchanged." if text is None else "Allowed with your text.", file=screen, flush=True)
            return None if text is None else {"content": text}
        if not _NUMBERS.fullmatch(typed) or len(number_parts(parts)) < 2:
            return None
        try:
            return select_parts(parts, {int(number) for number in re.findall(r"\d+", typed)})
        except InvalidParams as failure:
            print(failure.message, file=screen, flush=True)
            return None


def _extra_choices(question: Question) -> Iterator[str]:
    """The offered ways to allow only a part, or more than this call."""
    parts = question.preview.parts
    if len(number_parts(parts)) > 1:
        yield "numbers of parts, such as 1 3"
    if len(parts) == 1 and parts[0].content is not UNSET:
        yield "[e]dit"
    if _is_offered(question, "task"):
        yield "for this [t]ask"
    if (consent := question.preview.consent) is not None:
        yield f"[a]lways {consent.tool} / [all] tools of {consent.app}"
    elif _is_offered(question, "rule"):
        yield "[a]lways"


def _is_offered(question: Question, scope: Scope) -> bool:
    if scope == "once" or (scope == "rule" and question.preview.consent is not None):
        return True
    return any(offer.scope == scope for offer in question.offers)


def _scope(match: re.Match[str]) -> Scope:
    if match["task"]:
        return "task"
    return "rule" if match["rule"] else "once"


def _is_in_foreground(keyboard: int) -> bool:
    """A background job that reads from the terminal would be stopped by the system."""
    try:
        return os.tcgetpgrp(keyboard) == os.getpgrp()
    except OSError:
        return True


@contextmanager
def _screen(keyboard: int) -> Iterator[TextIO]:
    """stderr, or the keyboard's own terminal if stderr is redirected."""
    if sys.stderr.isatty():
        yield sys.stderr
        return
    with open(os.ttyname(keyboard), "w", encoding="utf-8") as terminal:
        yield terminal


@contextmanager
def _asking(keyboard: int) -> Iterator[TextIO]:
    """The screen; says there why the question ends if it is cancelled."""
    with _screen(keyboard) as screen:
        try:
            yield screen
        except asyncio.CancelledError as stop:
            is_answered = stop.args == (ANSWERED,)
            ending = "Answered elsewhere." if is_answered else "Withdrawn: the call was stopped."
            print(f"\n{ending}", file=screen, flush=True)
            raise


async def _line(keyboard: int) -> str | None:
    """Returns the next line that the person enters; None at the end of input."""
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
