"""Everything this face says is one of two JSON objects: `{ok: true, data}` or contract 2's error envelope."""

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from handrail.faces.http.dialect import STATUS, http_envelope, http_status
from handrail.kernel.dialect import Dialect
from handrail.ports.browser_errors import refusal
from handrail.ports.errors import Failure


def success(data: Any) -> Response:
    return _json({"ok": True, "data": data}, 200)


def failed(failure: Failure, dialect: Dialect | None = None, *, exact: Mapping[str, Any] | None = None) -> Response:
    """`dialect` is the tool's own: its error object, hint included, goes into `details.toolError`.

    `exact` is all of the failure, for another process of ours.
    """
    body = http_envelope(failure)
    error = body["error"]
    if dialect is not None:
        error["details"]["toolError"] = dialect.envelope(failure)["error"]
    elif failure.hint is not None:
        error["message"] += f" {failure.hint}"
    if exact is not None:
        error["details"]["failure"] = exact
    return _json(body, http_status(failure))


def refused(
    code: str, message: str, *, status: int | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    return _json(refusal(code, message), status or STATUS[code], headers)


def unheard() -> Response:
    """For a client that has gone: handlers must return something, nobody will read it."""
    return Response(status_code=499)


def _json(body: Any, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(body), status, headers, "application/json")
