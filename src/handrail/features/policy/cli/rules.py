"""`handrail rules`: lists what agents may do without asking, removes rules and restores them."""

from pathlib import Path
from typing import Any

import click

from handrail.faces.cli.output import columns, print_json, say
from handrail.faces.cli.parameters import json_option, state_option
from handrail.faces.cli.presence import require_person

_SUBJECT = ("path", "place", "host", "app", "command", "program", "server")


EPILOG = """\b
Examples:
  handrail rules                 what agents may do without asking, with ids
  handrail rules remove ID       the next call asks again
  handrail rules restore ID      bring it back within ten minutes"""


@click.group(invoke_without_command=True, epilog=EPILOG)
@state_option
@json_option
@click.pass_context
def rules(ctx: click.Context, state: Path | None, as_json: bool) -> None:
    """List, remove and restore permission rules.

    Rules are in `config.toml` in the state directory; what you allowed for a task ends with it.
    """
    ctx.obj = state
    if ctx.invoked_subcommand is None:
        _list(state, as_json)


@rules.command("list")
@state_option
@json_option
@click.pass_context
def list_rules(ctx: click.Context, state: Path | None, as_json: bool) -> None:
    """List your rules with their scope, agent and expiry."""
    _list(state or ctx.obj, as_json)


@rules.command("remove")
@click.argument("id", metavar="ID")
@state_option
@click.pass_context
def remove_rule(ctx: click.Context, id: str, state: Path | None) -> None:
    """Remove a rule; it takes effect with the next call."""
    from handrail.faces.cli.program import program, run
    from handrail.features.policy.removed_rules import RemovedRules

    stores = program().open_stores(state or ctx.obj)
    try:
        row = run(RemovedRules(stores).remove(id))
    finally:
        stores.close()
    say(f"Removed: {row['decision']} {_subject(row)}")


@rules.command("restore")
@click.argument("id", metavar="ID")
@state_option
@click.pass_context
def restore_rule(ctx: click.Context, id: str, state: Path | None) -> None:
    """Restore a rule that was removed in the last ten minutes."""
    from handrail.faces.cli.program import program, run
    from handrail.features.policy.removed_rules import RemovedRules

    stores = program().open_stores(state or ctx.obj)
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


def _list(state: Path | None, as_json: bool) -> None:
    from handrail.faces.cli.program import program, run
    from handrail.features.policy.rule_list import list_rules

    stores = program().open_stores(state)
    try:
        rows = run(list_rules(stores))
    finally:
        stores.close()
    if as_json:
        print_json({"rules": rows})
        return
    table = [("ID", "DECISION", "WHAT", "WHERE", "WHO", "UNTIL"), *map(_row, rows)]
    for line in columns(table) if rows else ["No rules. Changes ask you first."]:
        say(line)


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    until = f"end of task {row['task']}" if row["kind"] == "task" else row.get("until", "removed")
    ended = " (ended)" if row["hasEnded"] else ""
    who = row.get("caller", row.get("agent", "every agent"))
    return row["id"], row["decision"], _subject(row), row.get("project", "every project"), who, until + ended


def _subject(row: dict[str, Any]) -> str:
    details = [str(row[name]) for name in _SUBJECT if name in row]
    return " ".join([row.get("tool") or row.get("effect", ""), *details])
