"""Shared by all parts of a descriptor: names, addresses, headers, texts, forms of spelling, and the problem report."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from handrail.features.apps.calls.checks import SchemaWeight
from handrail.features.apps.model import Problem
from handrail.kernel.web_address import parse_address as read_address
from handrail.ports.errors import InvalidParams

_APP_ID = re.compile(r"[a-z0-9]+(\.[a-z0-9]+)+")
_TOOL_NAME = re.compile(r"[a-z][a-z0-9_]{0,254}")
_TOOL_NAMES = re.compile(rf"{_TOOL_NAME.pattern}( {_TOOL_NAME.pattern})*")
_LONGEST_ID = 255
"""D-Bus and most file systems allow no longer names."""


def is_app_id(text: str) -> bool:
    return len(text) <= _LONGEST_ID and _APP_ID.fullmatch(text) is not None


def are_tool_names(texts: Iterable[str]) -> bool:
    """Checks all at once, because a list has thousands."""
    return _TOOL_NAMES.fullmatch(" ".join(texts)) is not None


def is_tool_name(text: str) -> bool:
    return _TOOL_NAME.fullmatch(text) is not None


Text = str | dict[str, str]
PartT = TypeVar("PartT")

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PLACE = re.compile(r" - at `\$\.?(?P<path>.*?)(?:\[\.\.\.\])?`$")
_SECONDS_BELOW = 1000
_LONGEST_MS = 10 * 60 * 1000
_ADDRESS_SAFE = "-._~:/?#[]@!$&'()*+,;=%"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ProblemReport:
    """Collects the problems of one descriptor."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.weight = SchemaWeight()

    def add(self, field: str, reason: str) -> None:
        self.problems.append(Problem(self.source, field, reason))

    def convert(self, value: Any, kind: type[PartT], field: str) -> PartT | None:
        if value is None:
            self.add(field, "is missing")
            return None
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            place = _PLACE.search(str(error))
            inner = place["path"] if place is not None else ""
            reason = _PLACE.sub("", str(error)).replace("Object missing required field", "lacks the field")
            self.add(f"{field}.{inner}" if inner else field, reason)
            return None

    def check_url(self, field: str, url: str) -> str:
        """A normalized web address; unencrypted only on this machine, because credentials are sent to it."""
        try:
            address = read_address(url, field)
        except InvalidParams as failure:
            self.add(field, failure.details["fieldErrors"][0]["message"])
            return url
        if address.host is None:
            self.add(field, "must begin with http:// or https://")
        elif not address.url.startswith("https:") and not is_loopback(address.host):
            self.add(field, "must begin with https://: only apps on this machine may be called unencrypted")
        plain = address.url if url.endswith("/") else address.url.removesuffix("/")
        return quote(plain, safe=_ADDRESS_SAFE)

    def check_headers(self, field: str, headers: Mapping[str, str]) -> None:
        for name, value in headers.items():
            if _HEADER_NAME.fullmatch(name) is None:
                self.add(field, f"{name[:50]!r} isn't a valid header name")
            elif not is_header_value(value):
                self.add(
                    f"{field}.{name}",
                    "contains a character that isn't allowed in headers, or starts or ends with a space",
                )


def is_loopback(host: str) -> bool:
    return host in _LOOPBACK or host.startswith("127.") or host.endswith(".localhost")


def is_header_name(name: str) -> bool:
    return _HEADER_NAME.fullmatch(name) is not None


def is_header_value(value: str) -> bool:
    """Visible ASCII with spaces only inside; servers disagree about anything else."""
    return value == value.strip(" \t") and all(char == "\t" or " " <= char <= "~" for char in value)


def localized(text: Text, language: str | None) -> str:
    """Of a text in several languages, the one in the default language, English, or the first."""
    if isinstance(text, str):
        return text
    return text.get(language or "en") or text.get("en") or next(iter(text.values()), "")


def timeout_ms(value: float | None, field: str, report: ProblemReport) -> int | None:
    """Both units are in use: values below 1000 are seconds. At most ten minutes."""
    if value is None:
        return None
    milliseconds = int(value * 1000 if value < _SECONDS_BELOW else value)
    if milliseconds <= 0:
        report.add(field, "must be more than 0")
    return min(milliseconds, _LONGEST_MS)


_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_TYPES = {"apiKey": "api_key", "apikey": "api_key", "apple_events": "apple-events", "appleEvents": "apple-events"}


class Folded(dict[str, Any]):
    """An object with its names in snake case; `conflicts` are names given in two forms with different values."""

    conflicts: list[str]


def fold(raw: Mapping[str, Any]) -> Folded:
    result = Folded()
    result.conflicts = []
    for name, value in raw.items():
        plain = _CAPITAL.sub(r"_\1", name).lower()
        if plain in result and result[plain] != value:
            result.conflicts.append(name)
        result[plain] = value
    return result


def fold_descriptor(root: Mapping[str, Any]) -> Folded:
    """Folds the root, and `app`, `execution`, `auth` and each of `tools` in it."""
    result = fold(root)
    if "app" not in result and ("app_id" in result or "id" in result):
        names = ("name", "description", "version", "default_lang")
        result["app"] = {"id": result.get("app_id", result.get("id")), **{n: result[n] for n in names if n in result}}
    for name in ("app", "execution", "auth"):
        if isinstance(result.get(name), dict):
            result[name] = _fold_typed(result[name])
    if isinstance(result.get("tools"), list):
        result["tools"] = [_tool(tool) if isinstance(tool, dict) else tool for tool in result["tools"]]
    return result


def conflicting_names(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, Folded):
        yield from (f"{path}{name}" for name in value.conflicts)
        for name, inner in value.items():
            yield from conflicting_names(inner, f"{path}{name}.")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from conflicting_names(item, f"{path.removesuffix('.')}[{number}].")


def _fold_typed(raw: dict[str, Any]) -> Folded:
    """`{"type": "dbus", "dbus": {…}}` means the same as `{"type": "dbus", …}`."""
    result = fold(raw)
    if isinstance(kind := result.get("type"), str):
        result["type"] = kind = _TYPES.get(kind, kind)
        name = kind.replace("-", "_")
        if isinstance(inner := result.pop(name, None), dict):
            nested = fold(inner)
            result.conflicts += [f"{name}.{each}" for each in nested.conflicts]
            result.update(nested)
            result["type"] = kind
    return result


def _tool(raw: dict[str, Any]) -> Folded:
    result = fold(raw)
    for old, new in (("input_schema", "parameters"), ("output_schema", "returns")):
        if old in result:
            result.setdefault(new, result[old])
    if isinstance(result.get("execution"), dict):
        result["execution"] = fold(result["execution"])
    if isinstance(notes := result.get("annotations"), dict) and "idempotentHint" in notes:
        result.setdefault("idempotent", notes["idempotentHint"])
    return result
