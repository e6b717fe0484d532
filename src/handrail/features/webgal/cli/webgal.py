"""`handrail webgal`: a game's scripts checked and mended, its scenes as a graph."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import complain, one_line, print_json, say
from handrail.faces.cli.parameters import Choice, answer_option, json_option, project_option, state_option
from handrail.features.webgal.cli.webgal_lsp import lsp
from handrail.ports.errors import Declined, InvalidParams, NotFound, OutsideRoot

if TYPE_CHECKING:
    from handrail.kernel.project import Project

CHECK_EPILOG = """\b
Examples:
  handrail webgal check                              the game of this folder
  handrail webgal check game/scene/start.txt --json  one scene, for programs
  handrail webgal check --fix --answer allow         mend what can safely be mended

\b
Exit status: 0 when there is nothing worse than style; 1 with mistakes of syntax or missing
resources; 2 when there is no such file or game. HANDRAIL_LANG=en makes the messages English."""
GRAPH_EPILOG = """\b
Examples:
  handrail webgal graph > scenes.svg
  handrail webgal graph --json | jq '.ways[] | select(.missing)'"""

_WRONG_USE = (NotFound, InvalidParams, OutsideRoot)


@click.group(commands=[lsp])
def webgal() -> None:
    """Check a WebGAL game, here or in your editor."""


@webgal.command(epilog=CHECK_EPILOG)
@click.argument("paths", nargs=-1, metavar="[PATH]...", help="Scenes, or folders with a game.  [default: this one]")
@click.option("--fix", is_flag=True, help="Apply the safe fixes, each file through the gate: shown, asked, undoable.")
@project_option
@state_option
@answer_option
@json_option
def check(paths: tuple[str, ...], fix: bool, project: Path, state: Path | None, answer: Choice, as_json: bool) -> None:
    """Find mistakes in scripts before a player does.

    A line that the engine would take for dialogue, a picture that is missing, a label that nobody set. Rules are
    silenced by `;nolint CODE` in a script or by `lintIgnore` in the project's policy.
    """
    from handrail.faces.cli.person import answers
    from handrail.faces.cli.program import program
    from handrail.faces.cli.running import run
    from handrail.features.webgal.cli.webgal_report import report

    opened = program().open_project(
        project, state, answers(answer, has_terminal=sys.stdin.isatty(), is_left_standing=False)
    )
    try:
        found, mended = run(_checked(opened, list(paths), with_fix=fix))
    except _WRONG_USE as wrong:
        raise click.UsageError(f"{wrong.message} {wrong.hint or ''}".rstrip()) from None
    finally:
        opened.close()
    if as_json:
        print_json({**found, "mended": mended} if fix else found)
    else:
        for change in mended:
            say(f"Mended {one_line(change['path'])} (undo: handrail undo {change['snapshotId']})")
        report(found)
    if any(problem["kind"] != "style" for file in found["files"] for problem in file["problems"]):
        raise SystemExit(1)


@webgal.command(epilog=GRAPH_EPILOG)
@click.argument("path", default=".", help="A folder with a game.  [default: this one]")
@project_option
@state_option
@json_option
def graph(path: str, project: Path, state: Path | None, as_json: bool) -> None:
    """Print which scene leads to which, as an SVG picture or as JSON."""
    from handrail.faces.cli.program import program
    from handrail.faces.cli.running import run
    from handrail.kernel.approvals import NobodyToAsk

    opened = program().open_project(project, state, NobodyToAsk())
    try:
        shown = run(_called(opened, "show_scene_graph", {"path": path}))
    except _WRONG_USE as wrong:
        raise click.UsageError(f"{wrong.message} {wrong.hint or ''}".rstrip()) from None
    finally:
        opened.close()
    if as_json:
        print_json(shown["graph"])
    else:
        sys.stdout.write(shown["svg"])


async def _checked(
    opened: "Project", paths: list[str], *, with_fix: bool
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found = await _called(opened, "check_game", {"paths": paths, "fix": with_fix})
    if not with_fix:
        return found, []
    mended = [
        {"path": file["path"], "snapshotId": snapshot}
        for file in found["files"]
        if "mended" in file and (snapshot := await _mend(opened, file["path"], file["mended"])) is not None
    ]
    return await _called(opened, "check_game", {"paths": paths}), mended


async def _mend(opened: "Project", path: str, content: str) -> str | None:
    """Through the gate like any other write. Who says no to one file may say yes to the next."""
    wanted = {"path": path, "content": content}
    try:
        await _called(opened, "write_to_file", {**wanted, "dryRun": True})
        done = await _called(opened, "write_to_file", {**wanted, "dryRun": False})
    except Declined as refused:
        complain(refused)
        return None
    return str(done["snapshotId"])


async def _called(opened: "Project", tool: str, params: dict[str, Any]) -> dict[str, Any]:
    import msgspec

    from handrail.faces.cli.person import caller
    from handrail.kernel.call import Call

    result: dict[str, Any] = msgspec.to_builtins((await opened.gate.run(Call(tool, params, caller()))).result)
    return result
