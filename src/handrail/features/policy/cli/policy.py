"""`handrail policy`: shows the rules in force, and trusts or distrusts the project's own policy file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from handrail.faces.cli.output import behind_gutter, columns, one_line, print_json, say, width_of
from handrail.faces.cli.parameters import Choice, OneOf, answer_option, json_option, project_option, state_option
from handrail.faces.cli.presence import require_person
from handrail.ports.errors import Declined, NotFound

if TYPE_CHECKING:
    from handrail.kernel.project import Project

EPILOG = """\b
Examples:
  handrail policy            the rules in this folder
  handrail policy trust      let the project's file loosen the rules too"""


@click.command(epilog=EPILOG)
@click.argument("action", type=OneOf("show", "trust", "distrust"), default="show", help="What to do.  [default: show]")
@project_option
@state_option
@answer_option
@json_option
def policy(
    action: Literal["show", "trust", "distrust"], project: Path, state: Path | None, answer: Choice, as_json: bool
) -> None:
    """Show permission rules.

    A project's `.handrail/policy.json` can only tighten the rules until a person trusts it. Trust
    is bound to the file's content: after any edit it must be given again.
    """
    from handrail.faces.cli.program import program
    from handrail.features.policy.summary import policy_in_force
    from handrail.kernel.approval import NoApprover

    handrail_project = program().open_project(project, state, NoApprover())
    try:
        if action == "trust":
            _trust(handrail_project, answer)
        elif action == "distrust":
            handrail_project.policy.distrust()
        if as_json:
            print_json(policy_in_force(handrail_project.policy))
        else:
            _show(policy_in_force(handrail_project.policy))
    finally:
        handrail_project.close()


def _show(summary: dict[str, Any]) -> None:
    if not summary["exists"]:
        status = "no file: the defaults apply"
    else:
        status = "trusted" if summary["trusted"] else "not trusted: it can only tighten (`handrail policy trust`)"
    say(f"{summary['path']}\n  {status}")
    say("\nWithout a rule")
    for line in columns([(f"  {decision}", effect) for effect, decision in summary["defaults"].items()]):
        say(line)
    say("\nRules (if several match, the strictest applies)")
    for line in columns([(f"  {rule['decision']}", _subject(rule), rule["from"]) for rule in summary["rules"]]):
        say(line)
    if not summary["rules"]:
        say("  none")
    say(f"\nLimits (mode {summary['mode']})")
    for line in columns([(f"  {name}", _value(value)) for name, value in summary["policies"].items()]):
        say(line)


_SUBJECT = ("tool", "effect", "path", "place", "host", "app", "command", "program", "server")


def _subject(rule: dict[str, Any]) -> str:
    return ", ".join(f"{name} {rule[name]}" for name in _SUBJECT if name in rule)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)


def _trust(project: "Project", answer: Choice) -> None:
    """Trusts exactly the bytes that were shown, whatever the file contains by now."""

    content = project.policy.file
    if content is None:
        raise NotFound(f"There is no policy to trust: {project.policy.where}")
    if project.policy.is_trusted():
        return
    print(f"{one_line(project.policy.where)}:", file=sys.stderr)
    for line in behind_gutter(content.decode(errors="replace").removesuffix("\n"), width_of(sys.stderr)):
        print(line, file=sys.stderr)
    if not _confirm(answer):
        raise Declined("The policy was not trusted; nothing has changed.")
    require_person(project.stores, "Trusting a project's policy")
    project.policy.trust(content)


def _confirm(answer: Choice) -> bool:
    if answer != "ask":
        return answer == "allow"
    if not sys.stdin.isatty():
        raise Declined("There is no terminal to ask in.", hint="Read the file, then repeat with --answer allow.")
    print(
        "Trust this file, so that it can allow things that would otherwise ask? [y]es / [n]o: ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")
