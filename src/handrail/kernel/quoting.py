"""Foreign text inside what we say to a model: fenced off where it is long, quoted where it is a name.

A fence ends at a random number that nobody else can know, so no foreign text can pretend that it has ended.
"""

import json
import secrets

from handrail.kernel.visible import visible

_LONGEST_NAME = 160


def fence_text(text: str, what: str) -> str:
    """`text` is foreign, `what` says whose. What can't be seen in it is spelled out."""
    mark = 10**8 + secrets.randbelow(9 * 10**8)  # in digits, which cost a model half of what letters do
    return f"Untrusted {what} until {mark}:\n{visible(text)}\n{mark}"


def quote_text(text: str, longest: int = _LONGEST_NAME) -> str:
    return json.dumps(text if len(text) <= longest else text[: longest - 1] + "…", ensure_ascii=False)
