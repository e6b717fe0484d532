"""HTTP to apps and their vendors: addresses that may be reached, documents, forms."""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import httpcore2

import handrail
from handrail.ports.errors import BadAnswer, InvalidParams, Offline
from handrail.ports.public_address import is_public

_LOCAL_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


class WrongPlace(OSError):
    """The name resolves to an address that must not be reached."""


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
    """A name that no public DNS server can resolve: an IP address, a single word, a local suffix."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(_LOCAL_SUFFIXES)
    return True


_SECONDS = 30.0
_LARGEST_TOKEN_REPLY = 256 * 1024


@dataclass(frozen=True, slots=True)
class Fetched:
    status: int
    location: str
    body: bytes = field(repr=False)
    challenge: str = ""
    """`WWW-Authenticate`: how to sign in."""


async def fetch(
    method: str, url: str, headers: Mapping[str, str], body: bytes | None, *, most_bytes: int, seconds: float = _SECONDS
) -> Fetched:
    """Offline: nobody answered in time. BadAnswer: more than was wanted, or no HTTP. InvalidParams: not to be sent."""
    host = httpcore2.URL(url).host.decode("ascii", "replace")
    told = {"accept-encoding": "identity", "user-agent": f"handrail/{handrail.__version__}", **headers}
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in told.items()]
    try:
        async with (
            asyncio.timeout(seconds),
            httpcore2.AsyncConnectionPool(network_backend=CheckedNetwork()) as pool,
            pool.stream(method, url, headers=pairs, content=body) as response,
        ):
            body = await _read(response, host, most_bytes)
            return Fetched(
                response.status, _header(response, b"location"), body, _header(response, b"www-authenticate")
            )
    except TimeoutError:
        raise Offline(f"{host} did not answer within {seconds:g} seconds.") from None
    except WrongPlace as wrong:
        raise Offline(f"{host} is not called: {wrong}.") from None
    except httpcore2.LocalProtocolError:  # its words quote what was to be sent
        raise InvalidParams(f"{host} can't be asked: this makes no request of HTTP.") from None
    except httpcore2.RemoteProtocolError:
        raise BadAnswer(f"{host} broke off, or does not speak HTTP.") from None
    except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
        raise Offline(f"{host} is not to be reached: {str(error)[:200] or type(error).__name__}") from None


async def post_form(url: str, form: str) -> tuple[int, bytes]:
    """A `TokenEndpoint`. Redirects are not followed, so the form is sent nowhere else."""
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
    fetched = await fetch("POST", url, headers, form.encode(), most_bytes=_LARGEST_TOKEN_REPLY)
    return fetched.status, fetched.body


def _header(response: httpcore2.Response, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in response.headers if name.lower() == wanted), "")


async def _read(response: httpcore2.Response, host: str, most_bytes: int) -> bytes:
    body = bytearray()
    async for part in response.aiter_stream():
        body += part
        if len(body) > most_bytes:
            raise BadAnswer(f"{host} answered more than {most_bytes} bytes.", maxBytes=most_bytes)
    return bytes(body)
