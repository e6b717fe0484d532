"""What came of a tool, in the words that a model gets: short, and marked where others than the person wrote it."""

import json
from typing import Any

import msgspec

from handrail.contract.errors import Failure
from handrail.contract.tool import Reply

MOST_CHARACTERS = 24_000
_OWN = frozenset({"people"})
"""Surfaces whose results are a person's own words."""


def worded(surface: str, tool: str, reply: Reply, kept_at: str | None) -> str:
    """`kept_at` names where the whole result lies."""
    text = reply.text if reply.text is not None else msgspec.json.encode(reply.result).decode()
    text = trimmed(text, kept_at)
    return text if surface in _OWN else untrusted(tool, text)


def untrusted(source: str, text: str) -> str:
    """The mark can't be closed from inside."""
    spelled = text.replace("</untrusted", "<\\/untrusted")
    return f"<untrusted source={json.dumps(source)}>\n{spelled}\n</untrusted>"


def trimmed(text: str, kept_at: str | None) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    left = len(text) - 2 * half
    where = f"; the whole is in {kept_at}" if kept_at else "; ask for less at a time"
    return f"{text[:half]}\n[… {left:,} characters left out{where} …]\n{text[-half:]}"


def refused(failure: Failure) -> str:
    error: dict[str, Any] = {"error": failure.message}
    if failure.hint is not None:
        error["hint"] = failure.hint
    if remark := failure.details.get("remark"):
        error["remark"] = remark
    return json.dumps(error, ensure_ascii=False)
