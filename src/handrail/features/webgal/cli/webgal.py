"""`handrail webgal`: checks and fixes a game's scripts, prints its scene graph, serves an editor."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import complain, log_to_stderr, one_line, print_json, say
from handrail.faces.cli.parameters import Choice, answer_option, json_option, project_option, state_option
from handrail.kernel.visible import visible
from handrail.ports.errors import Declined, InvalidParams, NotFound, OutsideRoot

if TYPE_CHECKING:
    from handrail.kernel.project import Project

_TAB = 4
_UNUSED = "WG404"
_MAX_UNUSED = 10
_MAX_SAME_CODE = 10
_NO_SEMICOLON = "WG101"
"""Shown once per file, because many games have it everywhere."""
_MAX_RANGES = 12
_COLOURS = {"syntax": "red", "resource": "magenta", "style": "yellow"}


def report(result: dict[str, Any]) -> None:
    import click

    counts = dict.fromkeys(_COLOURS, 0)
    unused = []
    for file in result["files"]:
        lines_by_code: dict[str, list[int]] = {}
        for problem in file["problems"]:
            counts[problem["kind"]] += 1
            if problem["code"] == _UNUSED:
                unused.append((file["path"], problem["message"]))
                continue
            lines = lines_by_code.setdefault(problem["code"], [])
            lines.append(problem["line"])
            if len(lines) <= (1 if problem["code"] == _NO_SEMICOLON else _MAX_SAME_CODE):
                click.echo("\n".join(_lines(file["path"], problem)))
        for code, lines in lines_by_code.items():
            if rest := lines[1 if code == _NO_SEMICOLON else _MAX_SAME_CODE :]:
                click.echo(f"{one_line(file['path'])}: and {len(rest)} more [{code}] on lines {ranges(rest)}")
    if unused:
        click.echo(f"{_kind('style')} {one_line(unused[0][1])}")
        click.echo("\n".join(f"  {one_line(path)}" for path, _ in unused[:_MAX_UNUSED]))
        if len(unused) > _MAX_UNUSED:
            click.echo(f"  and {len(unused) - _MAX_UNUSED} more (--json lists them all)")
    summary = f"{_counted(result['scenes'], 'scene')}, {_counted(result['lines'], 'line')}"
    if engines := result.get("engines"):
        summary += f", engine {', '.join(engines)}"
    if not result["files"]:
        click.echo(f"No problems in {summary}.")
    else:
        counts_text = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        click.echo(f"{_counted(sum(counts.values()), 'problem')} in {summary}: {counts_text}.")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ranges(lines: list[int]) -> str:
    """Formats line numbers, with consecutive ones joined: `3-7, 12`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line <= runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    text = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs[:_MAX_RANGES])
    return f"{text} …" if len(runs) > _MAX_RANGES else text


def _lines(path: str, problem: dict[str, Any]) -> list[str]:
    place = f"{one_line(path)}:{problem['line']}:{problem['start'] + 1}"
    lines = [f"{place}: {_kind(problem['kind'])} {one_line(problem['message'])}"]
    text = problem["text"]
    if text:
        number = str(problem["line"])
        lines.append(f"  {number} │ {_visible_line(text)}")
        lines.append(f"  {' ' * len(number)} │ {underlined(text, problem['start'], problem['end'])}")
    if "fixHint" in problem:
        lines.append(f"  → {_visible_line(problem['fixHint'])}")
    return lines


def underlined(text: str, start: int, end: int) -> str:
    """Returns carets under some characters of a text, as wide as the terminal shows them."""
    from rich.cells import cell_len

    before, marked = cell_len(_visible_line(text[:start])), cell_len(_visible_line(text[:end]))
    return " " * before + "^" * max(marked - before, 1)


def _visible_line(text: str) -> str:
    return visible(text).expandtabs(_TAB)


def _kind(kind: str) -> str:
    import click

    return click.style(kind, fg=_COLOURS[kind]) if sys.stdout.isatty() else kind


LSP_EPILOG = """\b
Example, for Neovim 0.11 and newer:
  vim.lsp.config("webgal", { cmd = { "handrail", "webgal", "lsp" }, filetypes = { "webgal" } })
  vim.lsp.enable("webgal")

\b
To set up VS Code, see docs/webgal.md. HANDRAIL_LANG=en makes the messages English."""


@click.command(epilog=LSP_EPILOG)
@click.option("--project", type=Path, metavar="DIR", help="Project folder [the folder open in the editor].")
@click.option("--stdio", is_flag=True, help="Ignored: it always uses stdin and stdout. Some editors pass it.")
@state_option
def lsp(project: Path | None, stdio: bool, state: Path | None) -> None:
    """Start the language server for an editor.

    It reports problems as you type, completes names, finds definitions and renames. The editor starts this command. It
    reads the project and writes nothing.
    """
    from handrail.faces.cli.program import program, run
    from handrail.features.webgal.editor_project import serve_editor

    log_to_stderr()
    raise SystemExit(run(serve_editor(project.absolute() if project is not None else None, program(), state)))


CHECK_EPILOG = """\b
Examples:
  handrail webgal check                              the game of this folder
  handrail webgal check game/scene/start.txt --json  one scene, for programs
  handrail webgal check --fix --answer allow         fix what can safely be fixed

\b
Exit status: 0 for no problems other than style; 1 for syntax errors or missing resources;
2 if the file or game doesn't exist. HANDRAIL_LANG=en makes the messages English."""
GRAPH_EPILOG = """\b
Examples:
  handrail webgal graph > scenes.svg
  handrail webgal graph --json | jq '.ways[] | select(.missing)'"""

_GAME_FOLDERS = ("scene", "background", "figure", "bgm", "vocal", "video", "animation")
_USAGE_ERRORS = (NotFound, InvalidParams, OutsideRoot)


@click.group(commands=[lsp])
def webgal() -> None:
    """Check a WebGAL game, here or in your editor."""


@webgal.command(epilog=CHECK_EPILOG)
@click.argument("paths", nargs=-1, metavar="[PATH]...", help="Scenes, or game folders.  [default: current directory]")
@click.option("--fix", is_flag=True, help="Apply the safe fixes; each file is shown, needs approval and can be undone.")
@project_option
@state_option
@answer_option
@json_option
def check(paths: tuple[str, ...], fix: bool, project: Path, state: Path | None, answer: Choice, as_json: bool) -> None:
    """Find mistakes in scripts before a player does.

    For example, a line that the engine would show as dialogue, a missing picture or an undefined label. Silence
    rules with `;nolint CODE` in a script or `lintIgnore` in the project's policy.
    """
    from handrail.faces.cli.person import answers
    from handrail.faces.cli.program import program, run

    project, below = find_root(project, paths)
    opened = program().open_project(
        project, state, answers(answer, has_terminal=sys.stdin.isatty(), keeps_prompt=False)
    )
    with _closing(opened):
        result, fixed = run(_check(opened, below, with_fix=fix))
    if as_json:
        print_json({**result, "mended": fixed} if fix else result)
    else:
        for change in fixed:
            say(f"Fixed {one_line(change['path'])} (undo: handrail undo {change['snapshotId']})")
        report(result)
    if any(problem["kind"] != "style" for file in result["files"] for problem in file["problems"]):
        raise SystemExit(1)


@webgal.command(epilog=GRAPH_EPILOG)
@click.argument("path", default=".", help="A game folder.  [default: current directory]")
@project_option
@state_option
@json_option
def graph(path: str, project: Path, state: Path | None, as_json: bool) -> None:
    """Print which scene leads to which, as an SVG picture or as JSON."""
    from handrail.faces.cli.program import program, run
    from handrail.kernel.approval import NoApprover

    opened = program().open_project(project, state, NoApprover())
    with _closing(opened):
        result = run(_call_tool(opened, "show_scene_graph", {"path": path}))
    if as_json:
        print_json(result["graph"])
    else:
        sys.stdout.write(result["svg"])


def find_root(project: Path, paths: Sequence[str]) -> tuple[Path, list[str]]:
    """Returns the project to open, and the paths in it. Paths are relative to the current folder, or to the project.

    Files outside of the project are checked in their own game's folder, and so is everything in a folder of a game.
    """
    root = Path(os.path.abspath(project))
    if _is_in_game(root):
        root = _root_of(root)
    absolute = [_absolute(root, path) for path in paths]
    if missing := [path for path, found in zip(paths, absolute, strict=True) if not os.path.lexists(found)]:
        raise click.UsageError(f"No such file or folder: {one_line(missing[0])}")
    if absolute and not any(path.is_relative_to(root) for path in absolute):
        root = _root_of(Path(os.path.commonpath(absolute)))
    return root, [os.path.relpath(path, root) for path in absolute]


def _is_in_game(folder: Path) -> bool:
    """Returns whether this is a game's folder of scenes, pictures and so on, or one below."""
    parents = (each for each in folder.parents if (each / "scene").is_dir())
    return any(folder.relative_to(game).parts[0] in _GAME_FOLDERS for game in parents)


def _absolute(root: Path, path: str) -> Path:
    here = Path(os.path.abspath(path))
    return here if here.exists() else Path(os.path.abspath(root / path))


def _root_of(path: Path) -> Path:
    """Returns the folder above the game that contains this path, or the path's own folder."""
    folder = path if path.is_dir() else path.parent
    for game in (folder, *folder.parents):
        if (game / "scene").is_dir():
            return game.parent if game.name == "game" else game
    return folder


@contextmanager
def _closing(opened: "Project") -> Iterator[None]:
    try:
        yield
    except _USAGE_ERRORS as error:
        raise click.UsageError(f"{error.message} {error.hint or ''}".rstrip()) from None
    finally:
        opened.close()


async def _check(opened: "Project", paths: list[str], *, with_fix: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    result = await _call_tool(opened, "check_game", {"paths": paths, "fix": with_fix})
    if not with_fix:
        return result, []
    fixed = [
        {"path": file["path"], "snapshotId": snapshot}
        for file in result["files"]
        if "mended" in file and (snapshot := await _write_fix(opened, file["path"], file["mended"])) is not None
    ]
    return await _call_tool(opened, "check_game", {"paths": paths}), fixed


async def _write_fix(opened: "Project", path: str, content: str) -> str | None:
    """Writes a fixed file through the gate. Denying one file doesn't stop the others."""
    params = {"path": path, "content": content}
    try:
        await _call_tool(opened, "write_to_file", {**params, "dryRun": True})
        result = await _call_tool(opened, "write_to_file", {**params, "dryRun": False})
    except Declined as declined:
        complain(declined)
        return None
    return str(result["snapshotId"])


async def _call_tool(opened: "Project", tool: str, params: dict[str, Any]) -> dict[str, Any]:
    import msgspec

    from handrail.faces.cli.person import caller
    from handrail.kernel.call import Call

    result: dict[str, Any] = msgspec.to_builtins((await opened.gate.run(Call(tool, params, caller()))).result)
    return result
