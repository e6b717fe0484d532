"""Addresses of web pages, read so strictly that no browser can understand them otherwise than the policy does.

Whoever opens one sends `url` on, not what was given. Knows no policy and no browser.
"""

import ipaddress
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from handrail.kernel.glob import matcher
from handrail.kernel.target import ANY_HOST
from handrail.ports.errors import InvalidParams

BLANK = "about:blank"
MAX_LENGTH = 8192
_ADDRESS = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:@%]+)(?::(?P<port>[0-9]{0,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # what browsers take for an IPv4 address, in whatever spelling
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})
_OWN_PAGES = ("about:", "chrome:", "chrome-extension:", "edge:", "brave:")
_WILD = frozenset("*?[]{},!")


@dataclass(frozen=True, slots=True)
class WebAddress:
    """`host` is None for a blank page, which is nowhere."""

    url: str
    host: str | None


def read(url: str, field: str = "url") -> WebAddress:
    """InvalidParams: no page on the web, or spelled in a way that could be read as another."""
    if url == BLANK:
        return WebAddress(BLANK, None)
    if len(url) > MAX_LENGTH:
        raise _wrong(field, f"is longer than {MAX_LENGTH} characters")
    if "\\" in url or any(unicodedata.category(char) in _UNSEEN for char in url):
        raise _wrong(field, "holds a blank, a backslash or a character that can't be seen")
    found = _ADDRESS.fullmatch(url)
    if found is None:
        raise _wrong(field, "must begin with http:// or https://, or be about:blank")
    if "@" in found["authority"]:
        raise _wrong(field, "must not hold a user name or password")
    parts = _AUTHORITY.fullmatch(found["authority"])
    host = None if parts is None else _host(parts["host"])
    if parts is None or host is None or int(parts["port"] or 0) > 65535:
        raise _wrong(field, "names no host, or not in its plain spelling")
    port = f":{int(parts['port'])}" if parts["port"] else ""
    shown = parts["host"].lower() if parts["host"].startswith("[") else host
    rest = found["rest"] if found["rest"].startswith("/") else f"/{found['rest']}"
    return WebAddress(f"{found['scheme'].lower()}://{shown}{port}{rest}", host)


def is_web_page(url: str) -> bool:
    return url == BLANK or url.lower().startswith(("http://", "https://"))


def host_of_page(url: str | None) -> str | None:
    """Of a page as its browser names it: None where it is no place on the web, ANY_HOST where nobody can tell."""
    if url is None:
        return ANY_HOST
    page = url.removeprefix("blob:")
    if page.lower().startswith(_OWN_PAGES):
        return None
    try:
        name = urlsplit(page).hostname if is_web_page(page) else None
    except ValueError:
        name = None
    return ANY_HOST if name is None else _host(name) or ANY_HOST


@lru_cache(maxsize=256)
def host_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for hosts: `*` and the like match within the whole name, case does not count. InvalidParams."""
    if (address := _ip6(pattern.strip("[]"))) is not None:
        return matcher(address)
    if any(char in pattern for char in "/:@\\ "):
        raise InvalidParams(f"The host {pattern!r} must stand alone, without scheme, port or path.")
    labels = pattern.lower().removesuffix(".").split(".")
    return matcher(".".join(_ascii_label(label, pattern) for label in labels))


def _host(name: str) -> str | None:
    """As rules compare it; None where browsers might understand another one."""
    if (address := _ip6(name.strip("[]"))) is not None:
        return address
    name = name.lower().removesuffix(".")
    if not name.isascii():
        name = _encoded(name) or ""
    labels = name.split(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    if _NUMBER.fullmatch(labels[-1]) is None:
        return name
    try:
        return str(ipaddress.IPv4Address(name))
    except ValueError:
        return None


def _ip6(name: str) -> str | None:
    try:
        address = ipaddress.IPv6Address(name)
    except ValueError:
        return None
    return str(address.ipv4_mapped or address)


def _encoded(name: str) -> str | None:
    import idna  # 20 ms, and few hosts need it

    try:
        return idna.encode(name, uts46=True).decode().removesuffix(".")
    except idna.IDNAError:
        return None


def _ascii_label(label: str, pattern: str) -> str:
    if label.isascii():
        return label
    encoded = None if _WILD & set(label) else _encoded(label)
    if encoded is None:
        raise InvalidParams(f"The host {pattern!r} can't be read: write its xn-- form.")
    return encoded


def _wrong(field: str, message: str) -> InvalidParams:
    return InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])
