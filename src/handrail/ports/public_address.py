"""Checks that an address is on the public internet: not this machine, its network or a cloud's metadata service."""

import ipaddress
import socket
from contextlib import suppress

_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""The last four bytes are an IPv4 address (NAT64)."""
_ANY_PORT = 9


def is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(parsed, "ipv4_mapped", None) or getattr(parsed, "sixtofour", None) or parsed
    if parsed in _TRANSLATED:
        inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
    is_local = inner.is_multicast or inner.is_reserved or getattr(inner, "is_site_local", False)
    return inner.is_global and not is_local and not _is_this_machine(inner)


def _is_this_machine(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """This machine's own public addresses: what it sends there doesn't leave it and bypasses its firewall."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.connect((str(address), _ANY_PORT))  # sends nothing; the kernel only chooses the source address
        return ipaddress.ip_address(asking.getsockname()[0]) == address
    return False
