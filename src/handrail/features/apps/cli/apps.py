"""`handrail apps`: lists and describes apps, and calls one through the gate."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handrail.faces.cli.call import run_call
from handrail.faces.cli.output import columns, one_line, print_json, say
from handrail.faces.cli.parameters import (
    Choice,
    ListGroup,
    WholeNumber,
    answer_option,
    json_option,
    project_option,
    state_option,
)
from handrail.features.apps.cli.apps_add import add_app
from handrail.features.apps.cli.apps_check import check_app
from handrail.features.apps.cli.apps_consents import consents
from handrail.features.apps.cli.apps_new import new_app
from handrail.features.apps.cli.apps_sign_in import login, logout

if TYPE_CHECKING:
    from handrail.features.apps.manager import AppManager

EPILOG = """\b
Examples:
  handrail apps                                        list apps and broken descriptors
  handrail apps describe com.example.mail
  handrail apps call com.example.mail send_email '{"to": ["ada@example.com"]}'
  handrail apps consents                               what you always allow
  handrail apps add https://example.com
  handrail apps login com.example.web"""

CALL_EPILOG = """\b
Example:
  handrail apps call com.example.notes add '{"text": "Water the basil"}'

\b
Exit status: 0 with the app's result on stdout; 1 with {"error": {...}} on stdout;
2 if the parameters aren't JSON."""


@click.group(cls=ListGroup, epilog=EPILOG)
@state_option
def apps(state: Path | None) -> None:
    """List, call and allow the apps that agents can use.

    An app declares its tools in ~/.aai/<id>/aai.json. Agents call them after you have allowed it: once,
    for one tool, or for all tools of the app.
    """


def _tool_count(app: Mapping[str, Any]) -> str:
    count = len(app["tools"])
    return f"{count} tool{'' if count == 1 else 's'}"


@apps.command("list")
@state_option
@json_option
def list_apps(state: Path | None, as_json: bool) -> None:
    """List apps and broken descriptors."""
    from handrail.faces.cli.program import run

    overview = run(_manager(state).overview())
    if as_json:
        print_json(overview)
        return
    rows = [(app["id"], app["name"], _tool_count(app), app["description"]) for app in overview["apps"]]
    for line in columns(rows):
        say(line)
    if not rows:
        say("No apps yet: none has a descriptor in ~/.aai. Create one: handrail apps new")
    if overview["problems"]:
        say("\nDescriptors with problems")
        for problem in overview["problems"]:
            say(f"  {one_line(problem['source'])}: {one_line(problem['field'])}: {one_line(problem['reason'])}")


@apps.command("describe")
@click.argument("id", help="The app.")
@state_option
@json_option
def describe_app(id: str, state: Path | None, as_json: bool) -> None:
    """Show an app's tools with their schemas."""
    from handrail.faces.cli.program import run

    app = run(_manager(state).description(id))
    if as_json:
        print_json(app)
        return
    say(f"{one_line(app['name'])} ({app['id']}) {one_line(app.get('version', ''))}".rstrip())
    say(f"  {one_line(app['description'])}")
    say(f"  {one_line(app['source'])}")
    say(f"  {_sign_in_line(app['auth'])}")
    for tool in app["tools"]:
        say(f"\n{tool['name']}: {one_line(tool['description'])}")
        for name in ("parameters", "returns"):
            if name in tool:
                say(f"  {name}: {_json(tool[name])}")


@apps.command("call", epilog=CALL_EPILOG)
@click.argument("id", help="The app.")
@click.argument("tool", help="One of its tools.")
@click.argument(
    "json", default="{}", metavar="[JSON|-]", help="Its parameters; - reads them from stdin.  [default: {}]"
)
@project_option
@state_option
@answer_option
@click.option("--timeout", type=WholeNumber(min=1), metavar="MS", help="Override the tool's timeout, in milliseconds.")
def call_app(
    id: str,
    tool: str,
    json: str,
    project: Path,
    state: Path | None,
    answer: Choice,
    timeout: int | None,
) -> None:
    """Call a tool of an app and print its result as JSON."""

    def wrap_params(params: Any) -> dict[str, Any]:
        return {"app": id, "tool": tool, "params": params}

    run_call("apps_call", json, project, state, answer, timeout=timeout, complete_params=wrap_params)


for command in (consents, add_app, login, logout, new_app, check_app):
    apps.add_command(command)


def _manager(state: Path | None) -> "AppManager":
    from handrail.faces.cli.program import program
    from handrail.features.apps.manager import app_manager

    return app_manager(program().open_stores(state))


def _sign_in_line(auth: dict[str, Any]) -> str:
    if auth["type"] == "none":
        return "needs no sign-in"
    if auth["signedIn"]:
        return f"signed in ({auth['type']}, from the {auth['source']})"
    return f"not signed in ({auth['type']}): {one_line(auth.get('reason', ''))}"


def _json(value: Any) -> str:
    import msgspec

    return one_line(msgspec.json.encode(value).decode())
