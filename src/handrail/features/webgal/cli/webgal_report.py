"""A check's problems for people to read: the line, a caret under what it is about, and how it should be."""

import sys
from typing import Any

from handrail.faces.cli.output import one_line
from handrail.kernel.visible import visible

_TAB = 4
_UNUSED = "WG404"
_MOST_UNUSED = 10
_MOST_ALIKE = 10
_MOST_RANGES = 12
_COLOURS = {"syntax": "red", "resource": "magenta", "style": "yellow"}


def report(found: dict[str, Any]) -> None:
    import click

    counts = dict.fromkeys(_COLOURS, 0)
    unused = []
    for file in found["files"]:
        alike: dict[str, list[int]] = {}
        for problem in file["problems"]:
            counts[problem["kind"]] += 1
            if problem["code"] == _UNUSED:
                unused.append((file["path"], problem["message"]))
                continue
            lines = alike.setdefault(problem["code"], [])
            lines.append(problem["line"])
            if len(lines) <= _MOST_ALIKE:
                click.echo("\n".join(_lines(file["path"], problem)))
        for code, lines in alike.items():
            if rest := lines[_MOST_ALIKE:]:
                click.echo(f"{one_line(file['path'])}: and {len(rest)} more [{code}] on lines {ranges(rest)}")
    if unused:
        click.echo(f"{_kind('style')} {one_line(unused[0][1])}")
        click.echo("\n".join(f"  {one_line(path)}" for path, _ in unused[:_MOST_UNUSED]))
        if len(unused) > _MOST_UNUSED:
            click.echo(f"  and {len(unused) - _MOST_UNUSED} more (--json lists them all)")
    looked_at = f"{found['scenes']} scenes, {found['lines']} lines"
    if not found["files"]:
        click.echo(f"Nothing to complain about in {looked_at}.")
    else:
        told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        click.echo(f"{sum(counts.values())} problems in {looked_at}: {told}.")


def ranges(lines: list[int]) -> str:
    """Line numbers in their order, runs of them drawn together: `3-7, 12`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line <= runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs[:_MOST_RANGES])
    return f"{shown} …" if len(runs) > _MOST_RANGES else shown


def _lines(path: str, problem: dict[str, Any]) -> list[str]:
    place = f"{one_line(path)}:{problem['line']}:{problem['start'] + 1}"
    lines = [f"{place}: {_kind(problem['kind'])} {one_line(problem['message'])}"]
    text = problem["text"]
    if text:
        number = str(problem["line"])
        lines.append(f"  {number} │ {_shown(text)}")
        lines.append(f"  {' ' * len(number)} │ {underlined(text, problem['start'], problem['end'])}")
    if "fixHint" in problem:
        lines.append(f"  → {_shown(problem['fixHint'])}")
    return lines


def underlined(text: str, start: int, end: int) -> str:
    """Carets under some characters of a text, as wide as a terminal shows them."""
    from rich.cells import cell_len

    before, marked = cell_len(_shown(text[:start])), cell_len(_shown(text[:end]))
    return " " * before + "^" * max(marked - before, 1)


def _shown(text: str) -> str:
    return visible(text).expandtabs(_TAB)


def _kind(kind: str) -> str:
    import click

    return click.style(kind, fg=_COLOURS[kind]) if sys.stdout.isatty() else kind
