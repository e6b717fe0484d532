"""Fills in `${param}` in a route of an HTTP app so that a value can't end a segment, a header or a string, and can't
lead to another host or path. Knows no HTTP client.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from handrail.features.apps.descriptors.parts import is_header_value
from handrail.ports.errors import InvalidParams

_PLACEHOLDER = re.compile(r"\$\{([^{}]*)\}")
_SAFE_ASCII = "-._~"


def unknown_names(template: Any, parameters: Mapping[str, Any]) -> Iterator[str]:
    """Placeholders that no parameter fills, where the schema lists its parameters."""
    known = parameters.get("properties")
    if isinstance(known, Mapping):
        yield from (name for name in names_in(template) if name not in known)


def names_in(template: Any) -> Iterator[str]:
    if isinstance(template, str):
        yield from _PLACEHOLDER.findall(template)
    elif isinstance(template, Mapping):
        for key, value in template.items():
            yield from names_in(key)
            yield from names_in(value)
    elif isinstance(template, list | tuple):
        for item in template:
            yield from names_in(item)


def filled_path(template: str, params: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """The path with each value inside one segment, and the pairs of the query. InvalidParams."""
    path, _, query = template.partition("?")
    segments = [_segment(segment, params) for segment in path.split("/")]
    pairs = []
    for piece in filter(None, query.split("&")):
        name, _, value = piece.partition("=")
        whole = _PLACEHOLDER.fullmatch(value)
        if whole is not None and whole[1] not in params:
            continue  # an optional parameter that was not given leaves no empty one behind
        pairs.append((_in_text(name, params), _in_text(value, params)))
    return "/".join(segments), pairs


def filled_header(template: str, params: Mapping[str, Any]) -> str:
    value = _in_text(template, params)
    if not is_header_value(value):
        raise InvalidParams("A parameter contains characters that aren't allowed in the header it is used in.")
    return value


def filled_body(template: Any, params: Mapping[str, Any]) -> Any:
    """A string that is one placeholder becomes the value itself, of any type. Members and items whose optional
    parameter was not given are left out.
    """
    if isinstance(template, str):
        whole = _PLACEHOLDER.fullmatch(template)
        if whole is not None:
            return params.get(whole[1], msgspec.UNSET)
        return _in_text(template, params)
    if isinstance(template, Mapping):
        filled = {name: filled_body(value, params) for name, value in template.items()}
        return {name: value for name, value in filled.items() if value is not msgspec.UNSET}
    if isinstance(template, list | tuple):
        items = [filled_body(item, params) for item in template]
        return [item for item in items if item is not msgspec.UNSET]
    return template


def in_words(value: Any) -> str:
    """A parameter as text for an address or a header."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _segment(template: str, params: Mapping[str, Any]) -> str:
    if _PLACEHOLDER.search(template) is None:
        return template
    for name in names_in(template):
        if name not in params:
            raise InvalidParams(f"The address needs the parameter {name}.", field=name)
    filled = _PLACEHOLDER.sub(lambda found: quote(in_words(params[found[1]]), safe=_SAFE_ASCII), template)
    if filled in ("", ".", "..") or "%00" in filled:
        raise InvalidParams("A parameter would change the path of the address.", segment=template)
    return filled


def filled_text(template: str, params: Mapping[str, Any], spelled: Callable[[Any], str]) -> str:
    return _PLACEHOLDER.sub(lambda found: spelled(params[found[1]]) if found[1] in params else "", template)


def _in_text(template: str, params: Mapping[str, Any]) -> str:
    return filled_text(template, params, in_words)
