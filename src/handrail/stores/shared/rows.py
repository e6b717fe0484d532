"""The database as the stores of consents and grants need it."""

from collections.abc import Sequence
from typing import Any, Protocol


class Rows(Protocol):
    """Queries have numbered parameters (`$1`) and name the tenant in conflict targets, as a team's tables need it."""

    async def rows(self, query: str, *values: Any) -> Sequence[Sequence[Any]]: ...

    async def row(self, query: str, *values: Any) -> Sequence[Any] | None: ...

    async def execute(self, query: str, *values: Any) -> int:
        """A durable write. Returns the number of changed rows."""
        ...
