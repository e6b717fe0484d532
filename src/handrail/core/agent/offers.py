"""The tools that a model is offered in a mode, in the form that models read."""

from collections.abc import Sequence

import msgspec

from handrail.contract.agent import Mode
from handrail.contract.effect import Effect
from handrail.contract.errors import Failure, NotFound
from handrail.contract.model import ToolOffer, ToolUse
from handrail.core.registry import Registered, Registry

_LEFT_OUT = frozenset({"$id", "$schema", "oneOf", "anyOf", "allOf"})
"""At a schema's root many providers refuse these; they are enforced at validation all the same."""
_HARMLESS = frozenset({Effect.READ, Effect.ASK})


class Offers:
    """Each made once: who is offered the same tools again sees that they are the same."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._made: dict[str, ToolOffer] = {}

    def in_mode(self, mode: Mode) -> Sequence[ToolOffer]:
        """In plan mode only what changes nothing, whatever its parameters."""
        return [self._offer(entry) for entry in self._registry if mode == "act" or _only_looks(entry)]

    def _offer(self, entry: Registered) -> ToolOffer:
        tool = entry.tool
        if tool.name not in self._made:
            schema = {key: value for key, value in tool.input_schema.items() if key not in _LEFT_OUT}
            self._made[tool.name] = ToolOffer(tool.name, tool.description, schema)
        return self._made[tool.name]


def is_offered(registry: Registry, name: str, mode: Mode) -> bool:
    return any(entry.tool.name == name for entry in registry if mode == "act" or _only_looks(entry))


def effect_of(registry: Registry, use: ToolUse) -> str | None:
    """With these parameters; the strongest, where they make no sense; None of an unknown tool."""
    try:
        entry = registry.find(use.name)
    except NotFound:
        return None
    try:
        return entry.tool.effect_of(entry.read_params(msgspec.json.decode(use.arguments or "{}"))).value
    except (Failure, msgspec.DecodeError):
        return entry.tool.strongest_effect.value


def _only_looks(entry: Registered) -> bool:
    return entry.tool.strongest_effect in _HARMLESS
