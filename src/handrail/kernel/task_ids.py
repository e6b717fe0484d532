"""Ids of tasks: a UUID or a ULID, optionally with the prefix `task_`."""

import re
import secrets
import time

from handrail.ports.errors import InvalidParams

_UUID = r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
_ULID = r"[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}"
PATTERN = f"^(?:task_)?(?:{_UUID}|{_ULID})$"
_TASK_ID = re.compile(f"(?:task_)?(?:{_UUID}|{_ULID})")
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_task_id() -> str:
    """A ULID, so that ids sort by time."""
    number = int(time.time() * 1000) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def validate_task_id(value: object, field: str = "taskId") -> str:
    if isinstance(value, str) and _TASK_ID.fullmatch(value):
        return value
    message = "must be a UUID or a ULID"
    raise InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])
