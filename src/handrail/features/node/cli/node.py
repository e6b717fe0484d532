"""`handrail node`: the team that this machine belongs to as a node."""

from pathlib import Path

import click

from handrail.faces.cli.output import print_json, say
from handrail.faces.cli.parameters import json_option, state_option

EPILOG = """\b
Examples:
  handrail up --team https://handrail.example.com --team-token token.txt      join
  handrail node show
  handrail node leave"""


@click.group(epilog=EPILOG)
def node() -> None:
    """Show or leave the team of this machine.

    A node connects outward to its team. Its files, desktop and apps stay behind its own gate; the team's policy can
    only tighten that, and the team's people can approve what agents ask for here.
    """


@node.command()
@state_option
@json_option
def show(state: Path | None, as_json: bool) -> None:
    """Show the team and its policy."""
    from handrail.faces.cli.program import program

    memberships = program().open_stores(state).node
    membership = None if memberships is None else memberships.read()
    if as_json:
        print_json({"membership": None if membership is None else _as_json(membership)})
    elif membership is None:
        say("This machine is not a node of a team.")
    else:
        say(f"{membership.name} ({membership.node}) of the team {membership.tenant} at {membership.url}")
        if membership.is_revoked:
            say("The team no longer accepts this node. Its last policy applies until you leave the team.")
        for rule in membership.policy.rules:
            say(f"  {_rule(rule)}")
        for each in membership.policy.approvals:
            say(f"  {each.votes} of its people approve {each.limits}")


@node.command()
@state_option
def leave(state: Path | None) -> None:
    """Leave the team; its policy no longer applies here. Restart `handrail up` afterwards."""
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program
    from handrail.features.node.joining import leave as end
    from handrail.kernel.audit import Audit

    stores = program().open_stores(state)
    require_person(stores, "Leaving the team")
    audit = Audit(stores.audit)
    try:
        membership = end(stores, audit)
    finally:
        audit.close()
    say(
        "This machine is not a node of a team."
        if membership is None
        else f"Left {membership.tenant} at {membership.url}."
    )


def _rule(rule: object) -> str:
    import msgspec

    fields = msgspec.to_builtins(rule)
    return " ".join(f"{name}={value}" for name, value in fields.items())


def _as_json(membership: object) -> object:
    import msgspec

    return msgspec.to_builtins(membership)
