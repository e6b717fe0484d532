"""The help of `handrail hook`. When clients start the command, `fast.py` runs it before click is imported."""

import click

from handrail.features.hooks.cli.fast import DEFAULT_TIMEOUTS

EPILOG = """\b
Exit status: 0 with the client's own JSON on stdout; 2 blocks the tool, with
the reason on stderr. Any failure blocks the tool."""


@click.command(epilog=EPILOG)
@click.argument("client", type=click.Choice(list(DEFAULT_TIMEOUTS)), help="The client whose event is on stdin.")
@click.option("--state", metavar="DIR", help="State directory [~/.local/state/handrail].")
@click.option("--project", metavar="DIR", help="Project folder [the session's].")
@click.option("--wait", metavar="SECONDS", help="The client's own limit; handrail answers earlier.")
def hook(client: str, state: str | None, project: str | None, wait: str | None) -> None:
    """Allow or deny a client's own tool calls.

    Clients start this command before each of their own tools, such as Bash or Edit, with the tool call on
    stdin. It passes the same gate as handrail's tools: rules, approvals, evidence and audit.
    `handrail connect` sets it up.
    """
