"""Validates the members of a JSON object and collects all problems with their fields.

Nothing raises before `Problems.raise_any`, so callers learn of all mistakes at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from handrail.ports.errors import InvalidParams

_MAX_REPORTED = 20
_LONGEST_FIELD = 200

ChoiceT = TypeVar("ChoiceT", bound=str)


class Problems:
    def __init__(self, what: str) -> None:
        self._what = what
        self._found: list[dict[str, str]] = []

    def note(self, field: str, message: str) -> None:
        """Adds a problem, unless the field already has one."""
        field = _shown(field)
        if len(self._found) < _MAX_REPORTED and all(one["field"] != field for one in self._found):
            self._found.append({"field": field, "message": message})

    @property
    def has_any(self) -> bool:
        return bool(self._found)

    def raise_any(self) -> None:
        if self._found:
            summary = "; ".join(f"{one['field']}: {one['message']}" for one in self._found)
            raise InvalidParams(f"The {self._what} is not valid: {summary}", fieldErrors=self._found)


class Members:
    """An object and the path to it. Getters return UNSET for missing members, and for wrong ones after noting them.

    Null counts as missing, because other programs write it for members that they leave out.
    """

    def __init__(self, value: Mapping[str, Any], problems: Problems, path: str = "") -> None:
        self._value = {name: member for name, member in value.items() if member is not None}
        self._problems = problems
        self._path = path

    @property
    def as_given(self) -> Mapping[str, Any]:
        return self._value

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def note(self, name: str, message: str) -> None:
        self._problems.note(self._path + name, message)

    def text(self, name: str) -> str | UnsetType:
        value = self._value.get(name, UNSET)
        return value if value is UNSET or self._is_text(name, value) else UNSET

    def name(self, name: str) -> str:
        """A required string with more than white space."""
        value = self._value.get(name, UNSET)
        if value is UNSET:
            self.note(name, "is required")
        elif self._is_text(name, value):
            if value.strip():
                return str(value)
            self.note(name, "must not be empty")
        return ""

    def flag(self, name: str) -> bool | UnsetType:
        value = self._value.get(name, UNSET)
        if value is UNSET or isinstance(value, bool):
            return value
        self.note(name, "must be true or false")
        return UNSET

    def whole_number(self, name: str) -> int | UnsetType:
        value = self._value.get(name, UNSET)
        if isinstance(value, float) and value.is_integer():  # 1.0 and 1 are one number in JSON
            return int(value)
        if value is UNSET or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        self.note(name, "must be a whole number")
        return UNSET

    def one_of(self, name: str, choices: Sequence[ChoiceT]) -> ChoiceT | UnsetType:
        if self._value.get(name, "") == "":  # other programs write it for what they leave out
            return UNSET
        for choice in choices:
            if choice == self._value[name]:
                return choice
        self.note(name, f"must be one of: {', '.join(choices)}")
        return UNSET

    def texts(self, name: str) -> tuple[str, ...] | UnsetType:
        values = self._items(name)
        if values is UNSET:
            return UNSET
        return tuple(value for at, value in enumerate(values) if self._is_text(f"{name}.{at}", value))

    def whole_numbers(self, name: str) -> tuple[int, ...] | UnsetType:
        values = self._items(name)
        if values is UNSET:
            return UNSET
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            self.note(name, "must hold whole numbers")
            return UNSET
        return tuple(values)

    def pairs(self, name: str) -> dict[str, str] | UnsetType:
        """A required object with only strings as values."""
        value = self._value.get(name, UNSET)
        if not isinstance(value, Mapping):
            self.note(name, "is required" if value is UNSET else "must be an object")
            return UNSET
        return {
            key: text
            for key, text in value.items()
            if self._is_text(f"{name}.{key}", key) and self._is_text(f"{name}.{key}", text)
        }

    def object(self, name: str) -> "Members | UnsetType":
        value = self._value.get(name, UNSET)
        if isinstance(value, Mapping):
            return Members(value, self._problems, f"{self._path}{name}.")
        if value is not UNSET:
            self.note(name, "must be an object")
        return UNSET

    def objects(self, name: str, fewest: int = 0, most: int | None = None) -> Iterator["Members"]:
        """The objects in an array, which is required unless it may be empty. With too few or too many, none."""
        if fewest and name not in self._value:
            self.note(name, "is required")
        values = self._items(name)
        if values is UNSET:
            return
        if len(values) < fewest or (most is not None and len(values) > most):
            self.note(name, f"must hold {fewest} to {most} items, not {len(values)}")
            return
        for at, value in enumerate(values):
            if isinstance(value, Mapping):
                yield Members(value, self._problems, f"{self._path}{name}.{at}.")
            else:
                self.note(f"{name}.{at}", "must be an object")

    def _items(self, name: str) -> Sequence[Any] | UnsetType:
        value = self._value.get(name, UNSET)
        if value is UNSET or isinstance(value, list | tuple):
            return value
        self.note(name, "must be an array")
        return UNSET

    def _is_text(self, name: str, value: Any) -> bool:
        if not isinstance(value, str):
            self.note(name, "must be a string")
            return False
        if not is_unicode(value):
            self.note(name, "contains a lone surrogate, which isn't a character")
            return False
        return True


def is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(field: str) -> str:
    """Shortens and escapes a field name, which comes from outside."""
    field = field.encode("utf-8", "backslashreplace").decode()
    return field if len(field) <= _LONGEST_FIELD else field[:_LONGEST_FIELD] + "…"
