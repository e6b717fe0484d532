"""`handrail call`: one call through the gate, its JSON on stdout."""

import os
import sys
from typing import Annotated, Any

import typer

from handrail.contract.errors import Declined, Failure, TooLarge
from handrail.faces.cli.output import print_json
from handrail.faces.cli.parameters import HERE, AnswerWith, Project, StateDir

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


def call(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tool; `handrail tools` lists them.")],
    json: Annotated[str, typer.Argument(metavar="JSON|-", help="Its parameters; - reads them from stdin.")] = "{}",
    project: Project = HERE,
    state: StateDir = None,
    answer: AnswerWith = "ask",
    task: Annotated[str | None, typer.Option(metavar="ID", help="Calls of one task run in order.")] = None,
    timeout: Annotated[int | None, typer.Option(min=1, metavar="MS", help="Another deadline than the tool's.")] = None,
) -> None:
    """Call one tool and print its result as JSON."""
    from handrail.app import describe, open_house
    from handrail.contract.call import Call
    from handrail.core.policy_document import BrokenPolicy
    from handrail.dialects import envelope
    from handrail.faces.cli.person import approver, caller
    from handrail.faces.cli.running import run

    entry = _entry(describe(), name)
    try:
        params = _params(json)
        ask_here = approver(answer, has_terminal=json != _STDIN and sys.stdin.isatty())
        house = open_house(project, state, ask_here)
        try:
            reply = run(house.gate.run(Call(name, params, caller(), task=task, deadline_ms=timeout)))
        finally:
            house.close()
    except BrokenPolicy as broken:
        refused: Failure = Declined(broken.message, hint="Mend the policy file; until then every call is refused.")
        print_json(envelope(entry.surface.dialect, refused))
        raise typer.Exit(1) from None
    except Failure as failure:
        print_json(envelope(entry.surface.dialect, failure))
        raise typer.Exit(1) from None
    print_json(reply.result)


def _entry(registry: Any, name: str) -> Any:
    """What only people may do has a command of its own."""
    from handrail.core.registry import UnknownTool

    try:
        entry = registry.find(name)
        if not entry.tool.is_for_agents:
            raise UnknownTool(f"{name} is not for agents.", hint="`handrail undo` takes a write back.")
    except UnknownTool as unknown:
        raise typer.BadParameter(f"{unknown.message} {unknown.hint}", param_hint="NAME") from None
    return entry


def _params(text: str) -> Any:
    from handrail.core import strict_json

    data = sys.stdin.buffer.read(_MAX_INPUT + 1) if text == _STDIN else os.fsencode(text)
    if len(data) > _MAX_INPUT:
        raise TooLarge(f"More than {_MAX_INPUT} bytes of parameters.", maxBytes=_MAX_INPUT)
    try:
        return strict_json.decode(data, max_bytes=_MAX_INPUT)
    except strict_json.NotJson as error:
        raise typer.BadParameter(f"not JSON: {error.message}", param_hint="JSON") from None
