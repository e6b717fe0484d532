"""`?limit=&before=`: a page of something that is read from its newest end."""

import re

from starlette.requests import Request

from handrail.faces.http.json_body import wrong_field

DEFAULT_LIMIT = 50
MAX_LIMIT = 500
_DIGITS = re.compile(r"[0-9]{1,16}")


def limit(request: Request) -> int:
    given = _number(request, "limit")
    if given is None:
        return DEFAULT_LIMIT
    if not 1 <= given <= MAX_LIMIT:
        raise wrong_field("limit", f"must be a whole number from 1 to {MAX_LIMIT}")
    return given


def before(request: Request) -> int | None:
    return _number(request, "before")


def _number(request: Request, name: str) -> int | None:
    given = request.query_params.get(name)
    if given is None:
        return None
    if not _DIGITS.fullmatch(given):
        raise wrong_field(name, "must be a whole number")
    return int(given)
