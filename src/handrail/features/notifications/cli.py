"""`handrail notify`: channels that tell you about pending approvals while you are away."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import print_json, say
from handrail.faces.cli.parameters import json_option, state_option

if TYPE_CHECKING:
    from handrail.features.notifications.channels import Channels
    from handrail.ports.stores import Stores

EPILOG = """\b
Examples:
  handrail notify add phone                   asks for the address, such as ntfys://ntfy.sh/my-topic
  handrail notify add mail --url-file mail    mailtos://user:password@mail.example.com?to=me@example.com
  handrail notify test phone
  handrail notify remove phone"""


@click.group(invoke_without_command=True, epilog=EPILOG)
@state_option
@click.pass_context
def notify(ctx: click.Context, state: Path | None) -> None:
    """Notify yourself about pending approvals.

    A channel is an address that Apprise supports: mail, Slack, Matrix, ntfy, webhooks and more. It gets one sentence
    about what is pending; you answer in the console. While `handrail up` runs, approvals are announced once they have
    been pending for `notify_after_seconds`.
    """
    ctx.obj = state
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_channels, state=state, as_json=False)


@notify.command("list")
@state_option
@json_option
@click.pass_context
def list_channels(ctx: click.Context, state: Path | None, as_json: bool) -> None:
    """List the channels. Their addresses are secret and not shown."""
    from handrail.faces.cli.program import run

    names = run(_channels(_stores(ctx, state)).names())
    if as_json:
        print_json({"channels": [{"name": name} for name in names]})
        return
    for name in names:
        say(name)
    if not names:
        say("No channels yet. Add one: handrail notify add NAME")


@notify.command("add")
@click.argument("name", help="A name for people: lower-case letters, digits, hyphens, underscores.")
@click.option(
    "--url-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file with the address. Without it, you are asked.",
)
@state_option
@click.pass_context
def add_channel(ctx: click.Context, name: str, url_file: Path | None, state: Path | None) -> None:
    """Add a channel, or replace its address.

    The address contains passwords, so it is stored like other secrets and never passed as an argument.
    """
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import run

    stores = _stores(ctx, state)
    require_person(stores, "Adding a notification channel")
    run(_channels(stores).add(name, _address(url_file)))
    _record(stores, f"added the notification channel {name}")
    say(f"Added {name}. Try it with: handrail notify test {name}")


@notify.command("remove")
@click.argument("name", help="A name from `handrail notify`.")
@state_option
@click.pass_context
def remove_channel(ctx: click.Context, name: str, state: Path | None) -> None:
    """Remove a channel."""
    from handrail.faces.cli.program import run

    stores = _stores(ctx, state)
    run(_channels(stores).remove(name))
    _record(stores, f"removed the notification channel {name}")
    say(f"Removed {name}.")


@notify.command("test")
@click.argument("name", help="A name from `handrail notify`.")
@state_option
@click.pass_context
def try_channel(ctx: click.Context, name: str, state: Path | None) -> None:
    """Send a test message."""
    from handrail.faces.cli.program import run
    from handrail.features.notifications.message import trial_message

    run(_channels(_stores(ctx, state)).send(name, trial_message("")))
    say(f"Sent a test message to {name}.")


def _stores(ctx: click.Context, state: Path | None) -> "Stores":
    from handrail.faces.cli.program import program

    return program().open_stores(state or ctx.obj)


def _channels(stores: "Stores") -> "Channels":
    from handrail.features.notifications.channels import Channels

    return Channels(stores.secrets)


def _address(file: Path | None) -> str:
    if file is not None:
        try:
            return file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"{file}: {error}.") from None
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    address: str = click.prompt("Address", hide_input=True)
    return address.strip()


def _record(stores: "Stores", action: str) -> None:
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import run
    from handrail.kernel.access import record_access
    from handrail.kernel.audit import Audit

    run(record_access(Audit(stores.audit), caller(), action))
