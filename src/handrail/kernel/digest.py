"""What a value is known by: SHA-256 over its one canonical spelling (RFC 8785).

1 and 1.0, or the same keys in another order, are one value and have one digest. Knows nothing
of what the value means; which members to leave out is the caller's business.
"""

from hashlib import sha256
from typing import Any

from handrail.ports.errors import InvalidParams


def digest(value: Any) -> str:
    """All 64 hex digits: what is compared inside."""
    return sha256(canonical(value)).hexdigest()


def shorten(full: str) -> str:
    """The first 16 hex digits: what goes out on a wire, and is never compared."""
    return full[:16]


def canonical(value: Any) -> bytes:
    """The value as RFC 8785 spells it."""
    import rfc8785  # costs 15 ms, and not every process takes a digest

    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        raise InvalidParams(f"The value has no canonical form: {error}.") from None
    except UnicodeEncodeError:
        raise InvalidParams("The value has no canonical form: a key contains a lone surrogate.") from None
    except RecursionError:
        raise InvalidParams("The value has no canonical form: it nests too deep.") from None
