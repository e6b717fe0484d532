"""`handrail apps check`: reviews a descriptor, and calls its examples as agents would."""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import one_line, print_json, say
from handrail.faces.cli.parameters import json_option, state_option
from handrail.ports.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from handrail.features.apps.calls.app_caller import AppCaller
    from handrail.features.apps.descriptors.review import Review
    from handrail.features.apps.model import App, AppTool, Example, Problem
    from handrail.ports.stores import Stores


def tools_to_try(app: "App", is_run: bool | None) -> "list[AppTool]":
    """The tools with examples: all or none, as `is_run` says; if it is None, the idempotent ones and those that the
    person at the terminal confirms.
    """
    tools = [tool for tool in app.tools if tool.examples]
    return [tool for tool in tools if (_confirm(tool) if is_run is None else is_run)]


def _confirm(tool: "AppTool") -> bool:
    if tool.is_idempotent or not sys.stdin.isatty():
        return tool.is_idempotent
    question = f"Call {tool.name} with its examples? It isn't marked as safe to repeat. [y]es / [n]o: "
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


async def try_examples(
    app: "App", tools: "Sequence[AppTool]", stores: "Stores", *, quiet: bool
) -> list[dict[str, Any]]:
    """In the order of the descriptor, because an example may depend on the previous one."""
    from handrail.features.apps.opening import open_app_caller

    outcomes = []
    async with open_app_caller(stores) as app_caller:
        for tool in tools:
            for number, example in enumerate(tool.examples, 1):
                entry = await _try_one(app_caller, app, tool, example) | {"number": number}
                outcomes.append(entry)
                if not quiet:
                    outcome = "ok" if entry["ok"] else f"{entry['error']['code']}: {entry['error']['message']}"
                    say(one_line(f"{tool.name} {number}: {outcome} ({entry['durationMs']} ms)"))
    return outcomes


async def _try_one(app_caller: "AppCaller", app: "App", tool: "AppTool", example: "Example") -> dict[str, Any]:
    import msgspec

    from handrail.features.apps.dialect import envelope

    began = time.perf_counter()
    entry: dict[str, Any] = {"tool": tool.name, "ok": False, "params": example.params}
    try:
        entry["result"] = await app_caller.call(app, tool, example.params, timeout_ms=None, on_reply=lambda *_: None)
        entry["ok"] = example.result is msgspec.UNSET or entry["result"] == example.result
        if not entry["ok"]:
            expected = msgspec.json.encode(example.result).decode()
            entry["error"] = {"code": "OTHER_RESULT", "message": f"The example expects {expected}."}
    except Failure as failure:
        entry["error"] = envelope(failure)["error"]
    return entry | {"durationMs": round((time.perf_counter() - began) * 1000)}


EPILOG = """\b
Examples:
  handrail apps check ~/.aai/com.example.notes
  handrail apps check aai.json --json
  handrail apps check ~/.aai/com.example.notes --run      calls each tool with its examples
  handrail apps check ~/.aai/com.example.notes --no-run   calls none

\b
Exit status: 0 if nothing is wrong, whatever is advised; 1 if there are problems, or an
example failed; 2 if there is no such file."""

_NAME = "aai.json"


@click.command("check", epilog=EPILOG)
@click.argument("path", type=Path, metavar="PATH", help="A descriptor, or its folder.")
@click.option("--run/--no-run", "is_run", default=None, help="Call every tool with its examples, or none.")
@state_option
@json_option
def check_app(path: Path, is_run: bool | None, state: Path | None, as_json: bool) -> None:
    """Check an app's descriptor.

    Reports every problem with its field and reason. An app with a problem is hidden from agents; advice hides nothing.
    Without a problem, the tools are called with their examples: those that are marked as safe to repeat, and with --run
    all of them.
    """
    from handrail.features.apps.descriptors.review import review

    file = path / _NAME if path.is_dir() else path
    try:
        text = file.read_bytes()
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror}.", param_hint="PATH") from None
    result = review(text, str(file), folder=_folder(file))
    outcomes, left_out = [], []
    if result.app is not None and not result.problems:
        from handrail.faces.cli.program import program, run

        tools = tools_to_try(result.app, is_run)
        left_out = [tool.name for tool in result.app.tools if tool.examples and tool not in tools]
        if tools:
            stores = program().open_stores(state)
            outcomes = run(try_examples(result.app, tools, stores, quiet=as_json))
    is_ok = not result.problems and all(one["ok"] for one in outcomes)
    if as_json:
        print_json(_as_json(file, result, outcomes, left_out, is_ok=is_ok))
    else:
        _report(file, result, outcomes, left_out)
    if not is_ok:
        raise SystemExit(1)


def _folder(file: Path) -> str | None:
    """The name of the folder if it is below `~/.aai`, where folders are named after apps."""
    lexical = Path(os.path.abspath(file))
    return lexical.parent.name if lexical.parent.parent == Path.home() / ".aai" else None


def _as_json(
    file: Path, result: "Review", outcomes: list[dict[str, Any]], left_out: list[str], *, is_ok: bool
) -> dict[str, Any]:
    def as_json(problems: "list[Problem]") -> list[dict[str, str]]:
        return [{"file": each.source, "field": each.field, "reason": each.reason} for each in problems]

    return {
        "ok": is_ok,
        "file": str(file),
        "app": None if result.app is None else result.app.id,
        "problems": as_json(result.problems),
        "advice": as_json(result.advice),
        "examples": outcomes,
        "notRun": left_out,
    }


def _report(file: Path, result: "Review", outcomes: list[dict[str, Any]], left_out: list[str]) -> None:
    for problem in result.problems:
        say(one_line(f"{problem}"))
    for problem in result.advice:
        say(one_line(f"{problem} (advice)"))
    if result.problems or result.app is None:
        say(f"{_count(len(result.problems), 'problem')}: agents can't use this app.")
        return
    examples = sum(len(tool.examples) for tool in result.app.tools)
    failed = sum(not one["ok"] for one in outcomes)
    ran = f", {failed} of {len(outcomes)} failed" if failed else (f", {len(outcomes)} ran" if outcomes else "")
    if left_out:
        say(f"Not run: {', '.join(left_out)} (--run calls them)")
    tools = _count(len(result.app.tools), "tool")
    say(f"{one_line(file)}: {result.app.id}, {tools}, {_count(examples, 'example')}{ran}.")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
