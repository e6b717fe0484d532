"""`handrail apps check`: a descriptor as agents would find it, and its tools' examples as they would call them."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.contract.errors import Failure
from handrail.faces.cli.output import one_line, print_json, say
from handrail.faces.cli.parameters import json_option, state_option

if TYPE_CHECKING:
    from handrail.contract.apps import App, AppTool, Example, Problem
    from handrail.core.apps.review import Review
    from handrail.core.apps.switchboard import Switchboard

EPILOG = """\b
Examples:
  handrail apps check ~/.aai/com.example.notes
  handrail apps check aai.json --json
  handrail apps check ~/.aai/com.example.notes --run   calls each tool with its examples

\b
Exit status: 0 when there is nothing wrong, whatever is advised; 1 with problems, or when an
example failed; 2 when there is no such file."""

_NAME = "aai.json"
_DIALECT = "aai"


@click.command("check", epilog=EPILOG)
@click.argument("path", type=Path, metavar="PATH", help="A descriptor, or the folder of one.")
@click.option("--run", "with_run", is_flag=True, help="Call every tool with its examples. They do what they do.")
@state_option
@json_option
@click.pass_context
def check_app(ctx: click.Context, path: Path, with_run: bool, state: Path | None, as_json: bool) -> None:
    """Check the descriptor of an app.

    Every problem is told with its field and reason. One is enough to hide the app from agents; advice hides nothing.
    """
    from handrail.core.apps.review import review

    file = path / _NAME if path.is_dir() else path
    try:
        text = file.read_bytes()
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror}.", param_hint="PATH") from None
    found = review(text, str(file), folder=_folder(file))
    tried = []
    if with_run and found.app is not None and not found.problems:
        from handrail.faces.cli.running import run

        tried = run(_try(found.app, state or ctx.obj, quiet=as_json))
    is_well = not found.problems and all(one["ok"] for one in tried)
    if as_json:
        print_json(_told(file, found, tried, is_well=is_well))
    else:
        _report(file, found, tried)
    if not is_well:
        raise SystemExit(1)


def _folder(file: Path) -> str | None:
    """Only below `~/.aai` does a folder's name say something about the app."""
    lexical = Path(os.path.abspath(file))
    return lexical.parent.name if lexical.parent.parent == Path.home() / ".aai" else None


async def _try(app: "App", state: Path | None, *, quiet: bool) -> list[dict[str, Any]]:
    """One after the other, in the descriptor's order: an example may build on the one before."""
    from handrail.app.app_trial import open_switchboard

    tried = []
    async with open_switchboard(state) as switchboard:
        for tool in app.tools:
            for number, example in enumerate(tool.examples, 1):
                entry = await _try_one(switchboard, app, tool, example) | {"number": number}
                tried.append(entry)
                if not quiet:
                    outcome = "ok" if entry["ok"] else f"{entry['error']['code']}: {entry['error']['message']}"
                    say(one_line(f"{tool.name} {number}: {outcome} ({entry['durationMs']} ms)"))
    return tried


async def _try_one(switchboard: "Switchboard", app: "App", tool: "AppTool", example: "Example") -> dict[str, Any]:
    import msgspec

    from handrail.dialects import envelope

    began = time.perf_counter()
    entry: dict[str, Any] = {"tool": tool.name, "ok": False, "params": example.params}
    try:
        entry["result"] = await switchboard.call(app, tool, example.params, timeout_ms=None, heard=lambda *_: None)
        entry["ok"] = example.result is msgspec.UNSET or entry["result"] == example.result
        if not entry["ok"]:
            wanted = msgspec.json.encode(example.result).decode()
            entry["error"] = {"code": "OTHER_RESULT", "message": f"The example promises {wanted}."}
    except Failure as failure:
        entry["error"] = envelope(_DIALECT, failure)["error"]
    return entry | {"durationMs": round((time.perf_counter() - began) * 1000)}


def _told(file: Path, found: "Review", tried: list[dict[str, Any]], *, is_well: bool) -> dict[str, Any]:
    def spelled(problems: "list[Problem]") -> list[dict[str, str]]:
        return [{"file": each.source, "field": each.field, "reason": each.reason} for each in problems]

    return {
        "ok": is_well,
        "file": str(file),
        "app": None if found.app is None else found.app.id,
        "problems": spelled(found.problems),
        "advice": spelled(found.advice),
        "examples": tried,
    }


def _report(file: Path, found: "Review", tried: list[dict[str, Any]]) -> None:
    for problem in found.problems:
        say(one_line(f"{problem}"))
    for problem in found.advice:
        say(one_line(f"{problem} (advice)"))
    if found.problems or found.app is None:
        say(f"{len(found.problems)} problems: agents won't find this app.")
        return
    examples = sum(len(tool.examples) for tool in found.app.tools)
    failed = sum(not one["ok"] for one in tried)
    ran = f", {failed} of {len(tried)} failed" if failed else (", all ran" if tried else "")
    say(f"{one_line(file)}: {found.app.id}, {len(found.app.tools)} tools, {examples} examples{ran}.")
