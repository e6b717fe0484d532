"""`file_change_confirm`: what is about to happen, with its diff as numbered lines, and what of it is taken."""

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
class _Place:
    """Where in the two files we are, and how many lines of this hunk are left."""

    old: int = 1
    new: int = 1
    old_left: int = 0
    new_left: int = 0

    def takes(self, line: str) -> str | None:
        """The sign of a line of this hunk; None for what no hunk announced."""
        sign = line[:1] or " "  # some programs drop the blank of an empty context line
        if sign == "+" and self.new_left:
            self.new, self.new_left = self.new + 1, self.new_left - 1
        elif sign == "-" and self.old_left:
            self.old, self.old_left = self.old + 1, self.old_left - 1
        elif sign == " " and self.old_left and self.new_left:
            self.old, self.old_left = self.old + 1, self.old_left - 1
            self.new, self.new_left = self.new + 1, self.new_left - 1
        else:
            return None
        return sign


@dataclass(frozen=True, slots=True)
class DiffLines:
    lines: list[Line]
    added: int
    removed: int


def diff_lines(diff: str, skipped: Callable[[int], str]) -> DiffLines:
    """`skipped` names the lines between two hunks, which the diff does not hold."""
    source = diff.removesuffix("\n").split("\n") if diff else []
    digits = max((len(str(_last_line(line))) for line in source if line.startswith("@@ ")), default=1)
    place, lines, added, removed = _Place(), list[Line](), 0, 0
    is_first_hunk = True
    for line in source:
        sign = place.takes(line)
        if sign is not None:
            lines.append(_numbered(sign, line[1:], place, digits))
            added, removed = added + (sign == "+"), removed + (sign == "-")
        elif (hunk := _HUNK.fullmatch(line)) is not None:
            before = 1 if is_first_hunk else place.new
            place = _start(hunk)
            if place.new > before:
                lines.append(own_line(" " * (digits + 1) + f"⋯ {skipped(place.new - before)}", "note"))
            if hunk[5].strip():
                lines.append(_stray(hunk[5].strip(), digits))
            is_first_hunk = False
        else:
            if not line.startswith("\\"):
                place.old_left = place.new_left = 0
            is_first_hunk = is_first_hunk or line.startswith("--- ")
            lines.append(_stray(line, digits))
    return DiffLines(lines, added, removed)


def _start(hunk: re.Match[str]) -> _Place:
    old_left, new_left = int(hunk[2] or 1) if hunk[2] != "0" else 0, int(hunk[4] or 1) if hunk[4] != "0" else 0
    # A side without lines names the line before it.
    return _Place(int(hunk[1]) + (not old_left), int(hunk[3]) + (not new_left), old_left, new_left)


def _last_line(header: str) -> int:
    hunk = _HUNK.fullmatch(header)
    if hunk is None:
        return 1
    place = _start(hunk)
    return max(place.old + place.old_left, place.new + place.new_left)


def _numbered(sign: str, text: str, place: _Place, digits: int) -> Line:
    """The number in the file that has the line: the old one for what goes, the new one for all else."""
    number = (place.old if sign == "-" else place.new) - 1
    style = {"+": "added", "-": "removed"}.get(sign, "")
    return Line(
        text, style, f"{number:>{digits}} {sign} ", f"{'':>{digits}} ┆ ", f"{style}-number" if style else "gutter"
    )


def _stray(text: str, digits: int) -> Line:
    """File headers, "\\ No newline", and whatever isn't a line of a hunk: as it stands."""
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
    named = [
        (texts.file, prompt.path),
        (texts.runs_later, prompt.runs_later),
        (texts.command, prompt.command),
        (texts.folder, prompt.cwd),
    ]
    facts = [(name, value) for name, value in named if value]
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
            words = (offer.what, offer.where, offer.who, offer.until)
            facts = [(name, word) for name, word in zip(texts.offer_facts, words, strict=True) if word]
            lines += [own_line(""), own_line(texts.would_allow[offer.scope]), *fact_lines(facts, "muted")]
    return lines
