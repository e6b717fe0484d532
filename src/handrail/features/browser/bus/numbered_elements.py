"""Element ids on the wire: a plugin may write them as numbers, and then gets them back as numbers."""

from collections.abc import Mapping
from typing import Any

from handrail.ports.browser import Actions

_LISTS = ("elements", "matches")


def has_numbers(result: Mapping[str, Any], before: bool) -> bool:
    """Whether the result has ids as numbers; the value `before` if it has no ids."""
    ids = [element["clickId"] for element in _elements(result) if "clickId" in element]
    return any(type(id) is int for id in ids) if ids else before


def with_texts(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result with each `clickId` as text, which is what tools and people see."""
    return {
        name: [_text(each) for each in value] if name in _LISTS and isinstance(value, list) else value
        for name, value in result.items()
    }


def with_numbers(actions: Actions) -> dict[str, Any]:
    """The actions with each `clickId` as a number, for plugins that write them so."""
    return {
        name: {key: int(value) if _is_number(key, value) else value for key, value in params.items()}
        for name, params in actions.items()
    }


def _elements(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    lists = [result.get(name) for name in _LISTS]
    return [each for elements in lists if isinstance(elements, list) for each in elements if isinstance(each, Mapping)]


def _text(element: Any) -> Any:
    is_number = isinstance(element, Mapping) and type(element.get("clickId")) is int
    return {**element, "clickId": str(element["clickId"])} if is_number else element


def _is_number(key: str, value: object) -> bool:
    return key == "clickId" and isinstance(value, str) and value.isascii() and value.isdecimal()
