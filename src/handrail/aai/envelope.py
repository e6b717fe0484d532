"""The contract's messages: reads requests, writes results and errors."""

import re
from typing import Any, NoReturn

import msgspec

from handrail.kernel.strict_json import decode
from handrail.ports.errors import InvalidParams

VERSION = "1.0"
MAX_REQUEST = 32 * 1024 * 1024
# The gateway's limit; it would refuse a longer reply.
MAX_REPLY = 16 * 1024 * 1024

INVALID_REQUEST = "INVALID_REQUEST"
UNKNOWN_TOOL = "UNKNOWN_TOOL"
INVALID_PARAMS = "INVALID_PARAMS"
INTERNAL_ERROR = "INTERNAL_ERROR"

_CODE = re.compile(r"[A-Z][A-Z0-9_]*")


class AppError(Exception):
    """What a tool raises to answer with an error of its own: `raise app.Error("NO_SUCH_NOTE", "No note 7.")`."""

    def __init__(self, code: str, message: str) -> None:
        if not _CODE.fullmatch(code):
            raise ValueError(f"{code!r} isn't an error code: capitals, digits and _ only, such as NO_SUCH_NOTE.")
        super().__init__(message)
        self.code = code
        self.message = message


class BadRequest(AppError):
    """INVALID_REQUEST, with the request's id if it could be read."""

    def __init__(self, message: str, request_id: str = "") -> None:
        super().__init__(INVALID_REQUEST, message)
        self.request_id = request_id


class Request(msgspec.Struct, frozen=True):
    tool: str
    params: dict[str, Any]
    request_id: str


class _Named(msgspec.Struct):
    request_id: str


def id_of(text: str) -> str:
    """The id by which a request may be cancelled; "" if it has none."""
    try:
        return _NAMED.decode(text).request_id
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return ""


def read_request(text: str | bytes) -> Request:
    """The request, or BadRequest. Unknown members are ignored, for later versions of the contract."""
    try:
        value = decode(text, max_bytes=MAX_REQUEST)
    except InvalidParams as wrong:
        raise BadRequest(wrong.message) from None
    if not isinstance(value, dict):
        raise BadRequest("A request is a JSON object.")
    known_id = value.get("request_id")
    request_id = known_id if isinstance(known_id, str) else ""

    def refuse(message: str) -> NoReturn:
        raise BadRequest(message, request_id)

    for name, type, message in _MEMBERS:
        if name not in value:
            refuse(f"`{name}` is missing: it is {message}.")
        if not isinstance(value[name], type):
            refuse(f"`{name}` must be {message}.")
    if value["version"].partition(".")[0] != VERSION.partition(".")[0]:
        refuse(f"Version {value['version']!r} is not spoken here: `version` is {VERSION!r}.")
    return Request(value["tool"], value["params"], request_id)


def success(request_id: str, result: Any) -> str:
    """The reply's text. Raises for values that JSON can't express or receivers refuse."""
    reply = {"version": VERSION, "request_id": request_id, "status": "success", "result": result}
    text = msgspec.json.encode(reply)
    if len(text) > MAX_REPLY:
        raise ValueError(f"the result has {len(text)} bytes, more than the {MAX_REPLY} that a reply may have")
    return text.decode()


def failure(request_id: str, code: str, message: str) -> str:
    """The reply's text. Invalid characters in the message are escaped."""
    text = message.encode(errors="backslashreplace").decode()
    error = {"code": code, "message": text}
    reply = {"version": VERSION, "request_id": request_id, "status": "error", "error": error}
    return msgspec.json.encode(reply).decode()


_MEMBERS = (
    ("request_id", str, "a string"),
    ("version", str, f'the string "{VERSION}"'),
    ("tool", str, "the name of a tool"),
    ("params", dict, "an object"),
)
_NAMED = msgspec.json.Decoder(_Named)
