"""`handrail notify`: channels that tell you about pending approvals while you are away."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import print_list, say
from handrail.faces.cli.parameters import ListGroup, json_option, state_option

if TYPE_CHECKING:
    from handrail.features.notifications.channels import Channels
    from handrail.ports.stores import Stores

EPILOG = """\b
Examples:
  handrail notify add phone                   asks for the address, such as ntfys://ntfy.sh/my-topic
  handrail notify add mail --url-file mail    mailtos://user:password@mail.example.com?to=me@example.com
  handrail notify test phone
  handrail notify remove phone"""


@click.group(cls=ListGroup, epilog=EPILOG)
@state_option
def notify(state: Path | None) -> None:
    """Get notified about pending approvals.

    A channel is an address that Apprise supports: mail, Slack, Matrix, ntfy, webhooks and more. It gets one sentence
    about what is pending; you answer in the console. While `handrail up` runs, approvals are announced once they have
    been pending for `notify_after_seconds`.
    """


@notify.command("list")
@state_option
@json_option
def list_channels(state: Path | None, as_json: bool) -> None:
    """List the channels. Their addresses are secret and not shown."""
    from handrail.faces.cli.program import program, run

    names = run(_channels(program().open_stores(state)).names())
    value = {"channels": [{"name": name} for name in names]}
    print_list(as_json, value, [(name,) for name in names], "No channels yet. Add one: handrail notify add NAME")


@notify.command("add")
@click.argument("name", help="A name for people: lowercase letters, digits, hyphens, underscores.")
@click.option(
    "--url-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file with the address. Without it, you are asked.",
)
@state_option
def add_channel(name: str, url_file: Path | None, state: Path | None) -> None:
    """Add a channel, or replace its address.

    The address contains passwords, so it is stored like other secrets and never passed as an argument.
    """
    from handrail.faces.cli.person import record_change
    from handrail.faces.cli.presence import require_person
    from handrail.faces.cli.program import program, run

    stores = program().open_stores(state)
    require_person(stores, "Adding a notification channel")
    run(_channels(stores).add(name, _address(url_file)))
    record_change(stores, f"added the notification channel {name}")
    say(f"Added {name}. Try it with: handrail notify test {name}")


@notify.command("remove")
@click.argument("name", help="A name from `handrail notify`.")
@state_option
def remove_channel(name: str, state: Path | None) -> None:
    """Remove a channel."""
    from handrail.faces.cli.person import record_change
    from handrail.faces.cli.program import program, run

    stores = program().open_stores(state)
    run(_channels(stores).remove(name))
    record_change(stores, f"removed the notification channel {name}")
    say(f"Removed {name}.")


@notify.command("test")
@click.argument("name", help="A name from `handrail notify`.")
@state_option
def try_channel(name: str, state: Path | None) -> None:
    """Send a test message."""
    from handrail.faces.cli.program import program, run
    from handrail.features.notifications.message import trial_message

    run(_channels(program().open_stores(state)).send(name, trial_message("")))
    say(f"Sent a test message to {name}.")


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
