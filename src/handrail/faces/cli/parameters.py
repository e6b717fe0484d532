"""The options that many commands share, spelled and explained once."""

from pathlib import Path
from typing import Literal

import click

from handrail.faces.cli.values import OneOf, WholeNumber

Choice = Literal["ask", "allow", "deny"]

project_option = click.option(
    "--project", type=Path, default=Path(), metavar="DIR", help="The project's folder, if not this one."
)
state_option = click.option(
    "--state",
    type=Path,
    metavar="DIR",
    help="Where handrail keeps its own records: $HANDRAIL_STATE, or else ~/.local/state/handrail.",
)
answer_option = click.option(
    "--answer",
    type=OneOf("ask", "allow", "deny"),
    default="ask",
    show_default=True,
    metavar="<ask|allow|deny>",
    help="How to answer where the policy wants a person asked: ask one, or always allow or deny.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
limit_option = click.option(
    "--limit", type=WholeNumber(min=1), default=20, show_default=True, metavar="N", help="How many at most."
)
