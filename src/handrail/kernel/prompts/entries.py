"""Entries of the prompt log as lines, and lines as entries. A line that says nothing to us is None, never an error."""

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
from handrail.kernel.prompts.rules import NewId, check_prompt
from handrail.ports.errors import InvalidParams, TooLarge
from handrail.ports.prompts import Entry, Prompt, RequestEntry, ResponseEntry

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

LONGEST_LINE = strict_json.MAX_BYTES
BOM = b"\xef\xbb\xbf"
"""Some programs begin a file with it."""

Action = Literal["request", "response"]


class Head(msgspec.Struct, gc=False, rename="camel"):
    """As much of a line as tells whose it is."""

    type: str = ""
    action: str = ""
    request_id: str = ""

    def is_of(self, action: Action, request_id: str) -> bool:
        return self.request_id == request_id and self.action == action and self.type == "ui_prompt"


_HEADS = msgspec.json.Decoder(Head)
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a line can raise."""


def read_head(line: bytes) -> Head | None:
    """None for what isn't a JSON object, or has something else than text where a head has text."""
    if len(line) > LONGEST_LINE:
        return None
    try:
        return _HEADS.decode(line.removeprefix(BOM))
    except UNREADABLE:
        return None


def read_request(line: bytes) -> RequestEntry | None:
    """None as well for an unknown kind, and for a prompt that breaks the contract."""
    value = _decoded(line, "request")
    if value is None:
        return None
    try:
        prompt = check_prompt(value.get("prompt"), _draft_ids(value["requestId"]))  # type: ignore[arg-type]
    except InvalidParams:
        return None
    return RequestEntry(
        ts=_text(value, "ts") or "", request_id=value["requestId"], run_id=_text(value, "runId"), prompt=prompt
    )


def read_answer(line: bytes, prompt: Prompt | None) -> ResponseEntry | None:
    """With the prompt, an ok that breaks its rules counts as canceled."""
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
    """Any text but the empty one, without control characters."""
    return isinstance(value, str) and bool(value) and _CONTROL.search(value) is None


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
    """For drafts that came without an id: every reader must give them the same ones."""
    numbers = count()
    return lambda: str(uuid5(NAMESPACE_OID, f"{request_id}#{next(numbers)}"))
