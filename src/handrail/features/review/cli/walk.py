"""Goes through a review on the terminal, hunk by hunk, and collects what the person takes."""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from handrail.faces.cli.output import one_line, say
from handrail.features.review.cli.review import describe
from handrail.features.review.file_view import EditView, FileView, HunkView, file_view
from handrail.features.review.item import Item
from handrail.features.review.merge import MINE, THEIRS
from handrail.features.review.review import Review
from handrail.kernel.visible import visible
from handrail.ports.errors import Failure

_HELP = {
    "y": "take this change",
    "n": "leave it, and show it again next time",
    "a": "take this and all later changes of the file",
    "d": "leave this and all later changes of the file",
    "v": "view all of it",
    "t": "take the agent's change in place of yours",
    "m": "keep yours",
    "e": "edit the file, in which both sides are marked ($EDITOR)",
    "q": "stop here, and take what you have chosen",
}
_MOST_LINES = 400
_CONFLICT = "Theirs, mine, edit, or not now"

Hunks = Sequence[HunkView]


class _Stop(Exception):
    """The person has seen enough. `found` is what they have chosen of the file at hand."""

    def __init__(self, found: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.found = found


def choose(review: Review) -> list[dict[str, Any]]:
    """What `take_changes` takes as items. Ctrl-C passes through."""
    chosen: list[dict[str, Any]] = []
    items = [item for item in review.items if item.group not in ("ignored", "refused")]
    try:
        for number, item in enumerate(items, 1):
            say(f"\n({number}/{len(items)}) {describe(item)}")
            if (found := _of_item(review, item)) is not None:
                chosen.append(found)
    except _Stop as stop:
        chosen += [] if stop.found is None else [stop.found]
    return chosen


def _of_item(review: Review, item: Item) -> dict[str, Any] | None:
    if "folder" in item.status:
        return {"path": item.path} if _asked("Take this folder", "ynq") == "y" else None
    try:
        file = file_view(review.change(item.path))
    except Failure as failure:
        say(f"It can't be shown: {one_line(failure.message)}")
        return None
    if file.is_whole or not file.hunks:
        return _of_whole(file)
    return _of_hunks(file, has_mode=item.mode is not None)


def _of_whole(file: FileView) -> dict[str, Any] | None:
    for hunk in file.hunks:
        _show(hunk)
    if file.is_binary:
        say("It is binary.")
    if file.conflict:
        say(f"Conflict: {file.conflict}.")
        answer = _asked(_CONFLICT, "tmenq" if file.draft is not None else "tmnq", file.hunks)
        return _resolved(file, answer, [0])
    is_taken = _asked("Take this file", "ynq", file.hunks) == "y"
    return {"path": file.path, "digest": file.digest} if is_taken else None


def _of_hunks(file: FileView, *, has_mode: bool) -> dict[str, Any] | None:
    taken: list[int] = []
    theirs: list[int] = []
    answers: list[str] = []
    answer = ""
    for hunk in file.hunks:
        _show(hunk)
        if hunk.state == "conflict":
            say("Conflict: you edited the same place.")
            answers.append(_asked(_CONFLICT, "tmenq" if file.draft is not None else "tmnq", [hunk]))
            if answers[-1] == "e" and (edited := _resolved(file, "e", [])) is not None:
                return edited
            theirs += [hunk.place] if answers[-1] == "t" else []
            continue
        if answer not in ("a", "d"):
            try:
                answer = _asked("Take this change", "ynadq", [hunk])
            except _Stop:
                some = {"path": file.path, "digest": file.digest, "hunks": taken, "theirs": theirs}
                raise _Stop(some if taken or theirs else None) from None
        answers.append("y" if answer in ("y", "a") else "n")
        if answer in ("y", "a"):
            taken.append(hunk.place)
    is_settled = "m" in answers and not {"n", "e"} & set(answers)
    if not taken and not theirs and not is_settled:
        return None
    is_all = len(taken) == len(file.hunks) and not file.conflict
    found: dict[str, Any] = {"path": file.path, "digest": file.digest}
    if not is_all or (has_mode and _asked("Take its new mode as well", "ynq") != "y"):
        found |= {"hunks": taken, "theirs": theirs, "settled": is_settled}
    return found


def _resolved(file: FileView, answer: str, theirs: list[int]) -> dict[str, Any] | None:
    """What is sent about a conflict; None where it stays open."""
    found: dict[str, Any] = {"path": file.path, "digest": file.digest}
    if answer == "t":
        return {**found, "theirs": theirs}
    if answer == "m":
        return {**found, "hunks": [], "settled": True}
    if answer != "e":
        return None
    draft = file.draft or ""
    while True:
        text = click.edit(draft, extension=os.path.splitext(file.path)[1] or ".txt")
        if text is None:
            say("Nothing was changed: the conflict stays.")
            return None
        if not any(mark.decode() in text.split("\n") for mark in (MINE, THEIRS)):
            return {**found, "content": text}
        say("Conflict marks are left: remove them, or quit the editor without saving.")
        draft = text


def _asked(words: str, letters: str, about: Hunks = ()) -> str:
    """One of the letters. What was too long to show can be viewed as a whole before."""
    letters = f"v{letters}" if any(_is_cut(hunk) for hunk in about) else letters
    while True:
        click.secho(f"{words} [{','.join(letters)},?]? ", bold=True, nl=False)
        line = sys.stdin.readline()
        if not line:
            raise click.Abort
        answer = line.strip().lower()[:1]
        if answer == "q":
            raise _Stop
        if answer == "v" and "v" in letters:
            click.echo_via_pager(_everything(about))
        elif answer in letters and answer:
            return answer
        else:
            say("\n".join(f"{letter}  {_HELP[letter]}" for letter in letters))
            say("Ctrl-C  stop, and take nothing")


def _parts(hunk: HunkView) -> Iterator[tuple[str, list[str], str | None]]:
    yield from ((" ", hunk.before, None), ("-", hunk.old, "red"), ("+", hunk.new, "green"), (" ", hunk.after, None))


def _is_cut(hunk: HunkView) -> bool:
    return any(len(lines) > _MOST_LINES for _, lines, _ in _parts(hunk))


def _everything(hunks: Hunks) -> Iterator[str]:
    for hunk in hunks:
        yield click.style(f"@@ line {hunk.start_old} @@", fg="cyan") + "\n"
        for sign, lines, color in _parts(hunk):
            yield from (click.style(sign + _visible(line), fg=color) + "\n" for line in lines)


def _show(hunk: HunkView) -> None:
    click.secho(f"@@ line {hunk.start_old} @@", fg="cyan")
    for sign, lines, color in _parts(hunk):
        _lines(sign, lines, color)
    for edit in hunk.yours:
        _show_yours(edit)


def _show_yours(edit: EditView) -> None:
    click.secho(f"@@ your edit, line {edit.start_old} @@", fg="cyan")
    _lines("-", edit.old, "red")
    _lines("+", edit.new, "green")


def _lines(sign: str, lines: list[str], color: str | None) -> None:
    for line in lines[:_MOST_LINES]:
        click.secho(sign + _visible(line), fg=color)
    if len(lines) > _MOST_LINES:
        say(f"… {len(lines) - _MOST_LINES} more lines: v shows them")


def _visible(line: str) -> str:
    return visible(line.replace("\r", "\\r"))
