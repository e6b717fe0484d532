"""`handrail model`: which model the chat's agent uses, and which providers have a key. Keys are never shown."""

import sys
from pathlib import Path

import click

from handrail.faces.cli.output import columns, print_json, say
from handrail.faces.cli.parameters import json_option, state_option

EPILOG = """\b
Examples:
  handrail model                                       which one is used, and whose keys are there
  handrail model use anthropic:claude-sonnet-5-5
  handrail model use openai-compatible:qwen3 --base-url http://127.0.0.1:11434/v1
  handrail model key anthropic                         asks for the key; or: < key.txt
  handrail model forget                                all keys, at once"""

_LONGEST_KEY = 4096


@click.group(invoke_without_command=True, epilog=EPILOG)
@state_option
@click.pass_context
def model(ctx: click.Context, state: Path | None) -> None:
    """Connect the model that answers in the chat.

    Keys are taken from the provider's own environment variable, or kept in the keyring of your session;
    where there is none, in a file that only you can read. They are never in config.toml.
    """
    ctx.obj = state
    if ctx.invoked_subcommand is None:
        ctx.invoke(show_model, state=state, as_json=False)


@model.command("show")
@state_option
@json_option
@click.pass_context
def show_model(ctx: click.Context, state: Path | None, as_json: bool) -> None:
    """Show the model in use, and which others have a key."""
    from handrail.faces.cli.program import program, run
    from handrail.features.agent.settings import open_models

    told = run(open_models(program().open_stores(state or ctx.obj)).overview())
    if as_json:
        known = [{"name": one.name, "provider": one.provider, "hasKey": one.has_key} for one in told.models]
        print_json({"current": told.current, "baseUrl": told.base_url, "models": known})
        return
    say(f"In use: {told.current}" if told.current else "No model is connected: `handrail model use NAME` chooses one.")
    if told.base_url:
        say(f"At: {told.base_url}")
    for line in columns([(one.name, "key" if one.has_key else "no key") for one in told.models]):
        say(line)


@model.command("use", epilog="Example: handrail model use anthropic:claude-sonnet-5-5")
@click.argument("name", help="As PROVIDER:MODEL.")
@click.option("--base-url", metavar="URL", help="Where its server is, if not the provider's own: http://…/v1.")
@state_option
@click.pass_context
def use_model(ctx: click.Context, name: str, base_url: str | None, state: Path | None) -> None:
    """Choose the model. It is used from the next message on, also by a running server."""
    from handrail.faces.cli.program import program, run
    from handrail.features.agent.settings import open_models

    models = open_models(program().open_stores(state or ctx.obj))
    run(models.use(name, base_url))
    told = run(models.overview())
    has_key = next((one.has_key for one in told.models if one.name == name), True)
    provider = name.partition(":")[0]
    say(f"In use: {name}" + ("" if has_key else f". There is no key yet: `handrail model key {provider}` keeps one."))


@model.command("key", epilog="Example: handrail model key anthropic < key.txt")
@click.argument("provider", help="anthropic, openai, google or openai-compatible.")
@state_option
@click.pass_context
def keep_key(ctx: click.Context, provider: str, state: Path | None) -> None:
    """Store a provider's key. You are asked for it, or it is read from stdin."""
    from handrail.faces.cli.program import program, run
    from handrail.features.agent.settings import open_models
    from handrail.ports.secrets import Secret

    kept = run(
        open_models(program().open_stores(state or ctx.obj)).keep_key(provider, Secret(_hidden(f"Key for {provider}")))
    )
    where = "in the keyring" if kept.place == "keyring" else "in a file that only you can read: no keyring is open"
    say(f"Kept {where}.")


@model.command("forget")
@state_option
@click.pass_context
def forget_keys(ctx: click.Context, state: Path | None) -> None:
    """Delete all keys of models."""
    from handrail.faces.cli.program import program, run
    from handrail.features.agent.settings import open_models

    count = run(open_models(program().open_stores(state or ctx.obj)).forget_keys())
    say(f"Forgot {count} {'key' if count == 1 else 'keys'}." if count else "No key was kept.")


def _hidden(what: str) -> str:
    """Reads a line without echo; without a terminal, the first line of stdin."""
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    return sys.stdin.readline(_LONGEST_KEY + 2).strip()
