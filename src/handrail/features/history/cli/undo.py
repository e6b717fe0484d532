"""`handrail undo`: takes a write back."""

from pathlib import Path

import click

from handrail.faces.cli.output import one_line, print_json, say
from handrail.faces.cli.parameters import Choice, answer_option, json_option, project_option, state_option

EPILOG = """\b
Examples:
  handrail undo                                   the newest write
  handrail undo snap_20260102T030405_0a1b2c3d     the write that gave this snapshot
  handrail undo exec_0a1b2c3d4e5f60718293a4b5     the write of this execution"""


@click.command(epilog=EPILOG)
@click.argument("id", required=False, help="A snapshot's or an execution's id; without one, the newest write.")
@project_option
@state_option
@answer_option
@json_option
def undo(id: str | None, project: Path, state: Path | None, answer: Choice, as_json: bool) -> None:
    """Take a write back: the file gets what it held before.

    Refused when the file was changed since, so that no later work is lost.
    `handrail history` lists what can be undone.
    """
    import msgspec

    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program
    from handrail.faces.cli.running import run
    from handrail.kernel.approval import OwnCommand, PresetAnswer
    from handrail.kernel.call import Call

    opened = program().open_project(project, state, OwnCommand() if answer == "ask" else PresetAnswer(answer))
    try:
        call = Call("undo_write", {"id": id}, caller())
        result = msgspec.to_builtins(run(opened.gate.run(call)).result)
    finally:
        opened.close()
    if as_json:
        print_json(result)
        return
    done = "removed, as before that write" if result.get("removed") else "holds again what it held before that write"
    say(f"Undone: {one_line(result['path'])} {done} ({result['undone']}).")
    say(f"To take this back as well: handrail undo {result['snapshotId']}")
