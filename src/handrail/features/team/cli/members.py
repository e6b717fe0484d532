"""`handrail team token` and `handrail team approvals`: members, and how many people must approve which calls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.output import columns, print_list, say
from handrail.faces.cli.parameters import OneOf, WholeNumber, json_option

if TYPE_CHECKING:
    from handrail.kernel.program import OpenTeam

_ROLES = ("agent", "node", "viewer", "operator", "approver", "administrator")
_DATABASE = "HANDRAIL_TEAM_DATABASE"

database_option = click.option(
    "--database",
    envvar=_DATABASE,
    required=True,
    metavar="URL",
    help=f"postgresql://… of the tenant's role, or ${_DATABASE}.",
)


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for name in ("server", "project", "host", "effect", "tool"):
        what = f"Only for this {name}; * stands for anything. Repeatable."
        command = click.option(f"--{name}", f"{name}s", multiple=True, metavar="PATTERN", help=what)(command)
    return command


@click.group()
def token() -> None:
    """Add, list and revoke members and their tokens."""


TOKEN_EPILOG = """\b
Examples:
  handrail team token add ada --role administrator
  handrail team token add bob --role approver --project "shop*"
  handrail team token add builder --role agent --owner ada"""

REQUIRE_EPILOG = """\b
Examples:
  handrail team approvals require 2 --effect EXECUTE
  handrail team approvals require 2 --host "*.bank.example\""""


@token.command("add", epilog=TOKEN_EPILOG)
@click.argument("name")
@click.option("--role", type=OneOf(*_ROLES), required=True, metavar="ROLE", help=f"One of {', '.join(_ROLES)}.")
@click.option("--owner", default="", metavar="NAME", help="The person an agent works for, or who owns a node.")
@limit_options
@database_option
def add_token(name: str, role: str, owner: str, database: str, **limits: tuple[str, ...]) -> None:
    """Add a member and print its token, once.

    An approver's patterns say what it may approve; without any, everything.
    """
    from handrail.ports.team import Limits, validate_effects, validate_role

    validate_effects(limits["effects"])
    with _open_team(database) as team_stores:
        member, secret = team_stores.team.members.add(
            name, validate_role(role), Limits(**limits), owner=owner, by=_user()
        )
        _record(team_stores, f"issued a token to {member.id} with the role {member.role}")
        say(secret)


@token.command("list")
@json_option
@database_option
def list_tokens(database: str, as_json: bool) -> None:
    """List the members of the team."""
    with _open_team(database) as team_stores:
        members = [
            {"name": each.name, "role": each.role, "limits": str(each.limits), "owner": each.owner,
             "since": each.created_at}
            for each in team_stores.team.members.all()
        ]  # fmt: skip
    rows = [tuple(each.values()) for each in members]
    print_list(as_json, {"members": members}, rows, "No members yet. Add one: handrail team token add NAME --role ROLE")


@token.command("revoke")
@click.argument("name")
@database_option
def revoke_token(name: str, database: str) -> None:
    """Revoke a member's token and end its sessions.

    This takes effect on every server at once.
    """
    with _open_team(database) as team_stores:
        member = team_stores.team.members.revoke(name)
        _record(team_stores, f"revoked the token of {member.id}")
        say(f"Revoked {member.name}.")


@click.group()
def approvals() -> None:
    """Set how many people must approve which calls."""


@approvals.command("require", epilog=REQUIRE_EPILOG)
@click.argument("votes", type=WholeNumber(min=1, max=20))
@limit_options
@database_option
def require(votes: int, database: str, **limits: tuple[str, ...]) -> None:
    """Require approvals by VOTES people. Of several rules that fit, the largest number counts."""
    from handrail.ports.team import Limits, validate_effects

    validate_effects(limits["effects"])
    with _open_team(database) as team_stores:
        rule = team_stores.team.approvals.add(Limits(**limits), votes)
        _record(team_stores, f"required {votes} approvals for {rule.limits} (rule {rule.id})")
        say(f"{rule.id}: {votes} people approve {rule.limits}.")


@approvals.command("list")
@database_option
def list_approvals(database: str) -> None:
    """List which calls need several people's approval. One person is enough for everything else."""
    with _open_team(database) as team_stores:
        for line in columns(
            [(each.id, str(each.votes), str(each.limits)) for each in team_stores.team.approvals.all()]
        ):
            say(line)


@approvals.command("remove")
@click.argument("id")
@database_option
def remove_approvals(id: str, database: str) -> None:
    """Remove one of these rules.

    `handrail team approvals list` shows its id.
    """
    with _open_team(database) as team_stores:
        if not team_stores.team.approvals.remove(id):
            raise click.ClickException(f"There is no rule {id!r}.")
        _record(team_stores, f"removed the rule {id} about how many people approve")
        say(f"Removed {id}.")


@contextmanager
def _open_team(database: str) -> Iterator["OpenTeam"]:
    from handrail.faces.cli.program import program

    team_stores = program().team().open(database)
    try:
        yield team_stores
    finally:
        team_stores.close()


def _record(team_stores: "OpenTeam", action: str) -> None:
    """Recorded before it is reported."""
    from handrail.kernel.audit import Audit

    audit = Audit(team_stores.audit)
    audit.append({"event": "access", "caller": f"cli:{_user()}", "target": action, "ok": True}, durable=True)


def _user() -> str:
    from handrail.faces.cli.program import program

    return program().machine.user
