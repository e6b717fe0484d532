"""`handrail rules`: lists what agents may do without asking, removes rules and restores them."""

from pathlib import Path
from typing import Any

import click

from handrail.faces.cli.output import print_list, say
from handrail.faces.cli.parameters import ListGroup, json_option, state_option
from handrail.faces.cli.presence import require_person

_SUBJECT = ("path", "place", "host", "app", "command", "program", "server")


EPILOG = """\b
Examples:
  handrail rules                 what agents may do without asking, with ids
  handrail rules remove ID       the next call asks again
  handrail rules restore ID      bring it back within ten minutes"""


@click.group(cls=ListGroup, epilog=EPILOG)
@state_option
def rules(state: Path | None) -> None:
    """List, remove and restore permission rules.

    Rules are in `config.toml` in the state directory; what you allowed for a task ends with it.
    """


@rules.command("list")
@state_option
@json_option
def list_rules(state: Path | None, as_json: bool) -> None:
    """List your rules with their scope, agent and expiry."""
    from handrail.faces.cli.program import program, run
    from handrail.features.policy import rule_list

    stores = program().open_stores(state)
    try:
        entries = run(rule_list.list_rules(stores))
    finally:
        stores.close()
    rows = [("ID", "DECISION", "WHAT", "WHERE", "WHO", "UNTIL"), *map(_row, entries)] if entries else []
    print_list(as_json, {"rules": entries}, rows, "No rules. Changes ask you first.")


@rules.command("remove")
@click.argument("id", metavar="ID")
@state_option
def remove_rule(id: str, state: Path | None) -> None:
    """Remove a rule; it takes effect with the next call."""
    from handrail.faces.cli.program import program, run
    from handrail.features.policy.removed_rules import RemovedRules

    stores = program().open_stores(state)
    try:
        row = run(RemovedRules(stores).remove(id))
    finally:
        stores.close()
    say(f"Removed: {row['decision']} {_subject(row)}")


@rules.command("restore")
@click.argument("id", metavar="ID")
@state_option
def restore_rule(id: str, state: Path | None) -> None:
    """Restore a rule that was removed in the last ten minutes."""
    from handrail.faces.cli.program import program, run
    from handrail.features.policy.removed_rules import RemovedRules

    stores = program().open_stores(state)
    try:
        removed = RemovedRules(stores)
        removed_rule = run(removed.find(id))
        say(f"Restore: {removed_rule.row['decision']} {_subject(removed_rule.row)}")
        if removed_rule.is_loosening:
            require_person(stores, "Restoring a rule")
        run(removed.restore(removed_rule))
    finally:
        stores.close()
    say("Restored.")


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    until = f"end of task {row['task']}" if row["kind"] == "task" else row.get("until", "removed")
    ended = " (ended)" if row["hasEnded"] else ""
    who = row.get("caller", row.get("agent", "every agent"))
    return row["id"], row["decision"], _subject(row), row.get("project", "every project"), who, until + ended


def _subject(row: dict[str, Any]) -> str:
    details = [str(row[name]) for name in _SUBJECT if name in row]
    return " ".join([row.get("tool") or row.get("effect", ""), *details])
