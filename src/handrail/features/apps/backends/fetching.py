"""One bounded request: nobody is followed, no more is read than wanted, and it ends in time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpcore2

import handrail
from handrail.features.apps.backends.network import CheckedNetwork, WrongPlace
from handrail.ports.errors import BadAnswer, InvalidParams, Offline

_SECONDS = 30.0
_LARGEST_TOKEN_REPLY = 256 * 1024


@dataclass(frozen=True, slots=True)
class Fetched:
    status: int
    location: str
    body: bytes = field(repr=False)


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
            return Fetched(response.status, _location(response), await _read(response, host, most_bytes))
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
    """A `TokenEndpoint`. A redirect is an answer like any other: what is in the form goes nowhere else."""
    headers = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
    fetched = await fetch("POST", url, headers, form.encode(), most_bytes=_LARGEST_TOKEN_REPLY)
    return fetched.status, fetched.body


def _location(response: httpcore2.Response) -> str:
    return next((value.decode("latin-1") for name, value in response.headers if name.lower() == b"location"), "")


async def _read(response: httpcore2.Response, host: str, most_bytes: int) -> bytes:
    body = bytearray()
    async for part in response.aiter_stream():
        body += part
        if len(body) > most_bytes:
            raise BadAnswer(f"{host} answered more than {most_bytes} bytes.", maxBytes=most_bytes)
    return bytes(body)
