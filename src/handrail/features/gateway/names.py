"""What servers' tools are called: `github.create_issue` in rules and records, `github__create_issue` for clients."""

import re
from hashlib import sha256

_LONGEST = 64
_DIGITS = 8
_UNUSUAL = re.compile(r"[^A-Za-z0-9_-]")


def rule_name(server: str, key: str) -> str:
    """A server's name has no dot, so it ends at the first one; no tool of ours has one."""
    return f"{server}.{key}"


def listed_name(server: str, name: str) -> str:
    """At most 64 of the characters that every client takes; a name that had to be changed ends in its digest."""
    whole = f"{server}__{name}"
    plain = _UNUSUAL.sub("_", whole)
    if plain == whole and len(whole) <= _LONGEST:
        return whole
    digest = sha256(whole.encode()).hexdigest()[:_DIGITS]
    return f"{plain[: _LONGEST - _DIGITS - 1]}_{digest}"
