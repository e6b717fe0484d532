"""`handrail model`: shows and sets the chat's model and the providers' keys. Never shows a key."""

import sys
from pathlib import Path

import click

from handrail.faces.cli.output import columns, print_json, say
from handrail.faces.cli.parameters import json_option, state_option

EPILOG = """\b
Examples:
  handrail model                                       show the current model, and which providers have a key
  handrail model use anthropic:claude-sonnet-5-5
  handrail model use openai-compatible:qwen3 --base-url http://127.0.0.1:11434/v1
  handrail model key anthropic                         asks for the key, or reads it: < key.txt
  handrail model forget                                delete all keys"""

_MAX_KEY_LENGTH = 4096


@click.group(invoke_without_command=True, epilog=EPILOG)
@state_option
@click.pass_context
def model(ctx: click.Context, state: Path | None) -> None:
    """Connect the model that answers in the chat.

    Keys come from the provider's environment variable, or are stored in your session's keyring; without
    a keyring, in a file that only you can read. They are never in config.toml.
    """
    ctx.obj = state
    if ctx.invoked_subcommand is None:
        ctx.invoke(show_model, state=state, as_json=False)


@model.command("show")
@state_option
@json_option
@click.pass_context
def show_model(ctx: click.Context, state: Path | None, as_json: bool) -> None:
    """Show the current model, and which providers have a key."""
    from handrail.faces.cli.program import program, run
    from handrail.features.agent.settings import open_models

    overview = run(open_models(program().open_stores(state or ctx.obj)).overview())
    if as_json:
        models = [{"name": one.name, "provider": one.provider, "hasKey": one.has_key} for one in overview.models]
        print_json({"current": overview.current, "baseUrl": overview.base_url, "models": models})
        return
    say(
        f"In use: {overview.current}"
        if overview.current
        else "No model is connected: `handrail model use NAME` chooses one."
    )
    if overview.base_url:
        say(f"At: {overview.base_url}")
    for line in columns([(one.name, "key" if one.has_key else "no key") for one in overview.models]):
        say(line)


@model.command("use", epilog="Example: handrail model use anthropic:claude-sonnet-5-5")
@click.argument("name", help="As PROVIDER:MODEL.")
@click.option("--base-url", metavar="URL", help="The server's address, if not the provider's own: http://…/v1.")
@state_option
@click.pass_context
def use_model(ctx: click.Context, name: str, base_url: str | None, state: Path | None) -> None:
    """Choose the model. It is used from the next message on, also by a running server."""
    from handrail.faces.cli.program import program, run
    from handrail.features.agent.settings import open_models

    models = open_models(program().open_stores(state or ctx.obj))
    run(models.use(name, base_url))
    overview = run(models.overview())
    has_key = next((one.has_key for one in overview.models if one.name == name), True)
    provider = name.partition(":")[0]
    say(f"In use: {name}" + ("" if has_key else f". There is no key yet: `handrail model key {provider}` stores one."))


@model.command("key", epilog="Example: handrail model key anthropic < key.txt")
@click.argument("provider", help="anthropic, openai, google or openai-compatible.")
@state_option
@click.pass_context
def keep_key(ctx: click.Context, provider: str, state: Path | None) -> None:
    """Store a provider's key. You are asked for it, or it is read from stdin."""
    from handrail.faces.cli.program import program, run
    from handrail.features.agent.settings import open_models
    from handrail.ports.secrets import Secret

    stored = run(
        open_models(program().open_stores(state or ctx.obj)).keep_key(provider, Secret(_hidden(f"Key for {provider}")))
    )
    where = "in the keyring" if stored.place == "keyring" else "in a file that only you can read: no keyring is open"
    say(f"Stored {where}.")


@model.command("forget")
@state_option
@click.pass_context
def forget_keys(ctx: click.Context, state: Path | None) -> None:
    """Delete the keys of all providers."""
    from handrail.faces.cli.program import program, run
    from handrail.features.agent.settings import open_models

    count = run(open_models(program().open_stores(state or ctx.obj)).forget_keys())
    say(f"Deleted {count} {'key' if count == 1 else 'keys'}." if count else "There were no keys.")


def _hidden(what: str) -> str:
    """Reads a line without echo; without a terminal, the first line of stdin."""
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    return sys.stdin.readline(_MAX_KEY_LENGTH + 2).strip()
