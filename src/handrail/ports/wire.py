"""The base of all objects on handrail's wires."""

import msgspec


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An object on the wire: in camelCase, without unset fields."""
