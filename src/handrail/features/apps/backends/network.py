"""Connections to where a name leads, as long as that is where such a name may lead.

A name of the public internet that leads to this machine or its network is how a web page's owner would reach what only
the user can reach: it is refused, at the very address that would be connected to. Who means such an address says so,
by the address itself, `localhost` or a name of the local network.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable

import httpcore2

_LOCAL_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


class WrongPlace(OSError):
    """The name leads where it must not."""


class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        failure: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in await _addresses(host, port):
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except httpcore2.NetworkError as error:
                failure = error
        raise failure


async def _addresses(host: str, port: int) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(f"{host} is not known: {error.strerror}") from error
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    if not is_local_name(host):
        for address in addresses:
            if not is_public(address):
                raise WrongPlace(f"{host} leads to {address}, which is not on the public internet")
    return addresses


def is_local_name(host: str) -> bool:
    """One that nobody outside can give a meaning to: an address in figures, a single word, a local ending."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(_LOCAL_SUFFIXES)
    return True


def is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_global and not parsed.is_multicast
