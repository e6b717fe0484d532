"""`handrail apps login` and `logout`: signs in with a key or through the browser, and stores it as a secret."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import one_line, say
from handrail.faces.cli.parameters import WholeNumber, state_option
from handrail.ports.errors import NotFound

if TYPE_CHECKING:
    from handrail.features.apps.model import App, OAuth2
    from handrail.ports.secrets import SecretInfo

EPILOG = """\b
Examples:
  handrail apps login com.example.web                  asks for the key, or opens the browser
  handrail apps login com.example.web < key.txt
  handrail apps login com.example.web --client-id abc --no-browser"""

_LONGEST_SECRET = 64 * 1024


@click.command(epilog=EPILOG)
@click.argument("id", help="The app.")
@click.option("--client-id", metavar="ID", help="The OAuth client to sign in with, if the descriptor names none.")
@click.option("--client-secret", is_flag=True, help="The client has a secret: ask for it, or read it from stdin.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening a browser.")
@click.option(
    "--timeout", type=WholeNumber(min=1), default=300, show_default=True, metavar="S", help="How long to wait for you."
)
@state_option
def login(
    id: str,
    client_id: str | None,
    client_secret: bool,
    no_browser: bool,
    timeout: int,
    state: Path | None,
) -> None:
    """Sign in to an app.

    The sign-in is stored in your session's keyring or, without one, in a file that only you can read;
    `handrail secrets` shows where.
    """
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program, run
    from handrail.features.apps.manager import app_manager
    from handrail.features.apps.model import ApiKey
    from handrail.ports.secrets import Secret

    manager = app_manager(program().open_stores(state))
    app = manager.catalogue.find(id)
    if app.auth is None:
        say(f"{one_line(app.name)} needs no sign-in.")
        return
    if isinstance(app.auth, ApiKey):
        _explain_key(app, app.auth)
        stored = run(manager.store_key(id, Secret(_prompt_secret(f"Key for {one_line(app.name)}")), caller()))
    else:

        def show(address: str) -> None:
            if not no_browser and program().machine.has_display():
                program().machine.open_in_browser(address)
            print(f"Sign in to {one_line(app.name)} at:\n{one_line(address)}", file=sys.stderr, flush=True)

        secret = _prompt_secret("Client secret") if client_secret else None
        _explain_sign_in(app.auth)
        sign_in = manager.sign_in(
            id, show, caller(), client_id=client_id, client_secret=secret, timeout_seconds=timeout
        )
        stored = run(sign_in)
    _say_where(app, stored)


@click.command()
@click.argument("id", help="The app.")
@state_option
def logout(id: str, state: Path | None) -> None:
    """Sign out of an app."""
    from handrail.faces.cli.person import caller
    from handrail.faces.cli.program import program, run
    from handrail.features.apps.manager import app_manager

    if not run(app_manager(program().open_stores(state)).sign_out(id, caller())):
        raise NotFound(f"You aren't signed in to {id!r}.", hint="`handrail secrets` lists what is stored.")
    say("Signed out.")


def _say_where(app: "App", stored: "SecretInfo") -> None:
    where = "in the keyring" if stored.place == "keyring" else "in a file that only you can read: no keyring is open"
    say(f"Signed in to {one_line(app.name)}; stored {where}.")


def _explain_key(app: "App", auth: object) -> None:
    from handrail.features.apps.model import ApiKey

    assert isinstance(auth, ApiKey)
    for text in (auth.instructions, auth.obtain_url):
        if text:
            print(one_line(text), file=sys.stderr)
    if auth.env_var is not None:
        print(f"If ${one_line(auth.env_var)} is set, it is used instead.", file=sys.stderr)


def _explain_sign_in(auth: "OAuth2") -> None:
    from handrail.features.apps.calls.consent import sign_in_facts

    for name, fact in sign_in_facts(auth):
        print(one_line(f"{name}: {fact}"), file=sys.stderr)
    if auth.scopes:
        print(f"It asks for: {one_line(' '.join(auth.scopes))}", file=sys.stderr)


def _prompt_secret(label: str) -> str:
    """Reads a value without echo, or the first line of stdin if there is no terminal."""
    if sys.stdin.isatty():
        return str(click.prompt(label, hide_input=True, err=True))
    return sys.stdin.readline(_LONGEST_SECRET).strip()
