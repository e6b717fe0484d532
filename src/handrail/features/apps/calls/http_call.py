"""Converts a call to an HTTP app to a request, and the response to the contract's reply. Does no I/O."""

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import msgspec

from handrail.features.apps.calls.envelopes import MAX_REPLY, error_reply, success_reply
from handrail.features.apps.descriptors.templates import (
    fill_body,
    fill_header,
    fill_path,
    fill_text,
    placeholders_in,
    to_text,
)
from handrail.features.apps.model import App, AppRequest, AppTool, Grant, HttpExecution, HttpRoute
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams
from handrail.ports.prompts import MASK

_SHORTEST_SECRET = 6


def mask_credentials(reply: bytes, grant: Grant) -> bytes:
    """Masks the grant's secrets in a reply. InvalidParams if it isn't JSON, because secrets could hide in it."""
    secrets = _secrets(grant)
    if not secrets:
        return reply
    message = strict_json.decode(reply, max_bytes=MAX_REPLY)
    masked = _mask(message, secrets)
    return reply if masked is message else msgspec.json.encode(masked)


def _secrets(grant: Grant) -> list[str]:
    """The secrets with and without prefix and percent-encoding; the longest first, because one may contain another."""
    values = {word for value in (*grant.headers.values(), *grant.query.values()) for word in (value, _last_word(value))}
    variants = {text for value in values for text in (value, quote(value, safe=""))}
    return sorted((text for text in variants if len(text) >= _SHORTEST_SECRET), key=len, reverse=True)


def _last_word(value: str) -> str:
    return value.rpartition(" ")[2]


def _mask(value: Any, secrets: list[str]) -> Any:
    """Masks secrets in decoded strings, however they were escaped, including names of members."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, MASK) if secret in value else value
        return value
    if isinstance(value, list):
        items = [_mask(item, secrets) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        members = {_mask(name, secrets): _mask(item, secrets) for name, item in value.items()}
        is_same = all(name in members and members[name] is item for name, item in value.items())
        return value if is_same else members
    return value


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
    """InvalidParams: a value would lead to another address or break a header."""
    place = app.execution
    assert isinstance(place, HttpExecution)
    headers = {"accept": _JSON, **_normalized(place.default_headers)}
    if tool.route is None:
        headers["content-type"] = _JSON
        address = _address(place.base_url, None, [*grant.query.items()])
        return HttpCall("POST", address, _with_grant(headers, grant), msgspec.json.encode(request))
    route = tool.route
    path, query = fill_path(route.path, request.params)
    headers |= {name: fill_header(value, request.params) for name, value in _normalized(route.headers).items()}
    used = {*placeholders_in(route.path), *placeholders_in(route.headers)}
    rest = {name: value for name, value in request.params.items() if name not in used}
    body = None
    if route.body_template is not msgspec.UNSET:
        body = _body(route, headers, request.params)
    elif route.method in ("GET", "DELETE"):
        query += [(name, text) for name, value in rest.items() for text in _texts(value)]
    else:
        headers.setdefault("content-type", _JSON)
        is_form = headers["content-type"].startswith(_FORM)
        body = urlencode([(n, t) for n, v in rest.items() for t in _texts(v)]).encode() if is_form else _encoded(rest)
    address = _address(place.base_url, path, [*query, *grant.query.items()])
    return HttpCall(route.method, address, _with_grant(headers, grant), body)


def _body(route: HttpRoute, headers: dict[str, str], params: dict[str, Any]) -> bytes:
    template = route.body_template
    if isinstance(template, str):
        try:
            template = strict_json.decode(template)
        except InvalidParams:
            is_form = headers.setdefault("content-type", "text/plain; charset=utf-8").startswith(_FORM)
            return fill_text(route.body_template, params, _escape if is_form else to_text).encode()
    headers.setdefault("content-type", _JSON)
    return _encoded(fill_body(template, params))


def _address(base: str, path: str | None, query: list[tuple[str, str]]) -> str:
    """Always below the base URL: refuses `..` in any encoding, and other hosts."""
    parts = urlsplit(base)
    below = parts.path.rstrip("/") if path is not None else parts.path
    if path:
        below += "/" + quote(path.lstrip("/"), safe=_PATH_SAFE)
    # Some servers unescape paths, even twice.
    if "\\" in (plain := unquote(unquote(below))) or {".", ".."} & set(plain.split("/")):
        raise InvalidParams("A parameter would lead outside of the app's address.")
    text = urlencode(query)
    return f"{parts.scheme}://{parts.netloc}{below or '/'}{'?' + text if text else ''}"


def follow_redirect(call: HttpCall, status: int, location: str) -> HttpCall | None:
    """The call to the target of a redirect within the same origin; None if it must not be followed."""
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
    return {**headers, **_normalized(dict(grant.headers))}


def _normalized(headers: dict[str, str]) -> dict[str, str]:
    """Lower-case names, without headers that frame a message."""
    return {name.lower(): value for name, value in headers.items() if name.lower() not in _FRAMING}


def _texts(value: Any) -> list[str]:
    return [to_text(item) for item in value] if isinstance(value, list) else [to_text(value)]


def _escape(value: Any) -> str:
    return quote(to_text(value), safe="")


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(None if value is msgspec.UNSET else value)


_CODES = {
    400: "INVALID_PARAMS",
    401: "AUTH_REQUIRED",
    403: "PERMISSION_DENIED",
    408: "TIMEOUT",
    422: "INVALID_PARAMS",
    429: "SERVICE_UNAVAILABLE",
    502: "SERVICE_UNAVAILABLE",
    503: "SERVICE_UNAVAILABLE",
    504: "TIMEOUT",
}
_LONGEST_QUOTE = 300


def to_reply(status: int, content_type: str, body: bytes, tool: AppTool, request: AppRequest) -> bytes:
    if tool.route is None and (200 <= status < 300 or _is_envelope(body)):
        return body
    if 200 <= status < 300:
        return success_reply(request, _result(content_type, body))
    code, message = _error_from(body)
    summary = f"The app answered {status} {_phrase(status)}"
    text = f"{summary}: {message}" if message else summary
    return error_reply(request, code or _CODES.get(status, "INTERNAL_ERROR"), text)


def _result(content_type: str, body: bytes) -> Any:
    """JSON if it parses, whatever the content type; null if empty; otherwise the text as a string."""
    if not body.strip():
        return None
    try:
        return strict_json.decode(body, max_bytes=MAX_REPLY)
    except InvalidParams:
        if "json" in content_type:
            raise
        return body.decode(errors="replace")


def _error_from(body: bytes) -> tuple[str | None, str]:
    """The code and message of an error, in any of the forms that are in use."""
    try:
        message = strict_json.decode(body[:MAX_REPLY])
    except InvalidParams:
        return None, body[:_LONGEST_QUOTE].decode(errors="replace").strip()
    error = message.get("error", message) if isinstance(message, dict) else message
    if not isinstance(error, dict):
        return None, str(error)[:_LONGEST_QUOTE]
    code, text = error.get("code"), error.get("message", "")
    return code if isinstance(code, str) and code else None, str(text)[:_LONGEST_QUOTE]


def _is_envelope(body: bytes) -> bool:
    try:
        message = strict_json.decode(body, max_bytes=MAX_REPLY)
    except InvalidParams:
        return False
    return isinstance(message, dict) and {"version", "request_id", "status"} <= message.keys()


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "(not an HTTP status)"
