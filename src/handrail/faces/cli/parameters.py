"""The options that many commands share, spelled and explained once."""

from pathlib import Path
from typing import Annotated, Literal

import typer

HERE = Path()

Choice = Literal["ask", "allow", "deny"]

Project = Annotated[
    Path,
    typer.Option("--project", metavar="DIR", help="The project's folder, if not this one.", show_default=False),
]
StateDir = Annotated[
    Path | None,
    typer.Option(
        "--state",
        metavar="DIR",
        help="Where handrail keeps its own records: $HANDRAIL_STATE, or else ~/.local/state/handrail.",
    ),
]
AnswerWith = Annotated[
    Choice,
    typer.Option(
        "--answer",
        help="How to answer where the policy wants a person asked: ask on the terminal, or always allow or deny.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Limit = Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many at most.")]
