"""What a person chooses for a task, as pages spell it."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.ports.agent import Choice
from handrail.ports.browser import Wire
from handrail.ports.errors import InvalidParams

T = TypeVar("T")
MostSteps = Annotated[int, Meta(ge=1, le=10_000)]
MostCost = Annotated[float, Meta(ge=0, le=1_000_000)]


class _Given(Wire, frozen=True, kw_only=True):
    """Of a `user_message`, whose other members are read elsewhere. Null is as good as left out."""

    mode: Literal["plan", "act"] | None = None
    model: Annotated[str, Meta(max_length=256)] | None = None
    most_steps: MostSteps | None = None
    most_cost: MostCost | None = None


def choice_in(message: dict[str, Any]) -> Choice:
    """InvalidParams names the member that makes no sense."""
    try:
        given = msgspec.convert(message, _Given)
    except msgspec.ValidationError as error:
        raise InvalidParams(f"{error}.") from None
    return Choice(
        mode=_or_unset(given.mode),
        model=_or_unset(given.model or None),
        most_steps=_or_unset(given.most_steps),
        most_cost=_or_unset(given.most_cost),
    )


def _or_unset(value: T | None) -> T | UnsetType:
    return UNSET if value is None else value
