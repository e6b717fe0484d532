"""`handrail audit`: shows the record of all calls and verifies that it is unchanged."""

import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from handrail.faces.cli.output import columns, complain, local_time, print_json, say
from handrail.faces.cli.parameters import OneOf, json_option, limit_option, state_option
from handrail.kernel.visible import visible_json

if TYPE_CHECKING:
    from handrail.kernel.audit import Audit
    from handrail.kernel.program import OpenTeam
    from handrail.kernel.record_check import Findings
    from handrail.kernel.recorded_evidence import OpenEvidence
    from handrail.ports.record import RecordStores
    from handrail.ports.stores import Stores

EDITED = 3
"""The exit status if the only change is an edit outside handrail to a file that people may edit."""

_ACTIONS = ("show", "verify", "prove", "accept", "export")
EPILOG = """\b
Examples:
  handrail audit --limit 100      the newest calls of all projects
  handrail audit verify           exit status 1 if anything was changed, 3 if only a file that you may edit was
  handrail audit verify --witness git:/mnt/nas/checkpoints      ask this witness, whatever `config.toml` names
  handrail audit prove 17         a proof that record 17 is in the signed tree, as JSON
  handrail audit accept           after damage: accept the current state
  handrail audit export           every record as JSON Lines, the oldest first
  handrail audit verify --database postgresql://… --public-key HEX      the record of a team"""


@click.command(epilog=EPILOG)
@click.argument(
    "action",
    type=OneOf("show", "verify", "prove", "accept", "export"),
    default="show",
    help="What to do.  [default: show]",
)
@click.argument("number", type=int, required=False, help="With prove: the record's number.")
@click.option("--after", type=int, default=0, metavar="NUMBER", help="With export: only records after this one.")
@click.option("--witness", metavar="WITNESS", help="With verify: ask this witness, whatever `config.toml` names.")
@click.option("--database", metavar="URL", help="A team's record: postgresql://… of the tenant's role.")
@click.option("--public-key", default="", metavar="HEX", help="With --database: the key that signs its checkpoints.")
@click.option("--blobs", default="", metavar="URL", help="With --database: the team's bucket, as witness and evidence.")
@state_option
@json_option
@limit_option
def audit(
    action: Literal["show", "verify", "prove", "accept", "export"],
    number: int | None,
    after: int,
    witness: str | None,
    database: str | None,
    public_key: str,
    blobs: str,
    state: Path | None,
    as_json: bool,
    limit: int,
) -> None:
    """Show or verify the record of all calls.

    The record contains every call of every project that uses this state directory, newest first. Each line has the
    hash of the one before it, and signed checkpoints cover all of them. `verify` finds what was changed, removed,
    moved, cut off or rolled back, in the audit, in its evidence and in the other files of the state directory.
    """
    from handrail.faces.cli.program import program
    from handrail.kernel.audit import Audit

    if database is not None and action == "accept":
        raise click.UsageError("A team's record can't be accepted: restore it from a backup.")
    if witness is not None and (database is not None or action != "verify"):
        raise click.UsageError("--witness is for `handrail audit verify` of this machine; --blobs names a team's.")
    team = None if database is None else program().team().open(database, blobs=blobs, public_key=public_key)
    stores = program().open_stores(state) if team is None else team
    record = Audit(stores.audit)
    try:
        if action == "verify":
            others = stores.record()
            if witness is not None:
                others = replace(others, witness=others.open_witness(witness))
            _verify(record, others, _evidence(team, has_bucket=bool(blobs)), team, as_json=as_json)
        elif action == "prove":
            _prove(record, stores.record(), number)
        elif action == "export":
            _export(record, after)
        elif action == "accept":
            _accept(record, program().open_stores(state))
        else:
            _show(record, limit, as_json=as_json)
    finally:
        record.close()
        if team is not None:
            team.close()


def _export(record: "Audit", after: int) -> None:
    """Writes every record as it was stored, oldest first: JSON Lines, for a SIEM."""
    is_terminal = sys.stdout.isatty()
    for line, entry in record.lines():
        if after == 0 or entry.get("seq", 0) > after:
            sys.stdout.buffer.write(visible_json(line.decode(errors="replace")).encode() if is_terminal else line)
    sys.stdout.buffer.flush()


def _evidence(team: "OpenTeam | None", *, has_bucket: bool) -> "OpenEvidence | None":
    """Returns how to read evidence. A team's is in its bucket, which may not be given here."""
    from handrail.faces.cli.program import program
    from handrail.kernel.evidence import Evidence

    if team is None:
        return program().open_evidence
    return (lambda project: Evidence(team.blobs("evidence"))) if has_bucket else None


def _verify(
    record: "Audit",
    stores: "RecordStores",
    open_evidence: "OpenEvidence | None",
    team: "OpenTeam | None",
    *,
    as_json: bool,
) -> None:
    from handrail.kernel.node_record import node_faults
    from handrail.kernel.record_check import verify_record

    findings = verify_record(record, stores, open_evidence)
    if team is not None:
        nodes = team.team.nodes
        findings.faults += node_faults(record, {each: nodes.journal(each) for each in nodes.journals()})
    if as_json:
        print_json(_findings_json(findings))
    else:
        _print_findings(findings)
    if not findings.is_intact:
        raise SystemExit(1)
    if findings.edits:
        raise SystemExit(EDITED)


def _findings_json(findings: "Findings") -> dict[str, Any]:
    result: dict[str, Any] = {"ok": findings.is_intact, "count": findings.count, "checkpoints": findings.checkpoints}
    result |= {"signed": findings.covered, "evidence": findings.evidence}
    result |= {"witness": findings.witness or None}
    result |= {"faults": findings.faults, "edits": findings.edits, "notes": findings.notes}
    return result if findings.broken is None else {**result, **findings.broken.details}


def _print_findings(findings: "Findings") -> None:
    for note in findings.notes:
        say(f"Note: {note}.")
    if findings.broken is not None:
        complain(findings.broken)
    for edit in findings.edits:
        click.echo(f"handrail: {edit}. If that was you, accept it with `handrail audit accept`.", err=True)
    for fault in findings.faults:
        click.echo(f"handrail: {fault}.", err=True)
    if findings.is_intact:
        say(f"{findings.count} records, all as they were written.")
        say(f"{findings.covered} of them are signed by {findings.checkpoints} checkpoints.")
        say(f"{findings.evidence} files of evidence, all as they were written.")
        if findings.witness:
            say(f"The witness {findings.witness} knows no other checkpoints.")


def _prove(record: "Audit", stores: "RecordStores", number: int | None) -> None:
    from handrail.kernel.record_check import record_proof

    if number is None:
        raise click.UsageError("Name the record: handrail audit prove NUMBER.")
    print_json(record_proof(record, stores, number))


def _accept(record: "Audit", stores: "Stores") -> None:
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program
    from handrail.kernel.checkpoint_maker import CheckpointMaker

    require_person(stores, "Accepting the record")
    record.append({"event": "accepted", "caller": str(caller())}, durable=True)
    checkpoint = CheckpointMaker(stores.audit, stores.record, evidence=program().open_evidence).checkpoint(accepts=True)
    if checkpoint is not None:
        say(f"Checkpoint {checkpoint.number}: {checkpoint.count} records in their current state.")
        say("Older checkpoints no longer apply.")


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
