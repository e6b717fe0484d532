"""What all parts of a descriptor share: names, addresses, headers, texts, spellings, and the list of problems."""

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
"""The longest name on D-Bus and on most file systems."""


def is_app_id(text: str) -> bool:
    return len(text) <= _LONGEST_ID and _APP_ID.fullmatch(text) is not None


def are_tool_names(texts: Iterable[str]) -> bool:
    """All at once, because a list has thousands."""
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


class Findings:
    """The problems of one descriptor, in the order of finding."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.weight = SchemaWeight()

    def add(self, field: str, reason: str) -> None:
        self.problems.append(Problem(self.source, field, reason))

    def converted(self, value: Any, kind: type[PartT], field: str) -> PartT | None:
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

    def checked_url(self, field: str, url: str) -> str:
        """A web address as it is sent; unencrypted only to this machine, because credentials are sent with it."""
        try:
            address = read_address(url, field)
        except InvalidParams as wrong:
            self.add(field, wrong.details["fieldErrors"][0]["message"])
            return url
        if address.host is None:
            self.add(field, "must begin with http:// or https://")
        elif not address.url.startswith("https:") and not is_loopback(address.host):
            self.add(field, "must begin with https://: only an app on this machine may be called in clear text")
        plain = address.url if url.endswith("/") else address.url.removesuffix("/")
        return quote(plain, safe=_ADDRESS_SAFE)

    def check_headers(self, field: str, headers: Mapping[str, str]) -> None:
        for name, value in headers.items():
            if _HEADER_NAME.fullmatch(name) is None:
                self.add(field, f"{name[:50]!r} isn't a valid name of a header")
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
    """Visible ASCII with blanks inside; servers disagree about anything else."""
    return value == value.strip(" \t") and all(char == "\t" or " " <= char <= "~" for char in value)


def in_words(text: Text, language: str | None) -> str:
    """Of a text in several languages: the default one, English, or the first."""
    if isinstance(text, str):
        return text
    return text.get(language or "en") or text.get("en") or next(iter(text.values()), "")


def timeout_ms(value: float | None, field: str, found: Findings) -> int | None:
    """Both units are in use: values below 1000 are seconds. Ten minutes at most."""
    if value is None:
        return None
    milliseconds = int(value * 1000 if value < _SECONDS_BELOW else value)
    if milliseconds <= 0:
        found.add(field, "must be more than nothing")
    return min(milliseconds, _LONGEST_MS)


_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_TYPES = {"apiKey": "api_key", "apikey": "api_key", "apple_events": "apple-events", "appleEvents": "apple-events"}


class Folded(dict[str, Any]):
    """An object with its names folded; `twice` are names in two spellings with different values."""

    twice: list[str]


def folded(written: Mapping[str, Any]) -> Folded:
    found = Folded()
    found.twice = []
    for name, value in written.items():
        plain = _CAPITAL.sub(r"_\1", name).lower()
        if plain in found and found[plain] != value:
            found.twice.append(name)
        found[plain] = value
    return found


def folded_descriptor(root: Mapping[str, Any]) -> Folded:
    """The root, with `app`, `execution`, `auth` and each of `tools` folded as well."""
    found = folded(root)
    if "app" not in found and ("app_id" in found or "id" in found):
        names = ("name", "description", "version", "default_lang")
        found["app"] = {"id": found.get("app_id", found.get("id")), **{n: found[n] for n in names if n in found}}
    for name in ("app", "execution", "auth"):
        if isinstance(found.get(name), dict):
            found[name] = _typed(found[name])
    if isinstance(found.get("tools"), list):
        found["tools"] = [_tool(tool) if isinstance(tool, dict) else tool for tool in found["tools"]]
    return found


def spelled_twice(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, Folded):
        yield from (f"{path}{name}" for name in value.twice)
        for name, inner in value.items():
            yield from spelled_twice(inner, f"{path}{name}.")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from spelled_twice(item, f"{path.removesuffix('.')}[{number}].")


def _typed(written: dict[str, Any]) -> Folded:
    """`{"type": "dbus", "dbus": {…}}` means the same as `{"type": "dbus", …}`."""
    found = folded(written)
    if isinstance(kind := found.get("type"), str):
        found["type"] = kind = _TYPES.get(kind, kind)
        name = kind.replace("-", "_")
        if isinstance(inner := found.pop(name, None), dict):
            nested = folded(inner)
            found.twice += [f"{name}.{each}" for each in nested.twice]
            found.update(nested)
            found["type"] = kind
    return found


def _tool(written: dict[str, Any]) -> Folded:
    found = folded(written)
    for old, new in (("input_schema", "parameters"), ("output_schema", "returns")):
        if old in found:
            found.setdefault(new, found[old])
    if isinstance(found.get("execution"), dict):
        found["execution"] = folded(found["execution"])
    if isinstance(notes := found.get("annotations"), dict) and "idempotentHint" in notes:
        found.setdefault("idempotent", notes["idempotentHint"])
    return found
