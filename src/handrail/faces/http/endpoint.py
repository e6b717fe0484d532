"""Declares an endpoint; its route, its checks and its part of the OpenAPI document follow from that."""

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

from handrail.faces.http.answers import client_gone, success
from handrail.faces.http.body_limit import MAX_BODY
from handrail.faces.http.json_body import wrong_field
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams

T = TypeVar("T")


async def run_while_connected(receive: Receive, running: Coroutine[Any, Any, T]) -> T:
    """Returns the result of `running`; if the client disconnects, cancels it and raises ClientDisconnect."""
    run, disconnect = asyncio.create_task(running), asyncio.create_task(_wait_for_disconnect(receive))
    tasks: set[asyncio.Task[Any]] = {run, disconnect}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not run.done():
            raise ClientDisconnect
        return run.result()
    finally:
        run.cancel()
        disconnect.cancel()
        await asyncio.gather(run, disconnect, return_exceptions=True)


async def _wait_for_disconnect(receive: Receive) -> None:
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
    """`run(request, body)` returns the answer's data, or a Response if the answer isn't an envelope.

    `errors` are statuses in addition to those that any endpoint may return.
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
            return client_gone()
        return data if isinstance(data, Response) else success(data)

    return Route(endpoint.path, answer, methods=[endpoint.method])


def or_none(value: Any) -> Any:
    """Turns UNSET into None."""
    return None if value is msgspec.UNSET else value


async def _decoded(request: Request, type: type[msgspec.Struct]) -> Any:
    value = strict_json.decode(await request.body(), max_bytes=MAX_BODY)
    if not isinstance(value, dict):
        raise InvalidParams("The body must be a JSON object.")
    try:
        return msgspec.convert(value, type)
    except msgspec.ValidationError as error:
        raise _field_error(str(error)) from None


def _field_error(message: str) -> InvalidParams:
    """Contract 2 §0.3: names the invalid field."""
    location = _AT.fullmatch(message)
    problem, path = (location[1], location[2]) if location else (message, "")
    name = _FIELD.search(problem)
    field = ".".join(part for part in (path, name[1] if name else "") if part)
    return wrong_field(
        field or "body", "is missing" if name and "missing" in problem else problem[0].lower() + problem[1:]
    )
