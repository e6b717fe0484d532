"""`handrail node`: the team that this machine is a node of."""

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
    """Show the team, and what it asks for."""
    from handrail.faces.cli.program import program

    memberships = program().open_stores(state).node
    known = None if memberships is None else memberships.read()
    if as_json:
        print_json({"membership": None if known is None else _told(known)})
    elif known is None:
        say("This machine is not a node of a team.")
    else:
        say(f"{known.name} ({known.node}) of the team {known.tenant} at {known.url}")
        if known.is_revoked:
            say("The team no longer accepts this node. Its last policy applies until you leave the team.")
        for rule in known.policy.rules:
            say(f"  {_rule(rule)}")
        for each in known.policy.approvals:
            say(f"  {each.votes} of its people approve {each.limits}")


@node.command()
@state_option
def leave(state: Path | None) -> None:
    """Leave the team; its policy no longer applies here. Restart `handrail up` afterwards."""
    from handrail.faces.cli.presence import need_person
    from handrail.faces.cli.program import program
    from handrail.features.node.joining import leave as end
    from handrail.kernel.audit import Audit

    stores = program().open_stores(state)
    need_person(stores, "Leaving the team")
    audit = Audit(stores.audit)
    try:
        left = end(stores, audit)
    finally:
        audit.close()
    say("This machine is not a node of a team." if left is None else f"Left {left.tenant} at {left.url}.")


def _rule(rule: object) -> str:
    import msgspec

    said = msgspec.to_builtins(rule)
    return " ".join(f"{name}={value}" for name, value in said.items())


def _told(known: object) -> object:
    import msgspec

    return msgspec.to_builtins(known)
