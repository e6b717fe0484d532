"""An app that says back what it was let in with must not make a log of it: such words are left out of its reply."""

from typing import Any
from urllib.parse import quote

import msgspec

from handrail.features.apps.calls.envelopes import MAX_REPLY
from handrail.features.apps.model import Grant
from handrail.kernel import strict_json
from handrail.ports.prompts import MASK

_SHORTEST_SECRET = 6


def without_echo(reply: bytes, grant: Grant) -> bytes:
    """Itself where it has none. InvalidParams: it is no JSON, so nobody can tell what it spells."""
    secrets = _secrets(grant)
    if not secrets:
        return reply
    said = strict_json.decode(reply, max_bytes=MAX_REPLY)
    masked = _masked(said, secrets)
    return reply if masked is said else msgspec.json.encode(masked)


def _secrets(grant: Grant) -> list[str]:
    """Alone or behind their prefix, and as they stand in an address; the longest first, for one may hold another."""
    values = {word for value in (*grant.headers.values(), *grant.query.values()) for word in (value, _last(value))}
    spelled = {text for value in values for text in (value, quote(value, safe=""))}
    return sorted((text for text in spelled if len(text) >= _SHORTEST_SECRET), key=len, reverse=True)


def _last(value: str) -> str:
    return value.rpartition(" ")[2]


def _masked(value: Any, secrets: list[str]) -> Any:
    """In texts as they are meant, however they were escaped; names of members are texts, too."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, MASK) if secret in value else value
        return value
    if isinstance(value, list):
        items = [_masked(item, secrets) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        members = {_masked(name, secrets): _masked(item, secrets) for name, item in value.items()}
        is_same = all(name in members and members[name] is item for name, item in value.items())
        return value if is_same else members
    return value
