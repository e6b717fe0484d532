"""`handrail apps add`: a web app by its address, after a person has seen what it declares."""

import sys
from typing import TYPE_CHECKING

import click

from handrail.contract.errors import Declined
from handrail.faces.cli.output import one_line, say
from handrail.faces.cli.parameters import Choice, answer_option

if TYPE_CHECKING:
    from handrail.contract.apps import App

EPILOG = """\b
Examples:
  handrail apps add https://example.com                reads /.well-known/aai.json there
  handrail apps add https://example.com --answer allow"""


@click.command("add", epilog=EPILOG)
@click.argument("url", metavar="URL", help="Of the site, or of its descriptor.")
@answer_option
def add_app(url: str, answer: Choice) -> None:
    """Add a web app.

    Shows what its site declares and asks before anything is written. A redirect to another host is not
    followed, and a site can offer its own HTTP interface alone.
    """
    from handrail.app import add_web_app, read_web_app
    from handrail.faces.cli.running import run

    app = run(read_web_app(url))
    for line in _shown(app):
        print(line, file=sys.stderr)
    if not _agrees(answer):
        raise Declined("Nothing was added.")
    say(f"Added: {one_line(add_web_app(app))}")


def _shown(app: "App") -> list[str]:
    from handrail.core.apps.consent import consent_to

    lines = [
        f"{one_line(app.name)} ({app.id}), from {one_line(app.source)}",
        f"  {one_line(app.description)}",
        *(f"  {name}: {one_line(fact)}" for name, fact in consent_to(app, app.tools[0]).facts[3:]),
    ]
    for tool in app.tools:
        lines.append(f"  {tool.name}: {one_line(tool.description)}")
        lines += [f"    {name}: {one_line(fact)}" for name, fact in consent_to(app, tool).facts if name == "goes to"]
    return lines


def _agrees(answer: Choice) -> bool:
    if answer != "ask":
        return answer == "allow"
    if not sys.stdin.isatty():
        raise Declined("There is no terminal to ask on.", hint="Read what it declares, and repeat with --answer allow.")
    print("Add it? Agents may then ask to call it. [y]es / [n]o: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
