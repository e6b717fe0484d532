"""Reads addresses of web pages so strictly that every browser understands them like the policy.

Code that opens an address must use `url` and not the original text. A place is scheme, host and port:
`https://example.com`, `http://localhost:5173`.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from handrail.kernel.host_name import canonical_host, host_matcher, is_loopback
from handrail.kernel.target import ANY_PLACE
from handrail.ports.errors import InvalidParams

BLANK = "about:blank"
MAX_LENGTH = 8192
_ADDRESS = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:@%]+)(?::(?P<port>[0-9]{0,5}))?")
_PLACE_PATTERN = re.compile(
    r"(?P<scheme>https?|\*)://(?P<host>\[[0-9A-Fa-f:.]+\]|[^/:@\\ ]+)(?::(?P<port>[0-9]{1,5}|\*))?/?", re.IGNORECASE
)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})
_OWN_PAGES = ("about:", "chrome:", "chrome-extension:", "edge:", "brave:")
_WRAPPERS = re.compile(r"^(?:blob:|view-source:)+", re.IGNORECASE)
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_LOOPBACK_HOSTS = r"(localhost|[^/:@]+\.localhost|127\.[0-9.]+|0\.0\.0\.0|\[::1?\])"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Place(NamedTuple):
    """Where a page is. Pages at the same place have the same origin."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        """Without the scheme's default port, like in browsers; on this machine always with the port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_plain = self.port == _DEFAULT_PORTS[self.scheme] and not is_loopback(self.host)
        return f"{self.scheme}://{host}" if is_plain else f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class WebAddress:
    """`place` is None for a blank page."""

    url: str
    place: str | None

    @property
    def host(self) -> str | None:
        return None if self.place is None else parse_place(self.place).host


def parse_address(url: str, field: str = "url") -> WebAddress:
    """InvalidParams: not a web page, or ambiguous."""
    if url == BLANK:
        return WebAddress(BLANK, None)
    if len(url) > MAX_LENGTH:
        raise _wrong(field, f"is longer than {MAX_LENGTH} characters")
    if "\\" in url or any(unicodedata.category(char) in _UNSEEN for char in url):
        raise _wrong(field, "contains a space, a backslash or an invisible character")
    match = _ADDRESS.fullmatch(url)
    if match is None:
        raise _wrong(field, "must begin with http:// or https://, or be about:blank")
    if "@" in match["authority"]:
        raise _wrong(field, "must not hold a user name or password")
    parts = _AUTHORITY.fullmatch(match["authority"])
    host = None if parts is None else canonical_host(parts["host"])
    if parts is None or host is None or int(parts["port"] or 0) > 65535:
        raise _wrong(field, "names no host, or not in its plain spelling")
    scheme = match["scheme"].lower()
    port = f":{int(parts['port'])}" if parts["port"] else ""
    shown = parts["host"].lower() if parts["host"].startswith("[") else host
    rest = match["rest"] if match["rest"].startswith("/") else f"/{match['rest']}"
    place = Place(scheme, host, int(parts["port"] or _DEFAULT_PORTS[scheme]))
    return WebAddress(f"{scheme}://{shown}{port}{rest}", str(place))


def parse_place(place: str) -> Place:
    """The inverse of `str(Place(…))`."""
    scheme, _, authority = place.partition("://")
    name, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        name, port = authority, ""
    return Place(scheme, name.strip("[]"), int(port or _DEFAULT_PORTS[scheme]))


def names_of_place(place: str) -> tuple[str, ...]:
    """The place and, on this machine, the same server under the machine's other usual names."""
    there = parse_place(place)
    others = _LOOPBACK_NAMES if is_loopback(there.host) else ()
    return (place, *(str(there._replace(host=name)) for name in others if name != there.host))


def is_elsewhere(place: str) -> bool:
    """Whether it is known to be on another machine."""
    host = place.partition("://")[2].rpartition(":")[0] or place.partition("://")[2]
    return bool(host) and not is_loopback(host.strip("[]"))


def is_web_page(url: str) -> bool:
    return url == BLANK or url.lower().startswith(("http://", "https://"))


def place_of_page(url: str | None) -> str | None:
    """The place of a page from its browser's address: None if it isn't on the web, ANY_PLACE if it is unknown."""
    if url is None:
        return ANY_PLACE
    page = _WRAPPERS.sub("", url)
    if page.lower().startswith(_OWN_PAGES):
        return None
    try:
        parts = urlsplit(page)
        host = canonical_host(parts.hostname) if is_web_page(page) and parts.hostname else None
        return (
            ANY_PLACE
            if host is None
            else str(Place(parts.scheme, host, parts.port if parts.port is not None else _DEFAULT_PORTS[parts.scheme]))
        )
    except ValueError:
        return ANY_PLACE


def host_of_page(url: str | None) -> str | None:
    """Like `place_of_page`, but only the host."""
    place = place_of_page(url)
    return parse_place(place).host if place else place


@lru_cache(maxsize=256)
def place_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for places: `http://localhost:5173` is exactly that; scheme and port may be `*`, the host a pattern.

    Without a port, it matches the scheme's default port, and every port of this machine. InvalidParams.
    """
    match = _PLACE_PATTERN.fullmatch(pattern)
    if match is None or ((match["port"] or "*") != "*" and int(match["port"]) > 65535):
        raise InvalidParams(f"The place {pattern!r} must be scheme, host and port, such as http://localhost:5173.")
    scheme, port, is_host = match["scheme"].lower(), match["port"], host_matcher(match["host"])

    def matches(place: str) -> bool:
        there = parse_place(place)
        if scheme not in ("*", there.scheme) or not is_host(there.host):
            return False
        return _is_usual_port(there) if port is None else port == "*" or int(port) == there.port

    return matches


def host_rule_matcher(pattern: str, *, is_for_every_port: bool) -> Callable[[str], bool]:
    """A test for places by their host; without `is_for_every_port` only at the usual ports."""
    matches = host_matcher(pattern)

    def covers(place: str) -> bool:
        there = parse_place(place)
        return matches(there.host) and (is_for_every_port or _is_usual_port(there))

    return covers


def host_expression(pattern: str) -> str | None:
    """A regular expression for addresses at hosts that a rule denies, on every port.

    One name of this machine stands for all of them. None if the pattern has more than `*` and `?`; then addresses can
    be checked only once they are known.
    """
    host = _host_expression(pattern)
    return None if host is None else rf"^https?://{host}\.?(:[0-9]+)?/"


def place_expression(pattern: str) -> str | None:
    """The same for `place_matcher`."""
    match = _PLACE_PATTERN.fullmatch(pattern)
    host = None if match is None else _host_expression(match["host"])
    if match is None or host is None:
        return None
    scheme = "https?" if match["scheme"] == "*" else match["scheme"].lower()
    if match["port"] == "*" or (match["port"] is None and is_loopback(match["host"].strip("[]").lower())):
        port = "(:[0-9]+)?"
    elif match["port"] is None or int(match["port"]) == _DEFAULT_PORTS.get(scheme):
        port = ""
    else:
        port = f":{int(match['port'])}"
    return rf"^{scheme}://{host}\.?{port}/"


def _host_expression(pattern: str) -> str | None:
    host = pattern.lower().removesuffix(".")
    if host.strip("[]") in _LOOPBACK_NAMES:
        return _LOOPBACK_HOSTS
    if not host.isascii() or any(char in host for char in "[]{},!"):
        return None
    return re.escape(host).replace(r"\*", "[^/:]*").replace(r"\?", "[^/:]")


def _is_usual_port(there: Place) -> bool:
    """The scheme's default port; on this machine any, because development servers use any free port."""
    return there.port == _DEFAULT_PORTS[there.scheme] or is_loopback(there.host)


def _wrong(field: str, message: str) -> InvalidParams:
    return InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])
