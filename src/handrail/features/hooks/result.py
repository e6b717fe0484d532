"""What the record says of a native call that was let through: handrail allowed it, and did nothing itself."""

import msgspec
from msgspec import UNSET, UnsetType


class Allowed(msgspec.Struct, frozen=True, rename="camel"):
    decision: str = "allowed"
    carried_out_by: str = "the client"
    expected: dict[str, str] | UnsetType = UNSET
    """What each changed file is to hold afterwards, as SHA-256; left out where only the client knows."""


ALLOWED = Allowed()
