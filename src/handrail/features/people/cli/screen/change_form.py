"""`file_change_confirm`: shows what will happen, with numbered diff lines, and lets the person allow parts of it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec import UNSET
from textual.app import ComposeResult

from handrail.features.people.cli.screen.fields import Form, Problems
from handrail.features.people.cli.screen.lines import Line, TextBlock, fact_lines, own_line
from handrail.features.people.cli.screen.parts import Parts
from handrail.features.people.cli.screen.texts import Texts
from handrail.ports.prompts import FileChangePrompt

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)", re.DOTALL)


@dataclass(slots=True)
class _DiffPosition:
    """The position in both files, and how many lines of the current hunk remain."""

    old: int = 1
    new: int = 1
    old_remaining: int = 0
    new_remaining: int = 0

    def consume(self, line: str) -> str | None:
        """Consumes a line of the hunk and returns its sign; None for a line that no hunk announced."""
        sign = line[:1] or " "  # some programs omit the space of an empty context line
        if sign == "+" and self.new_remaining:
            self.new, self.new_remaining = self.new + 1, self.new_remaining - 1
        elif sign == "-" and self.old_remaining:
            self.old, self.old_remaining = self.old + 1, self.old_remaining - 1
        elif sign == " " and self.old_remaining and self.new_remaining:
            self.old, self.old_remaining = self.old + 1, self.old_remaining - 1
            self.new, self.new_remaining = self.new + 1, self.new_remaining - 1
        else:
            return None
        return sign


@dataclass(frozen=True, slots=True)
class DiffLines:
    lines: list[Line]
    added: int
    removed: int


def diff_lines(diff: str, skipped: Callable[[int], str]) -> DiffLines:
    """`skipped` describes the lines between two hunks, which the diff doesn't contain."""
    source = diff.removesuffix("\n").split("\n") if diff else []
    digits = max((len(str(_last_line(line))) for line in source if line.startswith("@@ ")), default=1)
    place, lines, added, removed = _DiffPosition(), list[Line](), 0, 0
    is_first_hunk = True
    for line in source:
        sign = place.consume(line)
        if sign is not None:
            lines.append(_numbered(sign, line[1:], place, digits))
            added, removed = added + (sign == "+"), removed + (sign == "-")
        elif (hunk := _HUNK.fullmatch(line)) is not None:
            before = 1 if is_first_hunk else place.new
            place = _start(hunk)
            if place.new > before:
                lines.append(own_line(" " * (digits + 1) + f"⋯ {skipped(place.new - before)}", "note"))
            if hunk[5].strip():
                lines.append(_other_line(hunk[5].strip(), digits))
            is_first_hunk = False
        else:
            if not line.startswith("\\"):
                place.old_remaining = place.new_remaining = 0
            is_first_hunk = is_first_hunk or line.startswith("--- ")
            lines.append(_other_line(line, digits))
    return DiffLines(lines, added, removed)


def _start(hunk: re.Match[str]) -> _DiffPosition:
    old_remaining, new_remaining = (
        int(hunk[2] or 1) if hunk[2] != "0" else 0,
        int(hunk[4] or 1) if hunk[4] != "0" else 0,
    )
    # A side without lines gives the number of the line before it.
    return _DiffPosition(
        int(hunk[1]) + (not old_remaining), int(hunk[3]) + (not new_remaining), old_remaining, new_remaining
    )


def _last_line(header: str) -> int:
    hunk = _HUNK.fullmatch(header)
    if hunk is None:
        return 1
    place = _start(hunk)
    return max(place.old + place.old_remaining, place.new + place.new_remaining)


def _numbered(sign: str, text: str, place: _DiffPosition, digits: int) -> Line:
    """Uses the line number of the file that contains the line: the old one for removed lines, else the new one."""
    number = (place.old if sign == "-" else place.new) - 1
    style = {"+": "added", "-": "removed"}.get(sign, "")
    return Line(
        text, style, f"{number:>{digits}} {sign} ", f"{'':>{digits}} ┆ ", f"{style}-number" if style else "gutter"
    )


def _other_line(text: str, digits: int) -> Line:
    """File headers, "\\ No newline", and anything else that isn't part of a hunk, unchanged."""
    return Line(text, "note", f"{'':>{digits}} │ ", f"{'':>{digits}} ┆ ")


class ChangeForm(Form):
    has_remark: ClassVar[bool] = True

    def compose(self) -> ComposeResult:
        prompt = self.row.entry.prompt
        assert isinstance(prompt, FileChangePrompt)
        yield TextBlock(change_lines(prompt, self.texts))
        yield TextBlock(id="password")
        if prompt.parts:
            yield Parts(prompt.parts, self.texts)

    def answer(self) -> dict[str, Any]:
        return {"status": "ok", **{name: value for parts in self._parts for name, value in parts.answer().items()}}

    def problems(self) -> Problems:
        takes_nothing = any(parts.takes_nothing() for parts in self._parts)
        return {"hunks": self.texts.problems["no_part"]} if takes_nothing else {}

    def show_problems(self, problems: Problems) -> None:
        for parts in self._parts:
            parts.show_problem(problems.get("hunks", ""))

    @property
    def _parts(self) -> list[Parts]:
        return list(self.query(Parts))

    @property
    def has_password(self) -> bool:
        return bool(isinstance(self.row.entry.prompt, FileChangePrompt) and self.row.entry.prompt.masked)

    def show_password(self, values: Mapping[str, str]) -> None:
        self.query_one("#password", TextBlock).update(fact_lines(list(values.items())))

    def forget_secrets(self) -> None:
        self.show_password({})


def change_lines(prompt: FileChangePrompt, texts: Texts) -> list[Line]:
    diff = diff_lines(prompt.diff or "", texts.skipped)
    values = [
        (texts.file, prompt.path),
        (texts.runs_later, prompt.runs_later),
        (texts.command, prompt.command),
        (texts.folder, prompt.cwd),
    ]
    facts = [(name, value) for name, value in values if value]
    facts += [(texts.unseen, prompt.unseen)] if prompt.unseen is not UNSET else []
    facts += [(texts.changed_since, line) for line in (() if prompt.changed is UNSET else prompt.changed)]
    if isinstance(prompt.diff, str):
        is_change = bool(diff.added or diff.removed)
        facts.append((texts.change, texts.lines(diff.added, diff.removed) if is_change else texts.nothing_changes))
    lines = [*fact_lines(facts), *_offer_lines(prompt, texts)]
    return [*lines, own_line(""), *diff.lines] if lines and diff.lines else [*lines, *diff.lines]


def _offer_lines(prompt: FileChangePrompt, texts: Texts) -> list[Line]:
    """The exact rule that each key would create: what, where, who, until when."""
    lines, scopes = list[Line](), set[str]()
    for offer in prompt.offers or ():
        is_consent = offer.scope == "rule" and prompt.consent is not UNSET
        if offer.grant is not UNSET and offer.scope not in scopes and not is_consent:
            scopes.add(offer.scope)
            values = (offer.what, offer.where, offer.who, offer.until)
            facts = [(name, value) for name, value in zip(texts.offer_facts, values, strict=True) if value]
            lines += [own_line(""), own_line(texts.would_allow[offer.scope]), *fact_lines(facts, "muted")]
    return lines
