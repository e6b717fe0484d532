"""What a question says at the terminal: its lines, folded where they are long."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

import msgspec
from msgspec import UNSET

from handrail.faces.cli.output import behind_gutter, one_line
from handrail.kernel.approval import Question
from handrail.kernel.prompts.card import auto_run_writes
from handrail.kernel.prompts.part_numbers import number_parts
from handrail.ports.approval_card import Scope
from handrail.ports.prompt_response import PromptResponse

_MAX_UNFOLDED = 24
_LINES_WHEN_FOLDED = 8
_REACHES = {"once": "this once", "task": "for this task", "rule": "always", "app": "always, all tools of the app"}
_DIFF_STYLES = {"+": "added", "-": "removed", "@": "note", "\\": "note"}
_COLOURS = {"title": "1", "heading": "1", "note": "36", "added": "32", "removed": "31"}


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


def show_lines(screen: TextIO, lines: Iterable[Line]) -> None:
    is_coloured = screen.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    for line in lines:
        colour = _COLOURS.get(line.style) if is_coloured else None
        print(f"\x1b[{colour}m{line.text}\x1b[0m" if colour else line.text, file=screen)
    screen.flush()
