"""`handrail undo`: takes changes back, one or all of a task."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import one_line, print_json, say
from handrail.faces.cli.parameters import Choice, answer_option, json_option, project_option, state_option

if TYPE_CHECKING:
    from handrail.kernel.approval import Approver

EPILOG = """\b
Examples:
  handrail undo                                   the newest change
  handrail undo snap_20260102T030405_0a1b2c3d     the change that gave this snapshot
  handrail undo exec_0a1b2c3d4e5f60718293a4b5     all that this execution changed
  handrail undo --task fix-login                  all that this task changed"""


@click.command(epilog=EPILOG)
@click.argument("id", required=False, help="A snapshot's or an execution's id; without one, the newest change.")
@click.option("--task", metavar="ID", help="Undo everything that this task changed; shows a diff and asks first.")
@project_option
@state_option
@answer_option
@json_option
def undo(id: str | None, task: str | None, project: Path, state: Path | None, answer: Choice, as_json: bool) -> None:
    """Undo a change, or everything that a task changed.

    Nothing that was changed since is overwritten: it stays as it is, and is named.
    `handrail history` lists what can be undone.
    """
    import msgspec

    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program, run
    from handrail.kernel.call import Call

    opened = program().open_project(project, state, _approver(task, answer))
    try:
        call = Call("undo_write", {"id": id, "task": task}, caller())
        result = msgspec.to_builtins(run(opened.gate.run(call)).result)
    finally:
        opened.close()
    if as_json:
        print_json(result)
        return
    for done in (result, *result.get("others", ())):
        what = "removed, because the change had created it" if done.get("removed") else "restored"
        say(f"Undone: {one_line(done['path'])} {what} ({done['undone']}).")
    for left in result.get("refused", ()):
        say(f"Not undone: {one_line(left['path'])}: {one_line(left['why'])}.")
    if not result.get("others"):
        say(f"To redo it: handrail undo {result['snapshotId']}")


def _approver(task: str | None, answer: Choice) -> "Approver":
    from handrail.faces.cli.shown_first import ShownFirst
    from handrail.kernel.approval import OwnCommand, PresetAnswer

    if answer != "ask":
        return PresetAnswer(answer)
    return OwnCommand() if task is None else ShownFirst("Undo this?")
