"""`NamedTuple` as in `typing`, which takes longer to load than all records of a quick command together.

Type checkers see the real one: import it as in `handrail.features.cage.spec`.
"""

from __future__ import annotations

from operator import itemgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


class NamedTuple(tuple):  # type: ignore[type-arg]
    """Fields are the annotations of the class below, in order; a value beside one is its default."""

    _fields = tuple[str, ...]()
    _defaults = tuple[tuple[str, "Any"], ...]()

    def __init_subclass__(cls) -> None:
        if fields := tuple(cls.__annotations__):
            cls._fields = fields
            cls._defaults += tuple((name, cls.__dict__[name]) for name in fields if name in cls.__dict__)
            for place, name in enumerate(fields):
                setattr(cls, name, property(itemgetter(place)))

    def __new__(cls, *values: Any, **named: Any) -> Self:
        left = cls._fields[len(values) :]
        given = {**dict(cls._defaults), **named}
        if len(values) > len(cls._fields) or not named.keys() <= set(left):
            raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields)}")
        try:
            return tuple.__new__(cls, (*values, *(given[name] for name in left)))
        except KeyError as missing:
            raise TypeError(f"{cls.__name__} needs {missing}") from None

    def __repr__(self) -> str:
        fields = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({', '.join(fields)})"

    def _replace(self, **changed: Any) -> Self:
        return type(self)(**{**dict(zip(self._fields, self, strict=True)), **changed})
