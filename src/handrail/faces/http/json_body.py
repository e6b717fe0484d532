"""Reads a request's JSON object and its fields, or the page that `?limit=&before=` asks for."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from starlette.requests import Request

from handrail.faces.http.body_limit import MAX_BODY
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams


async def json_object(request: Request, fields: Collection[str]) -> Mapping[str, Any]:
    body = strict_json.decode(await request.body(), max_bytes=MAX_BODY)
    if not isinstance(body, dict):
        raise InvalidParams("The body must be a JSON object.")
    for name in body:
        if name not in fields:
            raise wrong_field(name, f"is unknown; known fields are {', '.join(sorted(fields))}")
    return body


def text_field(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise wrong_field(name, "must be a text that isn't empty")
    return value


def optional_text(body: Mapping[str, Any], name: str) -> str | None:
    """None if it is missing or empty."""
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise wrong_field(name, "must be a text")
    return value or None


def whole_number(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise wrong_field(name, "must be a whole number that isn't negative")
    return value


def wrong_field(name: str, message: str) -> InvalidParams:
    """Contract 2 §0.3: the field is named in `details.fieldErrors`."""
    return InvalidParams(f"`{name}` {message}.", fieldErrors=[{"field": name, "message": message}])


DEFAULT_LIMIT = 50
MAX_LIMIT = 500
_DIGITS = re.compile(r"[0-9]{1,16}")


def page_limit(request: Request) -> int:
    limit = _number(request, "limit")
    if limit is None:
        return DEFAULT_LIMIT
    if not 1 <= limit <= MAX_LIMIT:
        raise wrong_field("limit", f"must be a whole number from 1 to {MAX_LIMIT}")
    return limit


def page_before(request: Request) -> int | None:
    return _number(request, "before")


def _number(request: Request, name: str) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return None
    if not _DIGITS.fullmatch(text):
        raise wrong_field(name, "must be a whole number")
    return int(text)
