"""Options that many commands share, their parameter types, and groups that list what there is."""

from pathlib import Path
from typing import Any, Literal

import click


class OneOf(click.Choice[str]):
    def __init__(self, *choices: str) -> None:
        super().__init__(choices)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            self.fail(f"{value!r} is not one of {', '.join(self.choices)}.", param, ctx)
        return str(value)


class WholeNumber(click.IntRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
            bounds = f"at least {self.min}" if self.max is None else f"between {self.min} and {self.max}"
            self.fail(f"{number} is not {bounds}.", param, ctx)
        return number


class ListGroup(click.Group):
    """Commands of which `list` runs if none is named."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.subcommand_metavar = "[COMMAND] [ARGS]..."

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_named = {*args} & {*self.commands, *ctx.help_option_names} or (args and not args[0].startswith("-"))
        return super().parse_args(ctx, args if is_named else ["list", *args])


def _or_of_group(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """The option's value; if the command has none, that of its group: `handrail apps --state DIR list`."""
    parent = ctx.parent
    while value is None and parent is not None:
        value, parent = parent.params.get(str(param.name)), parent.parent
    return value


Choice = Literal["ask", "allow", "deny"]

project_option = click.option(
    "--project", type=Path, default=Path(), metavar="DIR", help="Project folder [current directory]."
)
state_option = click.option(
    "--state",
    type=Path,
    metavar="DIR",
    callback=_or_of_group,
    help="State directory [$HANDRAIL_STATE or ~/.local/state/handrail].",
)
answer_option = click.option(
    "--answer",
    type=OneOf("ask", "allow", "deny"),
    default="ask",
    show_default=True,
    metavar="<ask|allow|deny>",
    help="How to handle approvals: ask you, or always allow or deny.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
limit_option = click.option(
    "--limit", type=WholeNumber(min=1), default=20, show_default=True, metavar="N", help="Maximum number of entries."
)
