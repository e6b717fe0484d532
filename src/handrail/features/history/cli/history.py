"""`handrail history`: lists what was changed in this project, and what was undone."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import local_time, one_line, print_json, say
from handrail.faces.cli.parameters import json_option, limit_option, project_option, state_option

if TYPE_CHECKING:
    from handrail.kernel.project import Project


EPILOG = "Example: handrail history --limit 5, then handrail undo with one of the ids it shows."


@click.command(epilog=EPILOG)
@project_option
@state_option
@json_option
@limit_option
def history(project: Path, state: Path | None, as_json: bool, limit: int) -> None:
    """List what was changed in this project.

    Newest first, with the ids that `handrail undo` takes. Calls that only read are in `handrail audit`.
    """
    from handrail.faces.cli.program import program
    from handrail.kernel.approval import NoApprover

    opened = program().open_project(project, state, NoApprover())
    try:
        entries = list(islice(_entries(opened), limit))
    finally:
        opened.close()
    if as_json:
        print_json({"history": entries})
        return
    for entry in entries:
        _print(entry)
    if not entries:
        say("Nothing was changed through handrail in this project yet.")


def _entries(opened: "Project") -> Iterator[dict[str, Any]]:
    """Reads backwards, so an end comes before its start. A start without an end was interrupted."""
    snapshots = _Snapshots(opened)
    ended: set[str] = set()
    for record in opened.audit.entries(reverse=True):
        if record.get("project") != opened.location or not _changes(record.get("effect")):
            continue
        execution = str(record.get("executionId"))
        if record.get("event") == "end":
            ended.add(execution)
            yield _entry(record, snapshots, _status(record))
        elif execution not in ended:
            ended.add(execution)
            yield _entry(record, snapshots, "interrupted")


def _changes(effect: object) -> bool:
    from handrail.ports.effect import Effect

    return any(effect == each.value for each in Effect if each.changes)


def _status(record: dict[str, Any]) -> str:
    from handrail.features.history.outcome import outcome_of_record

    is_repeated = record.get("ok") is True and record.get("decision") == "settled"
    return "repeated" if is_repeated else outcome_of_record(record)


def _entry(record: dict[str, Any], snapshots: "_Snapshots", status: str) -> dict[str, Any]:
    execution = str(record.get("executionId"))
    snapshot = snapshots.of_execution.get(execution)
    entry = {
        "time": record.get("ts"),
        "status": status,
        "tool": record.get("tool"),
        "effect": record.get("effect"),
        "target": record.get("target"),
        "caller": record.get("caller"),
        "task": record.get("task"),
        "decision": record.get("decision"),
        "answer": record.get("answer"),
        "executionId": execution,
        "error": record.get("error"),
        "evidence": (record.get("evidence") or {}).get("dir"),
    }
    if snapshot is not None:
        entry |= {"target": entry["target"] or snapshot.path, "snapshotId": snapshot.id, "undoes": snapshot.undoes}
        entry["undone"] = snapshot.id in snapshots.undone
    return {name: value for name, value in entry.items() if value is not None}


class _Snapshots:
    """Which execution made which snapshot, and which snapshots were undone."""

    def __init__(self, opened: "Project") -> None:
        snapshots = list(opened.part("workspace").snapshots.newest_first())
        self.of_execution = {snapshot.execution_id: snapshot for snapshot in snapshots if snapshot.execution_id}
        self.undone = {snapshot.undoes for snapshot in snapshots if snapshot.undoes}


def _print(entry: dict[str, Any]) -> None:
    status = "undone" if entry.get("undone") else entry["status"]
    say(f"{local_time(entry['time'])}  {status:<11}  {one_line(entry['tool'])}  {one_line(entry.get('target', ''))}")
    say(f"    {one_line(_verdict(entry))}; called by {one_line(entry['caller'])}")
    undoes = entry.get("undoes")
    ids = [entry["executionId"], entry.get("snapshotId"), undoes and f"undoes {undoes}"]
    say("    " + "  ".join(one_line(part) for part in ids if part))
    if error := entry.get("error"):
        say("    " + one_line(": ".join(map(str, error.values()))))


def _verdict(entry: dict[str, Any]) -> str:
    """Returns who decided, in a few words; `--json` has everything."""
    answer = entry.get("answer")
    if answer is None:
        return str(entry.get("decision", "not decided"))
    if answer["status"] == "timeout":
        return "not answered in time"
    by = str(answer["by"]).partition(", prompt ")[0]
    return f"{'allowed' if answer['status'] == 'ok' else 'denied'} by {by}"
