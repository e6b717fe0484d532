"""An endpoint is one declaration: its route, its checks and its part of the OpenAPI document follow from it."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive

from handrail.faces.http.answers import success, unheard
from handrail.faces.http.guard import MAX_BODY
from handrail.faces.http.json_body import wrong_field
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams

T = TypeVar("T")


async def unless_gone(receive: Receive, running: Coroutine[Any, Any, T]) -> T:
    """What it comes to. ClientDisconnect: the client went away meanwhile, and the call has been stopped."""
    run, gone = asyncio.create_task(running), asyncio.create_task(_disconnect(receive))
    either: set[asyncio.Task[Any]] = {run, gone}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not run.done():
            raise ClientDisconnect
        return run.result()
    finally:
        run.cancel()
        gone.cancel()
        await asyncio.gather(run, gone, return_exceptions=True)


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


Access = Literal["token", "plugin", "person", "open"]
Handler = Callable[[Request, Any], Awaitable[Any]]

_AT = re.compile(r"(.*) - at `\$\.?(.*)`", re.DOTALL)
_FIELD = re.compile(r"(?:missing required field|contains unknown field) `([^`]*)`")


@dataclass(frozen=True, slots=True)
class Query:
    name: str
    schema: dict[str, Any]
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`run(request, body)` gives the data of the answer, or a Response where it isn't an envelope.

    `codes` are the errors beside those that any endpoint may end in; `status` is told apart for 410 and 413.
    """

    method: str
    path: str
    summary: str
    run: Handler
    answer: Any
    body: type[msgspec.Struct] | None = None
    raw_body: bool = False
    path_schema: dict[str, Any] | None = None
    query: Sequence[Query] = ()
    errors: Sequence[int] = ()
    access: Access = "token"
    media_type: str = "application/json"


def route(endpoint: Endpoint) -> Route:
    async def answer(request: Request) -> Response:
        try:
            body = None if endpoint.body is None else await _decoded(request, endpoint.body)
            data = await endpoint.run(request, body)
        except ClientDisconnect:
            return unheard()
        return data if isinstance(data, Response) else success(data)

    return Route(endpoint.path, answer, methods=[endpoint.method])


def given(value: Any) -> Any:
    """None for what was left out."""
    return None if value is msgspec.UNSET else value


async def _decoded(request: Request, type: type[msgspec.Struct]) -> Any:
    given = strict_json.decode(await request.body(), max_bytes=MAX_BODY)
    if not isinstance(given, dict):
        raise InvalidParams("The body must be a JSON object.")
    try:
        return msgspec.convert(given, type)
    except msgspec.ValidationError as error:
        raise _told(str(error)) from None


def _told(message: str) -> InvalidParams:
    """Contract 2 §0.3: which field it was."""
    placed = _AT.fullmatch(message)
    said, where = (placed[1], placed[2]) if placed else (message, "")
    named = _FIELD.search(said)
    field = ".".join(part for part in (where, named[1] if named else "") if part)
    return wrong_field(field or "body", "is missing" if named and "missing" in said else said[0].lower() + said[1:])
