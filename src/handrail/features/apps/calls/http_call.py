"""A call to an HTTP app as a request, and its response as the contract's reply. Knows no client and no socket.

Where the descriptor gives a tool no route, the contract's envelope is posted to the base URL.
"""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import msgspec

from handrail.features.apps.descriptors.templates import (
    filled_body,
    filled_header,
    filled_path,
    filled_text,
    in_words,
    names_in,
)
from handrail.features.apps.model import App, AppRequest, AppTool, Grant, HttpExecution, HttpRoute
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_FRAMING = ("host", "content-length", "transfer-encoding", "connection", "accept-encoding", "te", "upgrade")
_PATH_SAFE = "/-._~!$&'()*+,;=:@%"


@dataclass(frozen=True, slots=True)
class HttpCall:
    method: str
    url: str = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)


def http_call(app: App, tool: AppTool, request: AppRequest, grant: Grant) -> HttpCall:
    """InvalidParams: a value that would lead elsewhere or break a header."""
    place = app.execution
    assert isinstance(place, HttpExecution)
    headers = {"accept": _JSON, **_named(place.default_headers)}
    if tool.route is None:
        headers["content-type"] = _JSON
        address = _address(place.base_url, None, [*grant.query.items()])
        return HttpCall("POST", address, _with_grant(headers, grant), msgspec.json.encode(request))
    route = tool.route
    path, query = filled_path(route.path, request.params)
    headers |= {name: filled_header(value, request.params) for name, value in _named(route.headers).items()}
    used = {*names_in(route.path), *names_in(route.headers)}
    rest = {name: value for name, value in request.params.items() if name not in used}
    body = None
    if route.body_template is not msgspec.UNSET:
        body = _templated(route, headers, request.params)
    elif route.method in ("GET", "DELETE"):
        query += [(name, text) for name, value in rest.items() for text in _texts(value)]
    else:
        headers.setdefault("content-type", _JSON)
        is_form = headers["content-type"].startswith(_FORM)
        body = urlencode([(n, t) for n, v in rest.items() for t in _texts(v)]).encode() if is_form else _encoded(rest)
    address = _address(place.base_url, path, [*query, *grant.query.items()])
    return HttpCall(route.method, address, _with_grant(headers, grant), body)


def _templated(route: HttpRoute, headers: dict[str, str], params: dict[str, Any]) -> bytes:
    template = route.body_template
    if isinstance(template, str):
        try:
            template = strict_json.decode(template)
        except InvalidParams:
            is_form = headers.setdefault("content-type", "text/plain; charset=utf-8").startswith(_FORM)
            return filled_text(route.body_template, params, _escaped if is_form else in_words).encode()
    headers.setdefault("content-type", _JSON)
    return _encoded(filled_body(template, params))


def _address(base: str, path: str | None, query: list[tuple[str, str]]) -> str:
    """Always below the base URL: `..` in any disguise is refused, and so is what would name another host."""
    parts = urlsplit(base)
    below = parts.path.rstrip("/") if path is not None else parts.path
    if path:
        below += "/" + quote(path.lstrip("/"), safe=_PATH_SAFE)
    # Some servers read an escaped path as if it were not, even twice.
    if "\\" in (plain := unquote(unquote(below))) or {".", ".."} & set(plain.split("/")):
        raise InvalidParams("A parameter would lead out of the app's address.")
    text = urlencode(query)
    return f"{parts.scheme}://{parts.netloc}{below or '/'}{'?' + text if text else ''}"


def redirected(call: HttpCall, status: int, location: str) -> HttpCall | None:
    """Where a redirect leads, as long as it is the same place; None where it must not be followed."""
    try:
        old, new = urlsplit(call.url), urlsplit(location)
    except ValueError:
        return None
    if (new.scheme or old.scheme, new.netloc or old.netloc) != (old.scheme, old.netloc):
        return None
    if call.method != "GET" and status not in (307, 308):
        return None
    if not new.path.startswith("/"):
        return None
    query = f"?{urlencode(parse_qsl(new.query, keep_blank_values=True))}" if new.query else ""
    address = f"{old.scheme}://{old.netloc}{quote(new.path, safe=_PATH_SAFE)}{query}"
    return HttpCall(call.method, address, call.headers, call.body)


def _with_grant(headers: dict[str, str], grant: Grant) -> dict[str, str]:
    return {**headers, **_named(dict(grant.headers))}


def _named(headers: dict[str, str]) -> dict[str, str]:
    """By their lower-case names; what frames a message is not for a descriptor to say."""
    return {name.lower(): value for name, value in headers.items() if name.lower() not in _FRAMING}


def _texts(value: Any) -> list[str]:
    return [in_words(item) for item in value] if isinstance(value, list) else [in_words(value)]


def _escaped(value: Any) -> str:
    return quote(in_words(value), safe="")


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(None if value is msgspec.UNSET else value)
