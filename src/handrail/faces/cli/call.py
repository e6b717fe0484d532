"""`handrail call`: makes one call through the gate and prints its JSON result on stdout."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import print_json
from handrail.faces.cli.parameters import Choice, WholeNumber, answer_option, project_option, state_option
from handrail.ports.errors import Declined, Failure, TooLarge

if TYPE_CHECKING:
    from handrail.kernel.call import Call
    from handrail.kernel.project import Project
    from handrail.kernel.tool import Reply

EPILOG = """\b
Examples:
  handrail call read_file '{"path": "game/config.txt"}'
  handrail call search_files '{"path": ".", "regex": "TODO"}' | jq .
  handrail call write_to_file - --answer allow < request.json

\b
Exit status: 0 with the result on stdout; 1 with {"error": {...}} on stdout;
2 when the tool is unknown or the parameters are not JSON."""

_MAX_INPUT = 64 * 1024 * 1024
_STDIN = "-"


@click.command(epilog=EPILOG)
@click.argument("name", help="The tool; `handrail tools` lists them.")
@click.argument(
    "json", default="{}", metavar="[JSON|-]", help="Its parameters; - reads them from stdin.  [default: {}]"
)
@project_option
@state_option
@answer_option
@click.option("--task", metavar="ID", help="Calls of one task run in order.")
@click.option("--timeout", type=WholeNumber(min=1), metavar="MS", help="Override the tool's timeout, in milliseconds.")
def call(
    name: str,
    json: str,
    project: Path,
    state: Path | None,
    answer: Choice,
    task: str | None,
    timeout: int | None,
) -> None:
    """Call one tool and print its result as JSON."""
    run_call(name, json, project, state, answer, task=task, timeout=timeout)


def run_call(
    name: str,
    json: str,
    project: Path,
    state: Path | None,
    answer: Choice,
    *,
    task: str | None = None,
    timeout: int | None = None,
    complete_params: Callable[[Any], Any] = lambda params: params,
) -> None:
    """`complete_params` turns the decoded JSON into the tool's parameters."""
    from handrail.faces.cli.person import answers, caller
    from handrail.faces.cli.program import program, run
    from handrail.kernel.call import Call, ignore_progress
    from handrail.kernel.policy_document import BrokenPolicy

    entry = _entry(program().describe(), name)
    try:
        params = complete_params(_params(json))
        has_terminal = json != _STDIN and sys.stdin.isatty()
        opened_project = program().open_project(
            project, state, answers(answer, has_terminal=has_terminal, keeps_prompt=False)
        )
        try:
            progress = ignore_progress if has_terminal else _tell
            reply = run(_call(opened_project, Call(name, params, caller(), task, timeout, progress=progress)))
        finally:
            opened_project.close()
    except BrokenPolicy as broken:
        refused: Failure = Declined(broken.message, hint="Fix the policy file. Until then every call is refused.")
        print_json(entry.surface.dialect.envelope(refused))
        raise SystemExit(1) from None
    except Failure as failure:
        print_json(entry.surface.dialect.envelope(failure))
        raise SystemExit(1) from None
    print_json(reply.value)
    for note in reply.notes:
        print(f"handrail: {note}", file=sys.stderr)


async def _call(project: "Project", call: "Call") -> "Reply":
    async with project.in_use():
        return await project.gate.run(call)


async def _tell(message: str) -> None:
    print(f"handrail: {message}", file=sys.stderr, flush=True)


def _entry(registry: Any, name: str) -> Any:
    """Finds the tool; those that only people may use have their own commands."""
    from handrail.kernel.registry import UnknownTool

    try:
        entry = registry.find(name)
        if entry.tool.face is not None:
            raise UnknownTool(f"{name} can't be called.", hint="handrail uses it itself.")
        if not entry.tool.is_for_agents:
            raise UnknownTool(f"{name} is not for agents.", hint="`handrail undo` reverts a write.")
    except UnknownTool as unknown:
        raise click.BadParameter(f"{unknown.message} {unknown.hint}", param_hint="NAME") from None
    return entry


def _params(text: str) -> Any:
    from handrail.kernel import strict_json

    data = sys.stdin.buffer.read(_MAX_INPUT + 1) if text == _STDIN else os.fsencode(text)
    if len(data) > _MAX_INPUT:
        raise TooLarge(f"The parameters are larger than {_MAX_INPUT} bytes.", maxBytes=_MAX_INPUT)
    try:
        return strict_json.decode(data, max_bytes=_MAX_INPUT)
    except strict_json.NotJson as error:
        raise click.BadParameter(error.message, param_hint="JSON") from None
