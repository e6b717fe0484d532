"""HTTP to apps and their vendors: which addresses may be reached, fetching documents, posting forms."""

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


class PrivateAddress(OSError):
    """The name resolves to an address that must not be reached."""


class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects public names only to public addresses."""

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
        infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(f"{host} can't be resolved: {error.strerror}") from error
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in infos))
    if not is_local_name(host):
        for address in addresses:
            if not is_public(address):
                raise PrivateAddress(f"{host} leads to {address}, which isn't on the public internet")
    return addresses


def is_local_name(host: str) -> bool:
    """Whether no public DNS server can resolve it: an IP address, a single word, a local suffix."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(_LOCAL_SUFFIXES)
    return True


_SECONDS = 30.0
_LARGEST_TOKEN_REPLY = 256 * 1024


@dataclass(frozen=True, slots=True)
class FetchResult:
    status: int
    location: str
    body: bytes = field(repr=False)
    challenge: str = ""
    """The header `WWW-Authenticate`, which says how to sign in."""


async def fetch(
    method: str, url: str, headers: Mapping[str, str], body: bytes | None, *, max_bytes: int, seconds: float = _SECONDS
) -> FetchResult:
    """Offline: no answer in time. BadAnswer: too large, or not HTTP. InvalidParams: the request isn't valid."""
    host = httpcore2.URL(url).host.decode("ascii", "replace")
    sent_headers = {"accept-encoding": "identity", "user-agent": f"handrail/{handrail.__version__}", **headers}
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent_headers.items()]
    try:
        async with (
            asyncio.timeout(seconds),
            httpcore2.AsyncConnectionPool(network_backend=CheckedNetwork()) as pool,
            pool.stream(method, url, headers=pairs, content=body) as response,
        ):
            body = await _read(response, host, max_bytes)
            return FetchResult(
                response.status, _header(response, b"location"), body, _header(response, b"www-authenticate")
            )
    except TimeoutError:
        raise Offline(f"{host} did not answer within {seconds:g} seconds.") from None
    except PrivateAddress as error:
        raise Offline(f"{host} is not called: {error}.") from None
    except httpcore2.LocalProtocolError:  # its message quotes the request
        raise InvalidParams(f"{host} can't be called: the request isn't valid HTTP.") from None
    except httpcore2.RemoteProtocolError:
        raise BadAnswer(f"{host} disconnected, or doesn't speak HTTP.") from None
    except (httpcore2.NetworkError, httpcore2.TimeoutException, OSError) as error:
        raise Offline(f"{host} can't be reached: {str(error)[:200] or type(error).__name__}") from None


async def post_form(url: str, form: str) -> tuple[int, bytes]:
    """A `TokenEndpoint`. Redirects are not followed, so the form goes nowhere else."""
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
    fetched = await fetch("POST", url, headers, form.encode(), max_bytes=_LARGEST_TOKEN_REPLY)
    return fetched.status, fetched.body


def _header(response: httpcore2.Response, header: bytes) -> str:
    return next((value.decode("latin-1") for name, value in response.headers if name.lower() == header), "")


async def _read(response: httpcore2.Response, host: str, max_bytes: int) -> bytes:
    body = bytearray()
    async for part in response.aiter_stream():
        body += part
        if len(body) > max_bytes:
            raise BadAnswer(f"{host} answered more than {max_bytes} bytes.", maxBytes=max_bytes)
    return bytes(body)
