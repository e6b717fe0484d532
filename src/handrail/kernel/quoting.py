"""Marks untrusted text in messages to a model: long text is put in a fence, names are quoted.

A fence ends at a random number, which untrusted text can't know, so it can't pretend that the fence has ended.
"""

import json
import secrets

from handrail.kernel.visible import visible

_LONGEST_NAME = 160


def fence_text(text: str, what: str) -> str:
    """`text` is untrusted, `what` names its source. Invisible characters in it are escaped."""
    mark = 10**8 + secrets.randbelow(9 * 10**8)  # digits, because they take a model half as many tokens as letters
    return f"Untrusted {what} until {mark}:\n{visible(text)}\n{mark}"


def quote_text(text: str, longest: int = _LONGEST_NAME) -> str:
    return json.dumps(text if len(text) <= longest else text[: longest - 1] + "…", ensure_ascii=False)
