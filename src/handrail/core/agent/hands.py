"""Carries out what a model wishes for: through the gate like everybody's calls."""

from typing import Any

from handrail.contract.agent import Mode
from handrail.contract.call import Call, Caller, Progress
from handrail.contract.errors import Failure, InvalidParams
from handrail.contract.model import Returned, ToolUse
from handrail.core import strict_json
from handrail.core.agent.offers import is_offered
from handrail.core.agent.sight import pictures_in
from handrail.core.agent.wording import MOST_CHARACTERS, kept_whole, refused, worded, worded_as_kept
from handrail.core.gate import Gate
from handrail.core.registry import Registered

MAX_ARGUMENTS = 8 * 1024 * 1024


class Hands:
    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def use(self, task_id: str, use: ToolUse, mode: Mode, caller: Caller, progress: Progress) -> Returned:
        """An error is an outcome too: the model reads it and goes on."""
        registry, speaker = self._gate.registry, None
        try:
            entry = registry.find(use.name)
            if not is_offered(registry, use.name, mode):
                raise InvalidParams(f"{use.name} is not there in {mode} mode.", hint=_why_not(mode))
            params = strict_json.decode((use.arguments or "{}").encode(), max_bytes=MAX_ARGUMENTS)
            call = Call(use.name, params, caller, task_id, progress=progress, execution_id=use.execution_id)
            call.keeps_longer_than = MOST_CHARACTERS
            speaker = _speaker(entry, params)
            reply = await self._gate.run(call)
        except Failure as failure:
            return Returned(use.id, use.execution_id, use.name, refused(failure, speaker, use.name), is_error=True)
        surface, kept_at = entry.surface.name, kept_whole(use.execution_id)
        text, secret = worded(surface, use.name, reply, kept_at), ""
        if reply.kept_result is not None:
            text, secret = worded_as_kept(surface, use.name, reply.kept_result, kept_at), text
        pictures, left_out = pictures_in(reply.content)
        return Returned(
            use.id,
            use.execution_id,
            use.name,
            text + left_out,
            unkept=secret,
            taken=len(pictures),
            pictures=pictures,
        )


def _speaker(entry: Registered, params: Any) -> str | None:
    """The surface that would tell what went wrong; None: the parameters make no sense, which is told before it."""
    try:
        entry.read_params(params)
    except InvalidParams:
        return None
    return entry.surface.name


def _why_not(mode: Mode) -> str:
    return "Write the plan; the person confirms it first." if mode == "plan" else "It is for people alone."
