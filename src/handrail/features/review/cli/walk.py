"""Shows a review on the terminal, hunk by hunk, and collects the person's choices."""

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
_MAX_LINES = 400
_CONFLICT = "Theirs, mine, edit, or not now"

Hunks = Sequence[HunkView]


class _Stop(Exception):
    """The person stops. `choice` is what they have chosen in the current file."""

    def __init__(self, choice: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.choice = choice


def choose(review: Review) -> list[dict[str, Any]]:
    """Returns the `items` for `take_changes`. Ctrl-C raises Abort."""
    chosen: list[dict[str, Any]] = []
    items = [item for item in review.items if item.group not in ("ignored", "refused")]
    try:
        for number, item in enumerate(items, 1):
            say(f"\n({number}/{len(items)}) {describe(item)}")
            if (choice := _ask_about_item(review, item)) is not None:
                chosen.append(choice)
    except _Stop as stop:
        chosen += [] if stop.choice is None else [stop.choice]
    return chosen


def _ask_about_item(review: Review, item: Item) -> dict[str, Any] | None:
    if "folder" in item.status:
        return {"path": item.path} if _ask("Take this folder", "ynq") == "y" else None
    try:
        file = file_view(review.change(item.path))
    except Failure as failure:
        say(f"It can't be shown: {one_line(failure.message)}")
        return None
    if file.is_whole or not file.hunks:
        return _ask_about_file(file)
    return _ask_about_hunks(file, has_mode=item.mode is not None)


def _ask_about_file(file: FileView) -> dict[str, Any] | None:
    for hunk in file.hunks:
        _show(hunk)
    if file.is_binary:
        say("It is binary.")
    if file.conflict:
        say(f"Conflict: {file.conflict}.")
        answer = _ask(_CONFLICT, "tmenq" if file.draft is not None else "tmnq", file.hunks)
        return _resolve(file, answer, [0])
    is_taken = _ask("Take this file", "ynq", file.hunks) == "y"
    return {"path": file.path, "digest": file.digest} if is_taken else None


def _ask_about_hunks(file: FileView, *, has_mode: bool) -> dict[str, Any] | None:
    taken: list[int] = []
    theirs: list[int] = []
    try:
        return _choice_of_hunks(file, taken, theirs, has_mode=has_mode)
    except _Stop:
        some = {"path": file.path, "digest": file.digest, "hunks": taken, "theirs": theirs}
        raise _Stop(some if taken or theirs else None) from None


def _choice_of_hunks(file: FileView, taken: list[int], theirs: list[int], *, has_mode: bool) -> dict[str, Any] | None:
    """Fills `taken` and `theirs`."""
    answers: list[str] = []
    answer = ""
    for hunk in file.hunks:
        _show(hunk)
        if hunk.state == "conflict":
            say("Conflict: you edited the same place.")
            answers.append(_ask(_CONFLICT, "tmenq" if file.draft is not None else "tmnq", [hunk]))
            if answers[-1] == "e" and (edited := _resolve(file, "e", [])) is not None:
                return edited
            theirs += [hunk.place] if answers[-1] == "t" else []
            continue
        if answer not in ("a", "d"):
            answer = _ask("Take this change", "ynadq", [hunk])
        answers.append("y" if answer in ("y", "a") else "n")
        if answer in ("y", "a"):
            taken.append(hunk.place)
    is_settled = "m" in answers and not {"n", "e"} & set(answers)
    if not taken and not theirs and not is_settled:
        return None
    is_all = len(taken) == len(file.hunks) and not file.conflict
    choice: dict[str, Any] = {"path": file.path, "digest": file.digest}
    if not is_all or (has_mode and _ask("Take its new mode as well", "ynq") != "y"):
        choice |= {"hunks": taken, "theirs": theirs, "settled": is_settled}
    return choice


def _resolve(file: FileView, answer: str, theirs: list[int]) -> dict[str, Any] | None:
    """The choice for a conflict; None if it stays open."""
    choice: dict[str, Any] = {"path": file.path, "digest": file.digest}
    if answer == "t":
        return {**choice, "theirs": theirs}
    if answer == "m":
        return {**choice, "hunks": [], "settled": True}
    if answer != "e":
        return None
    draft = file.draft or ""
    while True:
        text = click.edit(draft, extension=os.path.splitext(file.path)[1] or ".txt")
        if text is None:
            say("Nothing was changed: the conflict stays.")
            return None
        if not any(mark.decode() in text.split("\n") for mark in (MINE, THEIRS)):
            return {**choice, "content": text}
        say("Conflict marks are left: remove them, or quit the editor without saving.")
        draft = text


def _ask(words: str, letters: str, about: Hunks = ()) -> str:
    """Asks for one of the letters. If something was too long to show, `v` shows all of it first."""
    letters = f"v{letters}" if any(_is_cut(hunk) for hunk in about) else letters
    while True:
        click.echo(_styled(f"{words} [{','.join(letters)},?]? ", bold=True), nl=False)
        line = sys.stdin.readline()
        if not line:
            raise click.Abort
        answer = line.strip().lower()[:1]
        if answer == "q":
            raise _Stop
        if answer == "v" and "v" in letters:
            click.echo_via_pager(_full_text(about))
        elif answer in letters and answer:
            return answer
        else:
            say("\n".join(f"{letter}  {_HELP[letter]}" for letter in letters))
            say("Ctrl-C  stop, and take nothing")


def _parts(hunk: HunkView) -> Iterator[tuple[str, list[str], str | None]]:
    yield from ((" ", hunk.before, None), ("-", hunk.old, "red"), ("+", hunk.new, "green"), (" ", hunk.after, None))


def _is_cut(hunk: HunkView) -> bool:
    return any(len(lines) > _MAX_LINES for _, lines, _ in _parts(hunk))


def _full_text(hunks: Hunks) -> Iterator[str]:
    for hunk in hunks:
        yield _styled(f"@@ line {hunk.start_old} @@", fg="cyan") + "\n"
        for sign, lines, color in _parts(hunk):
            yield from (_styled(sign + _visible(line), fg=color) + "\n" for line in lines)


def _show(hunk: HunkView) -> None:
    click.echo(_styled(f"@@ line {hunk.start_old} @@", fg="cyan"))
    for sign, lines, color in _parts(hunk):
        _show_lines(sign, lines, color)
    for edit in hunk.yours:
        _show_edit(edit)


def _show_edit(edit: EditView) -> None:
    click.echo(_styled(f"@@ your edit, line {edit.start_old} @@", fg="cyan"))
    _show_lines("-", edit.old, "red")
    _show_lines("+", edit.new, "green")


def _show_lines(sign: str, lines: list[str], color: str | None) -> None:
    for line in lines[:_MAX_LINES]:
        click.echo(_styled(sign + _visible(line), fg=color))
    if len(lines) > _MAX_LINES:
        say(f"… {len(lines) - _MAX_LINES} more lines: v shows them")


def _styled(text: str, *, fg: str | None = None, bold: bool = False) -> str:
    return text if os.environ.get("NO_COLOR") else click.style(text, fg=fg, bold=bold or None)


def _visible(line: str) -> str:
    return visible(line.replace("\r", "\\r"))
