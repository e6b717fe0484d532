"""Fills in `${param}` in an HTTP app's route, so that a value can't end a segment, a header or a string, and can't
lead to another host or path. Independent of HTTP clients.
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
    """Placeholders that aren't parameters, if the schema lists its parameters."""
    properties = parameters.get("properties")
    if isinstance(properties, Mapping):
        yield from (name for name in placeholders_in(template) if name not in properties)


def placeholders_in(template: Any) -> Iterator[str]:
    if isinstance(template, str):
        yield from _PLACEHOLDER.findall(template)
    elif isinstance(template, Mapping):
        for key, value in template.items():
            yield from placeholders_in(key)
            yield from placeholders_in(value)
    elif isinstance(template, list | tuple):
        for item in template:
            yield from placeholders_in(item)


def fill_path(template: str, params: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    """The path with each value inside one segment, and the pairs of the query. InvalidParams."""
    path, _, query = template.partition("?")
    segments = [_segment(segment, params) for segment in path.split("/")]
    pairs = []
    for piece in filter(None, query.split("&")):
        name, _, value = piece.partition("=")
        placeholder = _PLACEHOLDER.fullmatch(value)
        if placeholder is not None and placeholder[1] not in params:
            continue  # an optional parameter that wasn't given leaves no empty pair behind
        pairs.append((_in_text(name, params), _in_text(value, params)))
    return "/".join(segments), pairs


def fill_header(template: str, params: Mapping[str, Any]) -> str:
    value = _in_text(template, params)
    if not is_header_value(value):
        raise InvalidParams("A parameter contains characters that aren't allowed in the header it is used in.")
    return value


def fill_body(template: Any, params: Mapping[str, Any]) -> Any:
    """Replaces a string that is one placeholder by the value itself, of any type. Members and items whose optional
    parameter wasn't given are left out.
    """
    if isinstance(template, str):
        placeholder = _PLACEHOLDER.fullmatch(template)
        if placeholder is not None:
            return params.get(placeholder[1], msgspec.UNSET)
        return _in_text(template, params)
    if isinstance(template, Mapping):
        filled = {name: fill_body(value, params) for name, value in template.items()}
        return {name: value for name, value in filled.items() if value is not msgspec.UNSET}
    if isinstance(template, list | tuple):
        items = [fill_body(item, params) for item in template]
        return [item for item in items if item is not msgspec.UNSET]
    return template


def to_text(value: Any) -> str:
    """A parameter as text for an address or a header."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _segment(template: str, params: Mapping[str, Any]) -> str:
    if _PLACEHOLDER.search(template) is None:
        return template
    for name in placeholders_in(template):
        if name not in params:
            raise InvalidParams(f"The address needs the parameter {name}.", field=name)
    filled = _PLACEHOLDER.sub(lambda match: quote(to_text(params[match[1]]), safe=_SAFE_ASCII), template)
    if filled in ("", ".", "..") or "%00" in filled:
        raise InvalidParams("A parameter would change the path of the address.", segment=template)
    return filled


def fill_text(template: str, params: Mapping[str, Any], to_string: Callable[[Any], str]) -> str:
    return _PLACEHOLDER.sub(lambda match: to_string(params[match[1]]) if match[1] in params else "", template)


def _in_text(template: str, params: Mapping[str, Any]) -> str:
    return fill_text(template, params, to_text)
