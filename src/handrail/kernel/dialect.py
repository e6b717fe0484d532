"""How a contract spells errors on its wire: a table from condition to code, and the object around it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from handrail.ports.errors import Failure, Table

Envelope = dict[str, Any]


class Dialect(NamedTuple):
    codes: Table
    envelope: Callable[[Failure], Envelope]


def spell_codes(table: Table, failures: tuple[type[Failure], ...] | list[type[Failure]]) -> list[str]:
    """The codes that a tool's declared conditions have on this wire, without repetition."""
    return list(dict.fromkeys(table[next(cls for cls in failure.__mro__ if cls in table)] for failure in failures))
