"""Asks the person at the terminal, in addition to the queue, without blocking the event loop. Ctrl-C ends it."""

import asyncio
import json
import os
import re
import sys
import termios
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TextIO

import msgspec
from msgspec import UNSET

from handrail.faces.cli.output import behind_gutter, one_line, width_of
from handrail.faces.cli.presence import show_word
from handrail.faces.cli.program import program
from handrail.features.people.cli.text_editor import edit_text
from handrail.kernel.approval import Question
from handrail.kernel.prompts.card import auto_run_writes
from handrail.kernel.prompts.first_answer import ANSWERED
from handrail.kernel.prompts.part_numbers import number_parts, select_parts
from handrail.ports import prompt_views
from handrail.ports.approval_card import Scope
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_queue import AnswerChannel
from handrail.ports.prompt_response import PromptResponse

_MAX_UNFOLDED = 24
_LINES_WHEN_FOLDED = 8


@dataclass(frozen=True, slots=True)
class Line:
    """`style` is a name in `_COLOURS`, or empty."""

    text: str
    style: str = ""


class QuestionPage:
    def __init__(self, question: Question, width: int) -> None:
        self._question = question
        self._width = width
        self._params: dict[str, Any] = msgspec.to_builtins(question.params)
        self.has_folded = False

    def lines(self) -> Iterator[Line]:
        question, preview = self._question, self._question.preview
        yield Line("")
        yield Line("handrail asks: do you allow this?", "title")
        yield from self._fact("what", preview.summary)
        yield from self._fact("who", question.call.caller.name)
        for name, value in (
            ("task", question.call.task),
            ("path", preview.path),
            *(("runs code later", f"{path}: {why}") for path, why in auto_run_writes(question)),
            ("command", preview.command),
            ("in folder", preview.cwd),
            *(("picture", image.path) for image in question.images),
        ):
            if value is not None:
                yield from self._fact(name, value)
        for name, value in preview.consent.facts if preview.consent is not None else ():
            yield from self._fact(name, value)
        for name, value in preview.facts:
            yield from self._fact(name, value)
        if preview.changed:
            yield Line("changed since you allowed it; nothing was done", "removed")
            for line in preview.changed:
                yield from self._behind_gutter(one_line(line), "removed")
        if preview.diff is not None:
            yield from self._diff(preview.diff)
        yield from self._parts()
        yield from self._offers()
        yield Line("details", "heading")
        yield from self._fact("caller", str(question.call.caller))
        yield from self._fact("tool", f"{question.call.tool} ({question.title}, {question.effect.value})")
        yield from self._parameters(may_fold=preview.diff is not None)
        # Repeated, because a long diff moves the first lines out of sight.
        yield Line("in short", "heading")
        yield from self._fact("what", preview.summary)
        yield from self._fact("who", question.call.caller.name)
        if preview.unseen is not None:
            yield Line(f"You can't see the target: {one_line(preview.unseen)}", "removed")

    def _parts(self) -> Iterator[Line]:
        """The number_parts parts, if there is more than one to choose from."""
        parts = number_parts(self._question.preview.parts)
        if len(parts) > 1:
            yield Line("parts, which you can take by their numbers", "heading")
            for each in parts:
                yield from self._behind_gutter(str(each))

    def _offers(self) -> Iterator[Line]:
        """The exact rule behind each answer that allows more than this call."""
        scopes = set[str]()
        for offer in self._question.offers:
            if offer.grant is UNSET or offer.scope in scopes or self._is_consent(offer.scope):
                continue
            scopes.add(offer.scope)
            yield Line("for this task would allow" if offer.scope == "task" else "always would allow", "heading")
            for name in ("what", "where", "who", "until"):
                yield from self._fact(name, getattr(offer, name) or "")

    def _is_consent(self, scope: Scope) -> bool:
        return scope == "rule" and self._question.preview.consent is not None

    def unfolded(self) -> Iterator[Line]:
        """The parameters once more, in full."""
        yield Line("details", "heading")
        yield from self._parameters(may_fold=False)

    def masked(self) -> Iterator[Line]:
        """The passwords that the parameters show masked."""
        for name, value in self._question.preview.masked.items():
            yield from self._behind_gutter(f"{one_line(name)}: {one_line(json.dumps(value, ensure_ascii=False))}")

    def confirmed(self, response: PromptResponse) -> Iterator[Line]:
        """What an answer allows, for the person who confirms it."""
        yield Line("this answer needs proof that you are here", "heading")
        yield from self._fact("what", self._question.preview.summary)
        yield from self._fact("who", self._question.call.caller.name)
        scope = "app" if response.covers == "app" else response.scope
        yield from self._fact("allowed", _REACHES["once" if scope is UNSET else scope])

    def _fact(self, name: str, value: str) -> Iterator[Line]:
        yield from self._behind_gutter(f"{name}: {one_line(value)}")

    def _parameters(self, *, may_fold: bool) -> Iterator[Line]:
        for name, value in self._params.items():
            if isinstance(value, str) and "\n" in value:
                yield from self._text(name, value, may_fold=may_fold)
            else:
                yield from self._behind_gutter(f"{one_line(name)}: {one_line(json.dumps(value, ensure_ascii=False))}")

    def _text(self, name: str, value: str, *, may_fold: bool) -> Iterator[Line]:
        lines = value.split("\n")
        yield from self._behind_gutter(f"{one_line(name)}: {len(lines)} lines, {len(value)} characters")
        is_folded = may_fold and len(lines) > _MAX_UNFOLDED
        for line in lines[:_LINES_WHEN_FOLDED] if is_folded else lines:
            yield from self._behind_gutter(f"  {line}")
        if is_folded:
            self.has_folded = True
            hidden = len(lines) - _LINES_WHEN_FOLDED
            yield Line(f"    {hidden} more lines of {one_line(name)} are not shown here: v shows them all", "note")

    def _diff(self, diff: str) -> Iterator[Line]:
        lines = diff.removesuffix("\n").split("\n") if diff else []
        changes = lines[2:]  # skips the two lines that name the file
        added, removed = (sum(line.startswith(sign) for line in changes) for sign in "+-")
        yield Line(f"diff: {added} added, {removed} removed" if lines else "diff: nothing changes", "heading")
        for number, line in enumerate(lines):
            yield from self._behind_gutter(line, "heading" if number < 2 else _DIFF_STYLES.get(line[:1], ""))

    def _behind_gutter(self, text: str, style: str = "") -> Iterator[Line]:
        for line in behind_gutter(text, self._width):
            yield Line(line, style)


_REACHES = {"once": "this once", "task": "for this task", "rule": "always", "app": "always, all tools of the app"}
_DIFF_STYLES = {"+": "added", "-": "removed", "@": "note", "\\": "note"}


_COLOURS = {"title": "1", "heading": "1", "note": "36", "added": "32", "removed": "31"}
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
            _show(screen, QuestionPage(question, width_of(screen)).confirmed(response))
            word = show_word(self._keyboard)
            is_typed = (await _line(self._keyboard) or "").lower() == word
            if not is_typed:
                print("The word wasn't typed, so nothing was sent; the question stays open.", file=screen, flush=True)
            return is_typed

    async def _ask_on(self, question: Question, screen: TextIO) -> PromptResponse:
        page = QuestionPage(question, width_of(screen))
        _show(screen, page.lines())
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
                _show(screen, page.unfolded())
            elif has_password and _SHOW.fullmatch(typed):
                _show(screen, page.masked())
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


def _show(screen: TextIO, lines: Iterable[Line]) -> None:
    is_coloured = screen.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    for line in lines:
        colour = _COLOURS.get(line.style) if is_coloured else None
        print(f"\x1b[{colour}m{line.text}\x1b[0m" if colour else line.text, file=screen)
    screen.flush()


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
