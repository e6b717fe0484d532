"""Words of the command line as values; what can't be one is refused in plain words."""

from typing import Any

import click


class OneOf(click.Choice[str]):
    def __init__(self, *choices: str) -> None:
        super().__init__(choices)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            self.fail(f"{value!r} is none of {', '.join(self.choices)}.", param, ctx)
        return str(value)


class WholeNumber(click.IntRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
            asked = f"at least {self.min}" if self.max is None else f"between {self.min} and {self.max}"
            self.fail(f"{number} is not {asked}.", param, ctx)
        return number
