"""Names of servers' tools: `github.create_issue` in rules and records, `github__create_issue` for clients."""

import re
from hashlib import sha256

_LONGEST = 64
_DIGITS = 8
_UNUSUAL = re.compile(r"[^A-Za-z0-9_-]")


def rule_name(server: str, key: str) -> str:
    """Unambiguous: server names contain no dot, and neither do handrail's own tools."""
    return f"{server}.{key}"


def listed_name(server: str, name: str) -> str:
    """At most 64 characters that every client accepts; a name that had to be changed ends in a digest."""
    name = f"{server}__{name}"
    plain = _UNUSUAL.sub("_", name)
    if plain == name and len(name) <= _LONGEST:
        return name
    digest = sha256(name.encode()).hexdigest()[:_DIGITS]
    return f"{plain[: _LONGEST - _DIGITS - 1]}_{digest}"
