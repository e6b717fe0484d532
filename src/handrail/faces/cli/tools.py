"""`handrail tools`: lists the tools that an agent can call."""

import textwrap
from pathlib import Path

import click

from handrail.faces.cli.output import columns, print_json, say
from handrail.faces.cli.parameters import json_option, state_option

EPILOG = "Example: handrail tools --json | jq '.tools[].name'"


@click.command(epilog=EPILOG)
@json_option
@state_option
def tools(as_json: bool, state: Path | None) -> None:
    """List every tool, its effect and its parameters."""
    from handrail.faces.cli.program import program

    catalogue = program().describe().catalogue()
    if as_json:
        print_json(catalogue)
        return
    rows = [
        (tool["name"], tool["effect"], f"{tool['deadlineMs'] / 1000:g} s", tool["title"]) for tool in catalogue["tools"]
    ]
    heads = columns([("TOOL", "EFFECT", "TIMEOUT", ""), *rows])
    say(heads[0])
    for head, tool in zip(heads[1:], catalogue["tools"], strict=True):
        say(head)
        say(textwrap.fill(tool["description"], 100, initial_indent="    ", subsequent_indent="    "))
    say()
    say("READ runs at once; WRITE, UI_CONTROL and EXECUTE ask a person first unless a rule decides.")
    say("`handrail tools --json` shows their parameters.")
