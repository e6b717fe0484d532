"""What came of a tool, in the words that a model gets: short, and marked where others than the person wrote it."""

import json
import re

import msgspec

from handrail.contract.errors import Failure
from handrail.contract.model import ToolUse
from handrail.contract.tool import Reply

MOST_CHARACTERS = 24_000
_MARK = re.compile(r'^<untrusted source="[^\n]*">\n|\n</untrusted>$', re.MULTILINE)
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


def unmarked(text: str) -> str:
    """For people, who see where it comes from."""
    return _MARK.sub("", text)


def trimmed(text: str, kept_at: str | None) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    left = len(text) - 2 * half
    where = f"; the whole is in {kept_at}" if kept_at else ""
    return f"{text[:half]}\n[… {left:,} characters left out{where}; ask for less at a time …]\n{text[-half:]}"


def kept_whole(execution_id: str) -> str:
    """How the evidence is named to the model, which can't read it, and to the person, who can."""
    return f"the evidence {execution_id}/result.json, which the person can open"


def refused(failure: Failure) -> str:
    """What went wrong, what to change, and what a person remarked."""
    lines = [failure.message]
    if failure.hint is not None:
        lines.append(f"Hint: {failure.hint}")
    if remark := failure.details.get("remark"):
        lines.append(f"The person remarks: {remark}")
    return "\n".join(lines)


def result_of(use: ToolUse) -> str:
    """What `attempt_completion` tells."""
    try:
        given = json.loads(use.arguments)
    except ValueError:
        return ""
    return str(given.get("result", "")) if isinstance(given, dict) else ""
