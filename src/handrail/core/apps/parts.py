"""What reading each part of a descriptor needs: problems by field, texts in several languages, times, header names."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from handrail.contract.apps import Problem
from handrail.contract.errors import InvalidParams
from handrail.core.web_address import read as read_address

Text = str | dict[str, str]
PartT = TypeVar("PartT")

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PLACE = re.compile(r" - at `\$\.?(?P<path>.*?)(?:\[\.\.\.\])?`$")
_SECONDS_BELOW = 1000
_LONGEST_MS = 24 * 3600 * 1000
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Findings:
    """The problems of one descriptor, in the order of finding."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []

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

    def check_url(self, field: str, url: str) -> None:
        """A web address; in clear text only to this machine, because what a user is known by travels with it."""
        try:
            address = read_address(url, field)
        except InvalidParams as wrong:
            self.add(field, wrong.details["fieldErrors"][0]["message"])
            return
        if address.host is None:
            self.add(field, "must begin with http:// or https://")
        elif not address.url.startswith("https:") and not is_loopback(address.host):
            self.add(field, "must begin with https://: only an app on this machine may be called in clear text")

    def check_headers(self, field: str, headers: Mapping[str, str]) -> None:
        for name, value in headers.items():
            if _HEADER_NAME.fullmatch(name) is None:
                self.add(field, f"{name[:50]!r} is no name of a header")
            elif not is_header_value(value):
                self.add(f"{field}.{name}", "holds a character that no header may hold")


def is_loopback(host: str) -> bool:
    return host in _LOOPBACK or host.startswith("127.") or host.endswith(".localhost")


def is_header_name(name: str) -> bool:
    return _HEADER_NAME.fullmatch(name) is not None


def is_header_value(value: str) -> bool:
    """Visible ASCII and blanks: what else a server makes of it, nobody knows."""
    return all(char == "\t" or " " <= char <= "~" for char in value)


def in_words(text: Text, language: str | None) -> str:
    """Of a text in several languages the default one's, English's or the first."""
    if isinstance(text, str):
        return text
    return text.get(language or "en") or text.get("en") or next(iter(text.values()), "")


def timeout_ms(value: float | None, field: str, found: Findings) -> int | None:
    """Both units are in use: below 1000 it is seconds, for nobody waits so few milliseconds or so many seconds."""
    if value is None:
        return None
    milliseconds = int(value * 1000 if value < _SECONDS_BELOW else value)
    if not 0 < milliseconds <= _LONGEST_MS:
        found.add(field, "must be more than nothing and at most a day")
    return milliseconds
