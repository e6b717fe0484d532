"""`handrail team`: sets up a team and runs its servers."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import log_to_stderr, say
from handrail.faces.cli.parameters import WholeNumber, project_option
from handrail.features.team.cli.members import approvals, database_option, token

if TYPE_CHECKING:
    from handrail.kernel.program import TeamProgram
    from handrail.ports.secrets import Secret
    from handrail.ports.team import IdentityProvider

EPILOG = """\b
Examples:
  handrail team init --database postgresql://owner@db/handrail --tenant shop
  handrail team token add ada --role administrator
  handrail team serve --nats nats://bus --blobs s3://shop-evidence --port 7007"""


@click.group(epilog=EPILOG)
def team() -> None:
    """Run handrail for a team.

    PostgreSQL stores all shared state, NATS carries messages between servers, and S3 stores evidence. You can run any
    number of servers; all have the same role.
    """


@team.command()
@click.option("--database", required=True, metavar="URL", help="postgresql://… of the owner of the tables.")
@click.option("--tenant", required=True, metavar="NAME", help="Team name: lowercase letters, digits, underscores.")
@click.option("--new-password", is_flag=True, help="Give the servers' role another password; they need a restart.")
def init(database: str, tenant: str, new_password: bool) -> None:
    """Set up or upgrade the database for a tenant.

    Creates a database role for the tenant's servers and prints the address that they use. If the role exists, it keeps
    its password. Safe to repeat.
    """
    before, after, url = _program().set_up(database, tenant, has_new_password=new_password)
    summary = f"Set up version {after}" if before == 0 else f"Upgraded from version {before} to {after}"
    say("The tables are up to date." if before == after else f"{summary}.")
    if url is None:
        say(f"Servers of {tenant} use the same address as before. If it is lost, --new-password makes another.")
    else:
        say(f"Servers of {tenant} use this address. Keep it secret:")
        say(url)


@team.command()
@click.argument("file", type=Path)
def key(file: Path) -> None:
    """Create the key that signs the audit. Every server of the team needs the same one."""
    say(f"Public key: {_program().make_key(file)}")


@team.command("push-key")
@click.argument("file", type=Path)
def make_push_key(file: Path) -> None:
    """Create the key for Web Push. Every server of the team needs the same one.

    Browsers subscribe to this key: with another one, they have to subscribe again.
    """
    from handrail.features.notifications.offers import new_push_key

    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise click.UsageError(f"{file}: {error.strerror}.") from None
    with os.fdopen(descriptor, "w") as stream:
        stream.write(new_push_key())
    say(f"Start every server with --push-key {file}.")


@team.command()
@database_option
@click.option("--nats", envvar="HANDRAIL_TEAM_NATS", required=True, metavar="URL", help="nats://…, of the NATS server.")
@click.option("--blobs", envvar="HANDRAIL_TEAM_BLOBS", required=True, metavar="URL", help="s3://bucket/prefix.")
@click.option("--signing-key", type=Path, metavar="FILE", help="The key made by `handrail team key`.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on.")
@click.option(
    "--port",
    type=WholeNumber(min=0, max=65535),
    default=7007,
    show_default=True,
    metavar="NUMBER",
    help="Port; 0 picks a free one.",
)
@click.option("--url", default="", metavar="URL", help="Address that people use, such as the load balancer's.")
@click.option("--oidc-issuer", default="", metavar="URL", help="Sign people in through this OpenID Connect provider.")
@click.option("--oidc-client", default="", metavar="ID", help="The provider's client id for handrail.")
@click.option("--oidc-secret-file", type=Path, metavar="FILE", help="File with the client's secret.")
@click.option("--oidc-group", "oidc_groups", multiple=True, metavar="GROUP=ROLE", help="A group's role. Repeatable.")
@click.option(
    "--channels", type=Path, metavar="FILE", help="Notification channels (Apprise), one `NAME ADDRESS` per line."
)
@click.option("--push-key", type=Path, metavar="FILE", help="The Web Push key made by `handrail team push-key`.")
@click.option("--state", type=Path, metavar="DIR", help="This server's own folder [./.handrail-team-PORT].")
@project_option
def serve(
    database: str,
    nats: str,
    blobs: str,
    signing_key: Path | None,
    host: str,
    port: int,
    url: str,
    oidc_issuer: str,
    oidc_client: str,
    oidc_secret_file: Path | None,
    oidc_groups: tuple[str, ...],
    channels: Path | None,
    push_key: Path | None,
    state: Path | None,
    project: Path,
) -> None:
    """Start one of the team's servers."""
    provider = _provider(oidc_issuer, oidc_client, oidc_secret_file, oidc_groups, url) if oidc_issuer else None
    secrets = _secrets(channels, push_key)
    log_to_stderr()
    opened = _program().open(database, nats=nats, blobs=blobs, signing_key=signing_key)
    state = state or Path(f".handrail-team-{port or os.getpid()}")

    def on_ready(address: str) -> None:
        say(f"handrail for the team {opened.tenant} at {address} (Ctrl-C stops it)")
        sys.stdout.flush()

    _program().serve(
        opened, project, state, host=host, port=port, url=url, provider=provider, secrets=secrets, on_ready=on_ready
    )


def _secrets(channels: Path | None, push_key: Path | None) -> dict[str, "Secret"]:
    """What notifications need, by names in the secret store."""
    from handrail.features.notifications.offers import CHANNEL, PUSH_KEY, read_channels
    from handrail.ports.secrets import Secret

    secrets = {}
    if channels is not None:
        secrets = {CHANNEL + name: Secret(url) for name, url in read_channels(_content(channels)).items()}
    if push_key is not None:
        secrets[PUSH_KEY] = Secret(_content(push_key))
    return secrets


def _content(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: {error}.") from None


def _provider(
    issuer: str, client: str, secret_file: Path | None, groups: tuple[str, ...], url: str
) -> "IdentityProvider":
    from handrail.ports.team import PROGRAM_ROLES, IdentityProvider, validate_role

    if not client or secret_file is None or not groups or not url:
        raise click.UsageError("--oidc-issuer needs --oidc-client, --oidc-secret-file, --oidc-group and --url.")
    roles = {}
    for each in groups:
        group, _, role = each.rpartition("=")
        roles[group] = validate_role(role)
        if not group or roles[group] in PROGRAM_ROLES:
            raise click.UsageError(f"--oidc-group {each!r} must be GROUP=ROLE, with the role of a person.")
    return IdentityProvider(issuer.rstrip("/"), client, _content(secret_file).strip(), roles)


@team.command()
@database_option
@click.option("--nats", envvar="HANDRAIL_TEAM_NATS", default="", metavar="URL", help="nats://…, of the NATS server.")
@click.option("--blobs", envvar="HANDRAIL_TEAM_BLOBS", default="", metavar="URL", help="s3://bucket/prefix.")
def check(database: str, nats: str, blobs: str) -> None:
    """Check what a team's servers need.

    Exit status: 0 if a server can start, otherwise 1.
    """
    report, faults = _program().faults(database)
    say(report)
    problems = list(faults)
    if not problems:
        opened = _program().open(database, nats=nats, blobs=blobs)
        try:
            for name, fault in opened.team.parts().items():
                say(f"{'ok     ' if fault is None else 'MISSING'}  {name}")
                problems += [fault] if fault is not None else []
        finally:
            opened.close()
    for fault in problems:
        say(f"MISSING  {fault}")
    if problems:
        raise SystemExit(1)


team.add_command(token)
team.add_command(approvals)


def _program() -> "TeamProgram":
    from handrail.faces.cli.program import program

    return program().team()
