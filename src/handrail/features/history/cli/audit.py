"""`handrail audit`: the record of every call, and whether it is still as it was written."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from handrail.faces.cli.output import columns, complain, local_time, print_json, say
from handrail.faces.cli.parameters import OneOf, json_option, limit_option, state_option

if TYPE_CHECKING:
    from handrail.kernel.audit import Audit
    from handrail.kernel.record_check import Findings
    from handrail.ports.stores import Stores

EDITED = 3
"""The exit status where nothing is wrong, but a file that people edit was changed outside handrail."""

EPILOG = """\b
Examples:
  handrail audit --limit 100      the newest calls of all projects
  handrail audit verify           exit status 1 if anything was changed, 3 if only a file that you may edit was
  handrail audit prove 17         a proof that record 17 is in the signed tree, as JSON
  handrail audit accept           after damage: takes the state as it is now for the right one"""


@click.command(epilog=EPILOG)
@click.argument(
    "action", type=OneOf("show", "verify", "prove", "accept"), default="show", help="What to do.  [default: show]"
)
@click.argument("number", type=int, required=False, help="With prove: the record's number.")
@state_option
@json_option
@limit_option
def audit(
    action: Literal["show", "verify", "prove", "accept"],
    number: int | None,
    state: Path | None,
    as_json: bool,
    limit: int,
) -> None:
    """Show or verify the record of all calls.

    The record holds every call of every project on this state directory, newest first. Each line seals the
    one before it, and signed checkpoints hold the whole of it together. `verify` finds what was changed, removed,
    moved, cut off or rolled back, in the audit, in its evidence and in the other files of the state directory.
    """
    from handrail.faces.cli.program import program
    from handrail.kernel.audit import Audit

    stores = program().open_stores(state)
    record = Audit(stores.audit)
    try:
        if action == "verify":
            _verify(record, stores, as_json=as_json)
        elif action == "prove":
            _prove(record, stores, number)
        elif action == "accept":
            _accept(record, stores)
        else:
            _show(record, limit, as_json=as_json)
    finally:
        record.close()


def _verify(record: "Audit", stores: "Stores", *, as_json: bool) -> None:
    from handrail.faces.cli.program import program
    from handrail.kernel.record_check import check_record

    found = check_record(record, stores.record(), program().open_evidence)
    if as_json:
        print_json(_findings(found))
    else:
        _say(found)
    if not found.is_well:
        raise SystemExit(1)
    if found.edits:
        raise SystemExit(EDITED)


def _findings(found: "Findings") -> dict[str, Any]:
    told: dict[str, Any] = {"ok": found.is_well, "count": found.count, "checkpoints": found.checkpoints}
    told |= {"signed": found.covered, "evidence": found.evidence}
    told |= {"faults": found.faults, "edits": found.edits, "notes": found.notes}
    return told if found.broken is None else {**told, **found.broken.details}


def _say(found: "Findings") -> None:
    for note in found.notes:
        say(f"Note: {note}.")
    if found.broken is not None:
        complain(found.broken)
    for edit in found.edits:
        click.echo(f"handrail: {edit}. If that was you, `handrail audit accept` says so.", err=True)
    for fault in found.faults:
        click.echo(f"handrail: {fault}.", err=True)
    if found.is_well:
        say(f"{found.count} records, all as they were written.")
        say(f"{found.covered} of them are signed by {found.checkpoints} checkpoints.")
        say(f"{found.evidence} files of evidence, all as they were written.")


def _prove(record: "Audit", stores: "Stores", number: int | None) -> None:
    from handrail.kernel.record_check import proof_of

    if number is None:
        raise click.UsageError("Name the record: handrail audit prove NUMBER.")
    print_json(proof_of(record, stores.record(), number))


def _accept(record: "Audit", stores: "Stores") -> None:
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.presence import need_person
    from handrail.kernel.record_keeper import RecordKeeper

    need_person(stores, "Accepting the record as it is")
    record.append({"event": "accepted", "caller": str(caller())}, durable=True)
    made = RecordKeeper(stores.audit, stores.record).checkpoint(accepts=True)
    if made is not None:
        say(f"Checkpoint {made.number}: {made.count} records, as they are now. Older ones no longer count.")


def _show(record: "Audit", limit: int, *, as_json: bool) -> None:
    entries = list(islice(record.entries(reverse=True), limit))
    if as_json:
        print_json({"entries": entries})
        return
    for line in columns([_row(entry) for entry in entries]):
        say(line)
    if not entries:
        say("Nothing was recorded yet.")


def _row(entry: dict[str, Any]) -> tuple[object, ...]:
    return (
        entry.get("seq", "?"),
        local_time(entry.get("ts")),
        entry.get("event", "repair"),
        entry.get("tool", ""),
        entry.get("effect", ""),
        entry.get("target", ""),
        entry.get("caller", ""),
        _outcome(entry),
    )


def _outcome(entry: dict[str, Any]) -> str:
    if entry.get("ok") is True:
        return "ok"
    error = entry.get("error")
    return ": ".join(map(str, error.values())) if isinstance(error, dict) else ""
