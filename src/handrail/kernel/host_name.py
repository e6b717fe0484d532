"""Host names in one canonical spelling, for rules, pages and browsers."""

import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache

from handrail.kernel.glob import matcher
from handrail.ports.errors import InvalidParams

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # browsers read these as IPv4 addresses
_WILD = frozenset("*?[]{},!")


def canonical_host(name: str) -> str | None:
    """In lower case, without brackets and final dot, with international names in their xn-- form.

    None if browsers might understand it as another host.
    """
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


def is_loopback(host: str) -> bool:
    """Whether browsers resolve this canonical host to this machine without DNS."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


@lru_cache(maxsize=256)
def host_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for hosts: `*` and other wildcards match anywhere in the name, case is ignored. InvalidParams."""
    if (address := _ip6(pattern.strip("[]"))) is not None:
        return matcher(address)
    if any(char in pattern for char in "/:@\\ "):
        raise InvalidParams(f"The host {pattern!r} must stand alone, without scheme, port or path.")
    labels = pattern.lower().removesuffix(".").split(".")
    return matcher(".".join(_ascii_label(label, pattern) for label in labels))


def _ip6(name: str) -> str | None:
    try:
        address = ipaddress.IPv6Address(name)
    except ValueError:
        return None
    return str(address.ipv4_mapped or address)


def _encoded(name: str) -> str | None:
    import idna  # takes 20 ms to import, and few hosts need it

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
