"""The tools that a model is offered, and its calls to them, which go through the gate like any other call."""

from collections.abc import Sequence
from typing import Any

import msgspec

from handrail.features.agent.pictures import pictures_in
from handrail.features.agent.texts import MOST_CHARACTERS, kept_whole, refused, worded, worded_as_kept
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

MAX_ARGUMENTS = 8 * 1024 * 1024
_LEFT_OUT = frozenset({"$id", "$schema", "oneOf", "anyOf", "allOf"})
"""At a schema's root many providers refuse these; they are enforced at validation all the same."""
_BEGUN_ELSEWHERE = "Another server was cut off in this call: whether it was carried out is not known."
_HARMLESS = frozenset({Effect.READ, Effect.ASK})


class ToolOffers:
    """A short list, and the finder for all other tools: models read the list with every request.

    Each offer is made once, so that the same tools are the same object.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._made: dict[str, tuple[Tool[Any, Any], ToolOffer]] = {}

    def in_mode(self, mode: Mode) -> Sequence[ToolOffer]:
        """Plan mode offers only tools that change nothing, whatever their parameters, and the finder."""
        offered = (entry for entry in self._registry.listed if mode == "act" or _only_looks(entry) or _finds(entry))
        return [self._offer(entry) for entry in offered]

    def _offer(self, entry: RegisteredTool) -> ToolOffer:
        tool = entry.tool
        made = self._made.get(tool.name)
        if made is None or made[0] is not tool:
            schema = {key: value for key, value in tool.input_schema.items() if key not in _LEFT_OUT}
            made = self._made[tool.name] = tool, ToolOffer(tool.listed_name, tool.description, schema)
        return made[1]


def is_offered(registry: Registry, name: str, mode: Mode) -> bool:
    return any(name in entry.tool.names for entry in registry if mode == "act" or _only_looks(entry))


def meant(registry: Registry, name: str, params: Any) -> tuple[RegisteredTool, Any]:
    """The tool that a call is about, and its parameters: a finder's call is about the tool that it names. Failure."""
    entry = registry.find(name)
    if not _finds(entry) or entry.tool.forwards_to is None:
        return entry, params
    name, params = entry.tool.forwards_to(entry.surface.port, params)
    return registry.find(name), params


def effect_of(registry: Registry, use: ToolUse) -> str | None:
    """The effect with these parameters; the strongest if they are invalid, None for an unknown tool."""
    try:
        entry, params = meant(registry, use.name, msgspec.json.decode(use.arguments or "{}"))
    except NotFound:
        return None
    except (Failure, msgspec.DecodeError):
        return registry.find(use.name).tool.strongest_effect.value
    try:
        return entry.tool.effect_of(entry.read_params(params)).value
    except Failure:
        return entry.tool.strongest_effect.value


def _only_looks(entry: RegisteredTool) -> bool:
    return entry.tool.strongest_effect in _HARMLESS


def _finds(entry: RegisteredTool) -> bool:
    return entry.tool.finds_tools


class ToolRunner:
    """With `once`, which servers have in common, one of them alone carries a call out that changes something."""

    def __init__(self, gate: Gate, once: OneTimeClaims | None = None) -> None:
        self._gate = gate
        self._once = once

    async def run(self, task_id: str, use: ToolUse, mode: Mode, caller: Caller, progress: Progress) -> ToolResult:
        """An error is an outcome too: the model reads it and goes on."""
        registry, speaker, name = self._gate.registry, None, use.name
        try:
            params = strict_json.decode((use.arguments or "{}").encode(), max_bytes=MAX_ARGUMENTS)
            entry, params = meant(registry, use.name, params)
            name = entry.tool.listed_name
            if not is_offered(registry, name, mode):
                raise InvalidParams(f"{name} is not there in {mode} mode.", hint=_why_not(mode))
            call = Call(name, params, caller, task_id, progress=progress, execution_id=use.execution_id)
            call.max_reply_chars = MOST_CHARACTERS
            if self._once is not None:
                call.before_change = _Claim(self._once, use.execution_id).take
            speaker = _speaker(entry, params)
            reply = await self._gate.run(call)
        except Failure as failure:
            return ToolResult(use.id, use.execution_id, use.name, refused(failure, speaker, name), is_error=True)
        surface, kept_at = entry.surface.name, kept_whole(use.execution_id)
        text, secret = worded(surface, name, reply, kept_at), ""
        if reply.kept_result is not None:
            text, secret = worded_as_kept(surface, name, reply.kept_result, kept_at), text
        pictures, left_out = pictures_in(reply.content)
        return ToolResult(
            use.id,
            use.execution_id,
            use.name,
            text + left_out,
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
        """Conflict: a server that was cut off has begun this very call, and may still go on with it."""
        self._is_ours = self._is_ours or await self._once.claim(f"run {self._execution_id}")
        if not self._is_ours:
            raise Conflict(_BEGUN_ELSEWHERE, hint="Look at how things stand.", executionId=self._execution_id)


def _speaker(entry: RegisteredTool, params: Any) -> str | None:
    """The surface whose dialect describes the error; None if the parameters were invalid before that."""
    try:
        entry.read_params(params)
    except InvalidParams:
        return None
    return entry.surface.name


def _why_not(mode: Mode) -> str:
    return "Write the plan; the person confirms it first." if mode == "plan" else "It is for people alone."
