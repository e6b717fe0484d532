"""Numbers of elements on the wire: a plugin may write them as numbers, and gets back what it wrote."""

from collections.abc import Mapping
from typing import Any

from handrail.ports.browser import Actions

_LISTS = ("elements", "matches")


def has_numbers(result: Mapping[str, Any], before: bool) -> bool:
    """As it was `before` where the result names no elements."""
    ids = [each["clickId"] for each in _told(result) if "clickId" in each]
    return any(type(one) is int for one in ids) if ids else before


def with_texts(result: Mapping[str, Any]) -> dict[str, Any]:
    """The same with every `clickId` as a text, which is what tools and people see."""
    return {
        name: [_text(each) for each in value] if name in _LISTS and isinstance(value, list) else value
        for name, value in result.items()
    }


def with_numbers(actions: Actions) -> dict[str, Any]:
    """For such a plugin: its own numbers."""
    return {
        name: {key: int(value) if _is_number(key, value) else value for key, value in params.items()}
        for name, params in actions.items()
    }


def _told(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    lists = [result.get(name) for name in _LISTS]
    return [each for found in lists if isinstance(found, list) for each in found if isinstance(each, Mapping)]


def _text(element: Any) -> Any:
    is_number = isinstance(element, Mapping) and type(element.get("clickId")) is int
    return {**element, "clickId": str(element["clickId"])} if is_number else element


def _is_number(key: str, value: object) -> bool:
    return key == "clickId" and isinstance(value, str) and value.isascii() and value.isdecimal()
