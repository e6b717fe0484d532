"""The digest of a value: SHA-256 over its canonical JSON (RFC 8785).

1 and 1.0, or the same keys in another order, are the same value and have the same digest.
"""

from hashlib import sha256
from typing import Any

from handrail.ports.errors import InvalidParams


def digest(value: Any) -> str:
    """All 64 hex digits; used for comparisons."""
    return sha256(canonical(value)).hexdigest()


def shorten(full: str) -> str:
    """The first 16 hex digits; sent on wires and never compared."""
    return full[:16]


def canonical(value: Any) -> bytes:
    """The value as canonical JSON (RFC 8785)."""
    import rfc8785  # takes 15 ms to import, and not every process needs it

    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        raise InvalidParams(f"The value has no canonical form: {error}.") from None
    except UnicodeEncodeError:
        raise InvalidParams("The value has no canonical form: a key contains a lone surrogate.") from None
    except RecursionError:
        raise InvalidParams("The value has no canonical form: it nests too deep.") from None
