"""A question as lines of a terminal: all that will happen, in a frame that its content can't leave."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from handrail.faces.cli.gutter import behind_gutter
from handrail.faces.cli.output import one_line
from handrail.kernel.approval import Question

_FOLD_BEYOND = 24
_SHOWN_OF_FOLDED = 8


@dataclass(frozen=True, slots=True)
class Line:
    """`style` is one of the names that the terminal has a colour for, or none."""

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
        yield Line(f"handrail asks: may this {question.effect.value} call run?", "title")
        yield from self._fact("what", preview.summary)
        yield from self._fact("tool", f"{question.call.tool} ({question.title})")
        yield from self._fact("effect", question.effect.value)
        yield from self._fact("caller", str(question.call.caller))
        for name, value in (
            ("task", question.call.task),
            ("path", preview.path),
            ("command", preview.command),
            ("in folder", preview.cwd),
            *(("picture", image.path) for image in question.images),
        ):
            if value is not None:
                yield from self._fact(name, value)
        for name, value in preview.consent.facts if preview.consent is not None else ():
            yield from self._fact(name, value)
        yield from self._parameters(may_fold=preview.diff is not None)
        if preview.diff is not None:
            yield from self._diff(preview.diff)
        # Again, because a long diff has moved the first lines out of sight.
        yield Line(f"in short, {question.effect.value}", "heading")
        yield from self._fact("what", preview.summary)
        yield from self._fact("caller", str(question.call.caller))

    def unfolded(self) -> Iterator[Line]:
        """The parameters once more, whole."""
        yield from self._parameters(may_fold=False)

    def _fact(self, name: str, value: str) -> Iterator[Line]:
        yield from self._behind_gutter(f"{name}: {one_line(value)}")

    def _parameters(self, *, may_fold: bool) -> Iterator[Line]:
        yield Line("parameters", "heading")
        for name, value in self._params.items():
            if isinstance(value, str) and "\n" in value:
                yield from self._text(name, value, may_fold=may_fold)
            else:
                yield from self._behind_gutter(f"{one_line(name)}: {one_line(json.dumps(value, ensure_ascii=False))}")

    def _text(self, name: str, value: str, *, may_fold: bool) -> Iterator[Line]:
        lines = value.split("\n")
        yield from self._behind_gutter(f"{one_line(name)}: {len(lines)} lines, {len(value)} characters")
        is_folded = may_fold and len(lines) > _FOLD_BEYOND
        for line in lines[:_SHOWN_OF_FOLDED] if is_folded else lines:
            yield from self._behind_gutter(f"  {line}")
        if is_folded:
            self.has_folded = True
            hidden = len(lines) - _SHOWN_OF_FOLDED
            yield Line(f"    {hidden} more lines of {one_line(name)} are not shown here: v shows them all", "note")

    def _diff(self, diff: str) -> Iterator[Line]:
        lines = diff.removesuffix("\n").split("\n") if diff else []
        changes = lines[2:]  # what follows the two lines that name the file
        added, removed = (sum(line.startswith(sign) for line in changes) for sign in "+-")
        yield Line(f"diff: {added} added, {removed} removed" if lines else "diff: nothing changes", "heading")
        for number, line in enumerate(lines):
            yield from self._behind_gutter(line, "heading" if number < 2 else _DIFF_STYLES.get(line[:1], ""))

    def _behind_gutter(self, text: str, style: str = "") -> Iterator[Line]:
        for line in behind_gutter(text, self._width):
            yield Line(line, style)


_DIFF_STYLES = {"+": "added", "-": "removed", "@": "note", "\\": "note"}
