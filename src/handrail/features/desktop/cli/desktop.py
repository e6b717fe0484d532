"""`handrail desktop`: runs recipes of desktop steps through the gate, and deletes passwords that version 0.1 stored."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import one_line, print_json, say
from handrail.faces.cli.parameters import Choice, answer_option, json_option, project_option, state_option
from handrail.ports.errors import Failure

if TYPE_CHECKING:
    from handrail.features.desktop.recipes import Step
    from handrail.kernel.project import Project
    from handrail.kernel.registry import Registry

EPILOG = """\b
Examples:
  handrail desktop run recipe.json --dry-run     show the steps and the tools they call
  handrail desktop run recipe.json               run it; each step that acts asks you first
  handrail desktop run - --answer allow < recipe.json

\b
A recipe is {"steps": [{"id": "ok", "op": "find", "params": {…}}, …]}; {"$ref": "ok.elementRefs.0"}
is replaced by a part of an earlier step's result. docs/desktop.md explains it.

\b
Exit status: 0 if every step succeeded; 1 if one failed; 2 if the recipe can't be read or a step
is invalid, and then nothing was done."""

_MAX_RECIPE = 4 * 1024 * 1024
_SURFACE = "desktop"


@click.group()
def desktop() -> None:
    """Run desktop recipes; delete stored passwords."""


@desktop.command("forget-passwords")
@project_option
@state_option
def forget_passwords(project: Path, state: Path | None) -> None:
    """Delete passwords that version 0.1 stored.

    What it typed into password fields is deleted from the evidence of the project, and masked in answered
    questions of the state directory. `handrail doctor` says whether there are any.
    """
    from handrail.faces.cli.program import program
    from handrail.features.desktop.stored_passwords import delete_passwords
    from handrail.ports.errors import InputOutput

    try:
        files, questions = delete_passwords(project, Path(program().open_stores(state).prompts.location))
    except OSError as error:
        raise InputOutput(f"Some passwords could not be deleted: {error}") from None
    say(f"Evidence files deleted: {files}. Questions masked: {questions}." if files or questions else "None stored.")


@desktop.command("run", epilog=EPILOG)
@click.argument("file", metavar="FILE", help="The recipe; - reads it from stdin.")
@project_option
@state_option
@answer_option
@click.option("--dry-run", is_flag=True, help="Check the recipe and show its steps, but run nothing.")
@json_option
def run_recipe(
    file: str,
    project: Path,
    state: Path | None,
    answer: Choice,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run a recipe of desktop steps."""
    from handrail.faces.cli.person import answers
    from handrail.faces.cli.program import program, run

    registry = program().describe()
    steps = _read(file, registry)
    if dry_run:
        _show(steps, registry, as_json)
        return
    approver = answers(answer, has_terminal=file != "-" and sys.stdin.isatty(), keeps_prompt=False)
    opened = program().open_project(project, state, approver)
    try:
        entries = run(_run(opened, steps))
    finally:
        opened.close()
    has_succeeded = all(entry["ok"] for entry in entries) and len(entries) == len(steps)
    if as_json:
        print_json({"ok": has_succeeded, "steps": entries})
    if not has_succeeded:
        raise SystemExit(1)


def _read(file: str, registry: "Registry") -> "Sequence[Step]":
    from handrail.features.desktop.recipes import BrokenRecipe, read_recipe

    def check(tool: str, params: Any) -> None:
        registry.find(tool).read_params(params)

    try:
        data = sys.stdin.buffer.read(_MAX_RECIPE + 1) if file == "-" else Path(file).read_bytes()
        return read_recipe(data, lambda op: _tool_of(op, registry), check)
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror}", param_hint="FILE") from None
    except BrokenRecipe as error:
        hint = f" {error.hint}" if error.hint else ""
        raise click.BadParameter(f"{error.message}{hint}", param_hint="FILE") from None


def _tool_of(op: str, registry: "Registry") -> str:
    """Accepts `desktop_type_text`, the contract's `desktop.typeText`, and `typeText` or `type_text`."""
    import re

    from handrail.kernel.registry import UnknownTool

    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", op.replace(".", "_")).lower()
    name = words if words.startswith(f"{_SURFACE}_") else f"{_SURFACE}_{words}"
    if registry.find(name).surface.name != _SURFACE:
        raise UnknownTool(f"{op!r} isn't a tool of the desktop.")
    return name


def _show(steps: "Sequence[Step]", registry: "Registry", as_json: bool) -> None:
    planned = [
        {
            "id": step.id,
            "op": step.op,
            "effect": registry.find(step.op).tool.strongest_effect.value,
            "params": step.params,
        }
        for step in steps
    ]
    if as_json:
        print_json({"steps": planned})
        return
    import msgspec

    for number, step in enumerate(planned, 1):
        say(f"{number}. {step['id']}: {step['op']} ({step['effect']})")
        say(f"   {one_line(msgspec.json.encode(step['params']).decode())}")


async def _run(project: "Project", steps: "Sequence[Step]") -> list[dict[str, Any]]:
    """Runs the steps and returns an entry for each. Stops at the first failure unless the step continues on error."""
    import secrets

    import msgspec

    from handrail.faces.cli.person import caller
    from handrail.features.desktop.dialect import envelope
    from handrail.features.desktop.recipes import fill_in
    from handrail.kernel.call import Call

    entries: list[dict[str, Any]] = []
    results: dict[str, Any] = {}
    task = f"recipe_{secrets.token_hex(6)}"
    async with project.in_use():
        for number, step in enumerate(steps, 1):
            label, began = f"{number}/{len(steps)} {step.id}: {step.op}", time.perf_counter()
            _progress(f"{label} …")
            entry: dict[str, Any] = {"id": step.id, "op": step.op, "ok": False}
            try:
                reply = await project.gate.run(Call(step.op, fill_in(step, results), caller(), task))
                results[step.id] = entry["result"] = msgspec.to_builtins(reply.result)
                entry["ok"] = True
            except Failure as failure:
                entry |= envelope(failure)
            entry["durationMs"] = round((time.perf_counter() - began) * 1000)
            entries.append(entry)
            outcome = "ok" if entry["ok"] else f"{entry['error']['code']}: {entry['error']['message']}"
            _progress(f"{label} {outcome} ({entry['durationMs']} ms)")
            if not entry["ok"] and not step.continues_on_error:
                break
    return entries


def _progress(line: str) -> None:
    print(one_line(line), file=sys.stderr, flush=True)
