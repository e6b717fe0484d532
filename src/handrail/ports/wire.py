"""What every object has that goes over a wire of ours."""

import msgspec


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An object on the wire: camelCase, and what is unset is left out."""
