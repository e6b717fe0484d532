"""What a request of the console's asks for: one JSON object with known fields, or a page by `?limit=&before=`."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from starlette.requests import Request

from handrail.faces.http.guard import MAX_BODY
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams


async def json_object(request: Request, known: Collection[str]) -> Mapping[str, Any]:
    given = strict_json.decode(await request.body(), max_bytes=MAX_BODY)
    if not isinstance(given, dict):
        raise InvalidParams("The body must be a JSON object.")
    for name in given:
        if name not in known:
            raise wrong_field(name, f"is not known here; known are {', '.join(sorted(known))}")
    return given


def text_field(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise wrong_field(name, "must be a text that is not empty")
    return value


def optional_text(given: Mapping[str, Any], name: str) -> str | None:
    """An empty one counts as none."""
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise wrong_field(name, "must be a text")
    return value or None


def whole_number(given: Mapping[str, Any], name: str) -> int:
    value = given.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise wrong_field(name, "must be a whole number that is not negative")
    return value


def wrong_field(name: str, message: str) -> InvalidParams:
    """Contract 2 §0.3: the field is named in `details.fieldErrors`."""
    return InvalidParams(f"`{name}` {message}.", fieldErrors=[{"field": name, "message": message}])


DEFAULT_LIMIT = 50
MAX_LIMIT = 500
_DIGITS = re.compile(r"[0-9]{1,16}")


def page_limit(request: Request) -> int:
    given = _number(request, "limit")
    if given is None:
        return DEFAULT_LIMIT
    if not 1 <= given <= MAX_LIMIT:
        raise wrong_field("limit", f"must be a whole number from 1 to {MAX_LIMIT}")
    return given


def page_before(request: Request) -> int | None:
    return _number(request, "before")


def _number(request: Request, name: str) -> int | None:
    given = request.query_params.get(name)
    if given is None:
        return None
    if not _DIGITS.fullmatch(given):
        raise wrong_field(name, "must be a whole number")
    return int(given)
