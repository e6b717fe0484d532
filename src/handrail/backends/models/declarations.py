"""What models are told of tools, made once for as long as the same tools are offered.

Providers' libraries walk every schema of every tool again for each request, which takes a while for sixty of them; what
stands in `extra_body` they send as it is. Who has no such thing gets the definitions themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from handrail.contract.model import ToolOffer

Declare = Callable[[Sequence[ToolOffer]], dict[str, Any]]


class Declarations:
    """`declare` makes the members of a request's body; None: the library does."""

    def __init__(self, declare: Declare | None) -> None:
        self._declare = declare
        self._made: tuple[tuple[ToolOffer, ...], ModelRequestParameters, ModelSettings] | None = None

    def of(self, tools: Sequence[ToolOffer]) -> tuple[ModelRequestParameters, ModelSettings]:
        wanted = tuple(tools)
        if self._made is None or self._made[0] != wanted:
            self._made = wanted, *self._of(wanted)
        return self._made[1], self._made[2]

    def _of(self, tools: Sequence[ToolOffer]) -> tuple[ModelRequestParameters, ModelSettings]:
        if self._declare is None:
            return ModelRequestParameters(function_tools=[_definition(offer) for offer in tools]), ModelSettings()
        body = self._declare(tools) if tools else {}
        return ModelRequestParameters(), ModelSettings(extra_body=body)


def to_openai(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    return {"tools": [{"type": "function", "function": _function(offer)} for offer in tools], "tool_choice": "auto"}


def to_anthropic(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    declared = [
        {"name": offer.name, "description": offer.description, "input_schema": dict(offer.parameters)}
        for offer in tools
    ]
    return {"tools": declared, "tool_choice": {"type": "auto"}}


def _function(offer: ToolOffer) -> dict[str, Any]:
    return {"name": offer.name, "description": offer.description, "parameters": dict(offer.parameters)}


def _definition(offer: ToolOffer) -> ToolDefinition:
    return ToolDefinition(
        name=offer.name,
        parameters_json_schema=dict(offer.parameters),
        description=offer.description,
        strict=False,
    )
