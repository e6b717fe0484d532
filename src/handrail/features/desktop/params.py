"""Parameters that these tools share: those of contract 1's methods, without what the gate adds."""

from typing import Any

import msgspec

from handrail.features.desktop.host.params import Route, Wire


class DesktopParams(Wire, frozen=True, kw_only=True):
    pass


class RoutedParams(DesktopParams, frozen=True, kw_only=True):
    route: Route | None = None


def on_wire(params: msgspec.Struct) -> dict[str, Any]:
    """As the host takes them, and as their digest is taken: what is not given is not there."""
    given: dict[str, Any] = without_none(msgspec.to_builtins(params))
    return given


def without_none(value: Any) -> Any:
    """An element that was found comes back with `value: null`, and means by that that there is none."""
    if isinstance(value, dict):
        return {name: without_none(member) for name, member in value.items() if member is not None}
    return [without_none(item) for item in value] if isinstance(value, list | tuple) else value
