"""Converts entries of the prompt log to lines and back. A line that isn't an entry gives None and never an error."""

import json
import re
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from typing import Any, Literal
from uuid import NAMESPACE_OID, uuid5

import msgspec
from msgspec import UNSET, UnsetType

from handrail.kernel import strict_json
from handrail.kernel.prompts.answer_rules import read_response
from handrail.kernel.prompts.members import is_unicode
from handrail.kernel.prompts.rules import NewId, check_prompt
from handrail.ports.errors import InvalidParams, TooLarge
from handrail.ports.prompt_entries import Entry, RequestEntry, ResponseEntry
from handrail.ports.prompts import Prompt, UnreadablePrompt

_SEAM = re.compile(rb"\}[ \t\r]*(?:\xef\xbb\xbf)?[ \t\r]*\{|[^\xbf]\{\"(?:ts|type)\":")
_START = re.compile(rb"\{\"(?:ts|type)\":")
"""In a JSON text the quotes would be escaped, so it isn't part of one."""
_MOST_TORN = 100
_JUNCTION = re.compile(rb"[ \t\r\n]*(?:\xef\xbb\xbf)?[ \t\r\n]*")
_VALUES = json.JSONDecoder()
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ufffd]")

LONGEST_LINE = strict_json.MAX_BYTES
BOM = b"\xef\xbb\xbf"
"""Some programs write it at the beginning of a file."""

Action = Literal["request", "response"]


class Head(msgspec.Struct, gc=False, rename="camel"):
    """The members of a line that identify its entry."""

    type: str = ""
    action: str = ""
    request_id: str = ""

    def is_of(self, action: Action, request_id: str) -> bool:
        return self.request_id == request_id and self.action == action and self.type == "ui_prompt"


_HEADS = msgspec.json.Decoder(Head)
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a line can raise."""


def read_head(line: bytes) -> Head | None:
    """None if the line isn't a JSON object, or if a member of the head isn't a string."""
    if len(line) > LONGEST_LINE:
        return None
    try:
        return _HEADS.decode(line.removeprefix(BOM))
    except UNREADABLE:
        return _lenient_head(line)


def _lenient_head(line: bytes) -> Head | None:
    """For objects that only lenient decoders accept: with lone surrogates or invalid UTF-8."""
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
        return msgspec.convert(value, Head) if isinstance(value, dict) else None
    except (ValueError, RecursionError, msgspec.ValidationError):
        return None


def split_entries(line: bytes) -> list[tuple[int, bytes]]:
    """The entries in a line with their offsets.

    There are several if a program has left out an LF, or has stopped within its line.
    """
    if _SEAM.search(line) is None:
        return [(0, line)]
    text, found, at, torn = line.decode("latin-1"), list[tuple[int, bytes]](), 0, 0  # one character a byte
    while (start := _after_blanks(line, at)) < len(line):
        try:
            _, at = _VALUES.raw_decode(text, start)
        except (ValueError, RecursionError):
            torn += 1
            next_start = _START.search(line, start + 1) if torn < _MOST_TORN else None
            at = len(line) if next_start is None else next_start.start()
        found.append((start if found else 0, line[start if found else 0 : at]))
    return found


def _after_blanks(line: bytes, at: int) -> int:
    blanks = _JUNCTION.match(line, at)
    return at if blanks is None else blanks.end()


def read_request(line: bytes) -> RequestEntry | None:
    """None without a usable requestId; a prompt that breaks the contract becomes an `UnreadablePrompt`."""
    head = read_head(line)
    if head is None or head.type != "ui_prompt" or head.action != "request" or not is_request_id(head.request_id):
        return None
    try:
        value = strict_json.decode(line.removeprefix(BOM))
    except InvalidParams as wrong:
        raw = line.decode("utf-8", "backslashreplace")
        return RequestEntry(ts="", request_id=head.request_id, prompt=UnreadablePrompt(raw=raw, reason=wrong.message))
    prompt: Prompt
    try:
        prompt = check_prompt(value.get("prompt"), _draft_ids(value["requestId"]))
    except InvalidParams as wrong:
        prompt = _unreadable(value.get("prompt"), wrong.message)
    return RequestEntry(
        ts=_text(value, "ts") or "", request_id=value["requestId"], run_id=_text(value, "runId"), prompt=prompt
    )


def _unreadable(prompt: Any, reason: str) -> UnreadablePrompt:
    """With its title and source, if it has them."""
    raw = json.dumps(prompt, ensure_ascii=False, indent=2)
    members = prompt if isinstance(prompt, dict) else {}
    return UnreadablePrompt(raw=raw, reason=reason, title=_text(members, "title"), source=_text(members, "source"))


def is_nameless_request(line: bytes) -> bool:
    """Whether it is a request without a usable requestId, which can't be answered."""
    head = read_head(line)
    is_request = head is not None and head.type == "ui_prompt" and head.action == "request"
    return is_request and head is not None and not is_request_id(head.request_id)


def read_answer(line: bytes, prompt: Prompt | None) -> ResponseEntry | None:
    """If the prompt is given, an ok that breaks its rules counts as canceled."""
    value = _decoded(line, "response")
    if value is None:
        return None
    return ResponseEntry(
        ts=_text(value, "ts") or "",
        request_id=value["requestId"],
        run_id=_text(value, "runId"),
        response=read_response(prompt, value.get("response"), _draft_ids(value["requestId"])),
    )


def read_entry(line: bytes) -> Entry | None:
    head = read_head(line)
    if head is None or head.type != "ui_prompt":
        return None
    return read_request(line) if head.action == "request" else read_answer(line, None)


def write_entry(entry: Entry) -> bytes:
    line = msgspec.json.encode(entry)
    if len(line) > LONGEST_LINE:
        raise TooLarge(f"The entry is longer than {LONGEST_LINE} bytes.", max_bytes=LONGEST_LINE)
    return line


def is_request_id(value: object) -> bool:
    """Any non-empty string without control characters and without replacement characters for invalid bytes."""
    return isinstance(value, str) and bool(value) and _CONTROL.search(value) is None and is_unicode(value)


def digest(line: bytes) -> str:
    return sha256(line).hexdigest()


def timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _decoded(line: bytes, action: Action) -> dict[str, Any] | None:
    try:
        value = strict_json.decode(line.removeprefix(BOM))
    except InvalidParams:
        return None
    if not isinstance(value, dict) or value.get("type") != "ui_prompt" or value.get("action") != action:
        return None
    return value if is_request_id(value.get("requestId")) else None


def _text(value: dict[str, Any], name: str) -> str | UnsetType:
    return value[name] if isinstance(value.get(name), str) else UNSET


def _draft_ids(request_id: str) -> NewId:
    """Generates ids for drafts without one; every reader has to generate the same."""
    numbers = count()
    return lambda: str(uuid5(NAMESPACE_OID, f"{request_id}#{next(numbers)}"))
