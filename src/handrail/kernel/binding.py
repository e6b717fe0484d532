"""What an approval and its one-time token are bound to: the caller, the tool, the parameters, and what was shown."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from handrail.kernel.call_state import CallState
from handrail.kernel.digest import digest
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Tool
from handrail.ports.tokens import TokenScope


def shown_target(target: Target, preview: Preview) -> Target:
    """The target that was shown: the page or window may have changed since it was located."""
    place = target.place if preview.place is None else preview.place
    return replace(target, place=place, app=preview.app or target.app)


def target_binding(tool: Tool[Any, Any], target: Target) -> Mapping[str, str]:
    """If the parameters don't determine the target, an approval is bound to the located one, such as the page."""
    return {} if tool.locate is None else {"target": msgspec.json.encode(target).decode()}


def digest_of(params: Any, binding: Mapping[str, str]) -> str:
    return digest({"params": msgspec.to_builtins(params), "binding": dict(binding)})


def approval_digest(params: Any, preview: Preview) -> str:
    """The digest that is approved, recorded and checked; if another program executes the call, that program's."""
    if preview.executor is not None and preview.warrant is not None:
        return preview.warrant.params_digest
    return digest_of(params, preview.binding)


def token_scope(state: CallState, preview: Preview) -> TokenScope:
    """What the call's one-time token is bound to."""
    assert state.params_digest is not None
    if preview.executor is not None and preview.warrant is not None:
        return TokenScope(preview.executor, preview.warrant.method, state.params_digest)
    return TokenScope(state.call.caller.identity, state.entry.tool.name, state.params_digest)
