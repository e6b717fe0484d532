"""`handrail undo`: undoes one change, a task, or everything since a point in time."""

import asyncio
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

import click

from handrail.faces.cli.output import one_line, print_json, say
from handrail.faces.cli.parameters import Choice, answer_option, json_option, project_option, state_option
from handrail.kernel.approval import Answer, Approver, Question
from handrail.kernel.visible import visible
from handrail.ports.errors import Declined


class ConfirmOnTerminal(Approver):
    def __init__(self, question: str) -> None:
        self._question = question

    async def ask(self, question: Question) -> Answer:
        say(visible(question.preview.diff or ""))
        say(question.preview.summary)
        if not sys.stdin.isatty():
            raise Declined("There is no terminal to ask in.", hint="Run it again with --answer allow.", reason="nobody")
        print(f"{self._question} [y]es / [n]o: ", end="", flush=True)
        line = await asyncio.to_thread(sys.stdin.readline)
        is_yes = line.strip().lower() in ("y", "yes")
        return Answer("ok" if is_yes else "canceled", by="own command")


_AGO = re.compile(r"(?P<count>\d{1,6})(?P<unit>[smhd])")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_UNITS = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}

EPILOG = """\b
Examples:
  handrail undo                                   the newest change
  handrail undo snap_20260102T030405_0a1b2c3d     the change that made this snapshot
  handrail undo exec_0a1b2c3d4e5f60718293a4b5     everything that this call changed
  handrail undo --task fix-login                  everything that this task changed
  handrail undo --to 14:30                        everything since half past two today
  handrail undo --to 20m                          everything in the last 20 minutes"""


@click.command(epilog=EPILOG)
@click.argument("id", required=False, help="A snapshot's or an execution's id; without one, the newest change.")
@click.option("--task", metavar="ID", help="Undo everything that this task changed; shows a diff and asks first.")
@click.option(
    "--to",
    metavar="TIME",
    help="Return to a point in time: 14:30, 2026-01-31T14:30 or, before now, 20m, 2h, 3d; shows a diff and asks first.",
)
@project_option
@state_option
@answer_option
@json_option
def undo(
    id: str | None,
    task: str | None,
    to: str | None,
    project: Path,
    state: Path | None,
    answer: Choice,
    as_json: bool,
) -> None:
    """Undo a change, a task, or everything since a point in time.

    Later changes are not overwritten: those files are skipped and listed.
    `handrail history` lists what can be undone.
    """
    import msgspec

    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program, run
    from handrail.kernel.call import Call

    time = None if to is None else _parse_time(to, datetime.now().astimezone()).isoformat()
    opened = program().open_project(project, state, _make_approver(task or to, answer))
    try:
        call = Call("undo_write", {"id": id, "task": task, "to": time}, caller())
        result = msgspec.to_builtins(run(opened.gate.run(call)).result)
    finally:
        opened.close()
    if as_json:
        print_json(result)
        return
    for change in (result, *result.get("others", ())):
        outcome = "removed, because the change had created it" if change.get("removed") else "restored"
        say(f"Undone: {one_line(change['path'])} {outcome} ({change['undone']}).")
    for refused in result.get("refused", ()):
        say(f"Not undone: {one_line(refused['path'])}: {one_line(refused['why'])}.")
    for path in result.get("incomplete", ()):
        say(f"{one_line(path)}: older changes are no longer kept, so it may differ from its state at that time.")
    say(f"To redo it: handrail undo {call.execution_id if result.get('others') else result['snapshotId']}")


def _parse_time(text: str, now: datetime) -> datetime:
    """Uses this machine's time zone unless another is given."""
    if (ago := _AGO.fullmatch(text)) is not None:
        return now - int(ago["count"]) * _UNITS[ago["unit"]]
    try:
        if (clock := _CLOCK.fullmatch(text)) is not None:
            return now.replace(hour=int(clock[1]), minute=int(clock[2]), second=int(clock[3] or 0), microsecond=0)
        time = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a time, such as 14:30 or 20m.", param_hint="--to") from None
    return time if time.tzinfo is not None else time.astimezone()


def _make_approver(scope: str | None, answer: Choice) -> "Approver":
    """A far-reaching undo is shown first."""
    from handrail.features.history.cli.undo import ConfirmOnTerminal
    from handrail.kernel.approval import CommandApprover, PresetAnswer

    if answer != "ask":
        return PresetAnswer(answer)
    return CommandApprover() if scope is None else ConfirmOnTerminal("Undo this?")
