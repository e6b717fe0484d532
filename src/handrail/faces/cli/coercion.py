"""How typer turns words of the command line into values, without pydantic.

typer builds a pydantic validator for every parameter of the command that runs: 150 ms before the
first line of ours. Our parameters are flags, texts, numbers, folders and choices. A typer
that does not look here does the same by itself, only slower.
"""

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class Coercion:
    """Stands in for typer's own; it is asked for the value of one parameter at a time."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return None
        wanted, choices = param.type_descriptor.annotation, param.type_descriptor.choices
        if choices is not None and value not in choices:
            known = ", ".join(map(str, choices))
            raise typer.BadParameter(f"{value!r} is none of {known}.", ctx=ctx, param=param)
        if wanted is int:
            return _integer(value, param, ctx)
        return Path(value) if wanted is Path else value


def _integer(value: Any, param: Any, ctx: Any) -> int:
    try:
        number = int(value)
    except ValueError:
        raise typer.BadParameter(f"{value!r} is not a whole number.", ctx=ctx, param=param) from None
    least, most = param.type_descriptor.parameter_info.min, param.type_descriptor.parameter_info.max
    if (least is not None and number < least) or (most is not None and number > most):
        asked = f"at least {least}" if most is None else f"between {least} and {most}"
        raise typer.BadParameter(f"{number} is not {asked}.", ctx=ctx, param=param)
    return number


class Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _quick(super().get_params(ctx))


class Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _quick(super().get_params(ctx))


def _quick(params: list[Any]) -> list[Any]:
    for param in params:
        if getattr(param, "_runtime_param", ...) is None:
            param._runtime_param = Coercion()
    return params
