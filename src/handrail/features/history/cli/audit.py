"""`handrail audit`: the record of every call, and whether it is still as it was written."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from handrail.faces.cli.output import columns, complain, local_time, print_json, say
from handrail.faces.cli.parameters import OneOf, json_option, limit_option, state_option

if TYPE_CHECKING:
    from handrail.kernel.audit import Audit

EPILOG = """\b
Examples:
  handrail audit --limit 100      the newest calls of all projects
  handrail audit verify           exit status 1, line and reason if a bit was changed"""


@click.command(epilog=EPILOG)
@click.argument("action", type=OneOf("show", "verify"), default="show", help="What to do.  [default: show]")
@state_option
@json_option
@limit_option
def audit(action: Literal["show", "verify"], state: Path | None, as_json: bool, limit: int) -> None:
    """Show or verify the record of all calls.

    The record holds every call of every project on this state directory, newest first. Each line seals the
    one before it, so `verify` finds any that was changed, removed, moved or cut off.
    """
    from handrail.faces.cli.program import program
    from handrail.kernel.audit import Audit

    record = Audit(program().open_stores(state).audit)
    try:
        if action == "verify":
            _verify(record, as_json=as_json)
        else:
            _show(record, limit, as_json=as_json)
    finally:
        record.close()


def _verify(record: "Audit", *, as_json: bool) -> None:
    from handrail.kernel.chain_check import BrokenChain

    try:
        count = record.verify()
    except BrokenChain as broken:
        if as_json:
            print_json({"ok": False, **broken.details})
        else:
            complain(broken)
        raise SystemExit(1) from None
    if as_json:
        print_json({"ok": True, "count": count})
    else:
        say(f"{count} records, all as they were written.")


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
