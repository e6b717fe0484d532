"""Offers tools to the model, and runs its calls through the gate like any other call."""

from collections.abc import Sequence
from typing import Any

import msgspec

from handrail.features.agent.pictures import pictures_in
from handrail.features.agent.texts import (
    MAX_RESULT_LENGTH,
    error_text,
    full_result_note,
    redacted_result_text,
    result_text,
)
from handrail.kernel import strict_json
from handrail.kernel.call import Call, Progress
from handrail.kernel.gate import Gate
from handrail.kernel.registry import RegisteredTool, Registry
from handrail.kernel.tool import Tool
from handrail.ports.agent import Mode
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, Failure, InvalidParams, NotFound
from handrail.ports.identity import Caller
from handrail.ports.model import ToolOffer, ToolResult, ToolUse
from handrail.ports.tokens import OneTimeClaims
from handrail.ports.unreadable_json import UNREADABLE_JSON

MAX_ARGUMENT_BYTES = 8 * 1024 * 1024
_UNSUPPORTED_AT_ROOT = frozenset({"$id", "$schema", "oneOf", "anyOf", "allOf"})
"""Many providers refuse these at a schema's root. Validation enforces them anyway."""
_BEGUN_ELSEWHERE = "Another server was interrupted during this call: it may have been done, or not."
_HARMLESS = frozenset({Effect.READ, Effect.ASK})


class ToolOffers:
    """The tools for the model: a short list, since it is sent with every request, and a finder for all other tools.

    Offers are cached, so that the same tool is always the same object.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._offers: dict[str, tuple[Tool[Any, Any], ToolOffer]] = {}

    def in_mode(self, mode: Mode) -> Sequence[ToolOffer]:
        """In plan mode, only the finder and tools that never change anything."""
        return [
            self._offer(entry)
            for entry in self._registry.listed
            if mode == "act" or _is_harmless(entry) or entry.tool.finds_tools
        ]

    def _offer(self, entry: RegisteredTool) -> ToolOffer:
        tool = entry.tool
        cached = self._offers.get(tool.name)
        if cached is None or cached[0] is not tool:
            schema = {key: value for key, value in tool.input_schema.items() if key not in _UNSUPPORTED_AT_ROOT}
            cached = self._offers[tool.name] = tool, ToolOffer(tool.listed_name, tool.description, schema)
        return cached[1]


def is_offered(registry: Registry, name: str, mode: Mode) -> bool:
    return any(name in entry.tool.names for entry in registry if mode == "act" or _is_harmless(entry))


def resolve_call(registry: Registry, name: str, params: Any) -> tuple[RegisteredTool, Any]:
    """The tool that is really called, and its parameters: the finder forwards to another tool. Raises Failure."""
    entry = registry.find(name)
    if not entry.tool.finds_tools or entry.tool.forwards_to is None:
        return entry, params
    name, params = entry.tool.forwards_to(entry.surface.port, params)
    return registry.find(name), params


def effect_of(registry: Registry, use: ToolUse) -> str | None:
    """The effect of a call; the tool's strongest if the parameters are invalid, None for an unknown tool."""
    try:
        entry, params = resolve_call(registry, use.name, msgspec.json.decode(use.arguments or "{}"))
    except NotFound:
        return None
    except (Failure, *UNREADABLE_JSON):
        return registry.find(use.name).tool.strongest_effect.value
    try:
        return entry.tool.effect_of(entry.read_params(params)).value
    except Failure:
        return entry.tool.strongest_effect.value


def _is_harmless(entry: RegisteredTool) -> bool:
    return entry.tool.strongest_effect in _HARMLESS


class ToolRunner:
    """`once` is shared by a team's servers, so that only one of them runs a call that changes something."""

    def __init__(self, gate: Gate, once: OneTimeClaims | None = None) -> None:
        self._gate = gate
        self._once = once

    async def run(self, task_id: str, use: ToolUse, mode: Mode, caller: Caller, progress: Progress) -> ToolResult:
        """Errors become results, too, which the model reads."""
        registry, surface, name = self._gate.registry, None, use.name
        try:
            params = strict_json.decode((use.arguments or "{}").encode(), max_bytes=MAX_ARGUMENT_BYTES)
            entry, params = resolve_call(registry, use.name, params)
            name = entry.tool.listed_name
            if not is_offered(registry, name, mode):
                raise InvalidParams(f"{name} isn't available in {mode} mode.", hint=_how_to_proceed(mode))
            call = Call(name, params, caller, task_id, progress=progress, execution_id=use.execution_id)
            call.max_reply_chars = MAX_RESULT_LENGTH
            if self._once is not None:
                call.before_change = _Claim(self._once, use.execution_id).take
            surface = _surface(entry, params)
            reply = await self._gate.run(call)
        except Failure as failure:
            return ToolResult(use.id, use.execution_id, use.name, error_text(failure, surface, name), is_error=True)
        surface, full_result = entry.surface.name, full_result_note(use.execution_id)
        text, secret = result_text(surface, name, reply, full_result), ""
        if reply.kept_result is not None:
            text, secret = redacted_result_text(surface, name, reply.kept_result, full_result), text
        pictures, note = pictures_in(reply.content)
        return ToolResult(
            use.id,
            use.execution_id,
            use.name,
            text + note,
            unkept=secret,
            taken=len(pictures),
            pictures=pictures,
        )


class _Claim:
    def __init__(self, once: OneTimeClaims, execution_id: str) -> None:
        self._once = once
        self._execution_id = execution_id
        self._is_ours = False

    async def take(self) -> None:
        """Raises Conflict if another server has begun this call: it was interrupted, but may still be running it."""
        self._is_ours = self._is_ours or await self._once.claim(f"run {self._execution_id}")
        if not self._is_ours:
            raise Conflict(_BEGUN_ELSEWHERE, hint="Check the current state.", executionId=self._execution_id)


def _surface(entry: RegisteredTool, params: Any) -> str | None:
    """The surface whose words an error may contain; None if the parameters are invalid, so that it is never reached."""
    try:
        entry.read_params(params)
    except InvalidParams:
        return None
    return entry.surface.name


def _how_to_proceed(mode: Mode) -> str:
    return "Write the plan; the person confirms it first." if mode == "plan" else "Only people can use it."
