"""`handrail apps add`: adds a web app by its address, after showing what it declares."""

import sys
from typing import TYPE_CHECKING

import click

from handrail.faces.cli.output import one_line, say
from handrail.faces.cli.parameters import Choice, answer_option
from handrail.ports.errors import Declined

if TYPE_CHECKING:
    from handrail.features.apps.model import App

EPILOG = """\b
Examples:
  handrail apps add https://example.com                reads /.well-known/aai.json there
  handrail apps add https://example.com --answer allow
  handrail apps add https://example.com --answer allow --sign-in-elsewhere"""


@click.command("add", epilog=EPILOG)
@click.argument("url", metavar="URL", help="The site, or its descriptor.")
@answer_option
@click.option("--sign-in-elsewhere", "is_elsewhere", is_flag=True, help="Accept a sign-in at other hosts.")
def add_app(url: str, answer: Choice, is_elsewhere: bool) -> None:
    """Add a web app.

    Shows what its site declares and asks before anything is written. Redirects to another host are not followed, and a
    site can offer only its own HTTP interface. A sign-in at other hosts needs a confirmation of its own.
    """
    from handrail.faces.cli.program import run
    from handrail.features.apps.web_apps import add_web_app, read_web_app

    app = run(read_web_app(url))
    for line in _summary(app):
        print(line, file=sys.stderr)
    _accept_sign_in(app, answer, is_elsewhere=is_elsewhere)
    if not _confirm(answer, "Add it? Agents may then ask to call it."):
        raise Declined("Nothing was added.")
    say(f"Added: {one_line(add_web_app(app))}")


def _summary(app: "App") -> list[str]:
    from handrail.features.apps.calls.consent import consent_to

    lines = [
        f"{one_line(app.name)} ({app.id}), from {one_line(app.source)}",
        f"  {one_line(app.description)}",
        *(f"  {name}: {one_line(fact)}" for name, fact in consent_to(app, app.tools[0]).facts[3:]),
    ]
    for tool in app.tools:
        lines.append(f"  {tool.name}: {one_line(tool.description)}")
        lines += [f"    {name}: {one_line(fact)}" for name, fact in consent_to(app, tool).facts if name == "goes to"]
    return lines


def _accept_sign_in(app: "App", answer: Choice, *, is_elsewhere: bool) -> None:
    """Asks separately about a sign-in at other hosts."""
    from handrail.features.apps.calls.consent import foreign_hosts

    hosts = foreign_hosts(app)
    if not hosts or is_elsewhere:
        return
    warning = f"Its sign-in leads to {one_line(' and '.join(hosts))}, which doesn't belong to the site that offers it."
    if answer == "allow" or not sys.stdin.isatty():
        raise Declined(warning, hint="If you know that this is right, repeat with --sign-in-elsewhere.")
    if not _confirm(answer, f"{warning} Is that right?"):
        raise Declined("Nothing was added.")


def _confirm(answer: Choice, question: str) -> bool:
    if answer != "ask":
        return answer == "allow"
    if not sys.stdin.isatty():
        raise Declined("There is no terminal to ask in.", hint="Read what it declares, and repeat with --answer allow.")
    print(f"{question} [y]es / [n]o: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
