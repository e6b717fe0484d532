"""What came of a tool, in the words that a model gets: short, and marked where others than the person wrote it."""

import json
import re
from typing import Any

import msgspec

from handrail.contract.errors import Aborted, BadAnswer, Declined, Disabled, Failure, Reported
from handrail.contract.model import ToolUse
from handrail.contract.prompts import MASK
from handrail.contract.tool import Reply

MOST_CHARACTERS = 24_000
_WHAT_THE_MASK_MEANS = f"\n[{MASK} stands for a secret that is not kept. Where you need it again, ask for it again.]"
_GATES = (Declined, Disabled, Aborted)
"""What the gate says for itself, whatever the surface."""
_MARK = re.compile(r'^<untrusted source="[^\n]*">\n|\n</untrusted>$', re.MULTILINE)
_OWN = frozenset({"people"})
"""Surfaces whose results are a person's own words."""
_FOREIGN = frozenset({"browser", "desktop", "apps", "webgal"})
"""Surfaces whose errors may be told in a page's, a window's or an app's own words."""
_LOOKS_LIKE_A_MARK = re.compile(r"<(?=\s*(?:/\s*)?untrusted)", re.IGNORECASE)
_OPENS = re.compile(r"^<untrusted source=", re.MULTILINE)
_CLOSES = re.compile(r"^</untrusted>$", re.MULTILINE)


def worded(surface: str, tool: str, reply: Reply, kept_at: str | None) -> str:
    """`kept_at` names where the whole result lies."""
    text = reply.text if reply.text is not None else msgspec.json.encode(reply.result).decode()
    text = trimmed(text, kept_at)
    return text if surface in _OWN else untrusted(tool, text)


def worded_as_kept(surface: str, tool: str, kept: Any, kept_at: str | None) -> str:
    """What of a secret result stays, also for a model that reads it after a restart."""
    text = worded(surface, tool, Reply(kept), kept_at)
    return text + _WHAT_THE_MASK_MEANS if MASK in text else text


def untrusted(source: str, text: str) -> str:
    """The mark can't be closed from inside, nor by the name of the source."""
    named = json.dumps(source).replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<untrusted source={named}>\n{_LOOKS_LIKE_A_MARK.sub('<_', text)}\n</untrusted>"


def is_open(text: str) -> bool:
    """Whether it ends inside of a mark."""
    return len(_OPENS.findall(text)) > len(_CLOSES.findall(text))


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


def refused(failure: Failure, surface: str | None, tool: str) -> str:
    """What went wrong, what to change, and what a person remarked. Without a `surface` it did not get there."""
    hint = "" if failure.hint is None else f"\nHint: {failure.hint}"
    told = f"{failure.message}{hint}"
    if isinstance(failure, Reported | BadAnswer) or (surface in _FOREIGN and not isinstance(failure, _GATES)):
        told = f"{tool} failed:\n{untrusted(tool, trimmed(told, None))}"
    remark = failure.details.get("remark") if isinstance(failure, Declined) else None
    return f"{told}\nThe person remarks: {remark}" if remark else told


def result_of(use: ToolUse) -> str:
    """What `attempt_completion` tells."""
    try:
        given = json.loads(use.arguments)
    except ValueError:
        return ""
    return str(given.get("result", "")) if isinstance(given, dict) else ""
