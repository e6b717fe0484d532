"""A call that acts, as others name it before it is made: to show what it means, and to issue a token for it."""

from dataclasses import dataclass
from typing import Any

import msgspec

from handrail.features.desktop.host.confirmation import params_digest
from handrail.features.desktop.host.methods import click, dismiss_modal, hotkey, type_text
from handrail.features.desktop.host.params import ConfirmedParams, Meta, Name, Wire, read
from handrail.features.desktop.host.routing import check_pattern
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.host.subject import Subject
from handrail.ports.errors import InvalidParams

ACTIONS = {action.name: action for action in (click.METHOD, type_text.METHOD, hotkey.METHOD, dismiss_modal.METHOD)}
_UNSHOWN = frozenset({"meta", "confirm"})


class Intent(Wire, frozen=True, kw_only=True):
    method: Name
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class IntendedCall:
    action: Action
    params: ConfirmedParams
    shown: dict[str, Any]
    """The parameters as they were given, for a person to see."""
    digest: str

    async def subject(self, services: Services) -> Subject:
        return await self.action.subject(services, self.params)


def read_intent(intent: Intent, meta: Meta) -> IntendedCall:
    """InvalidParams for what makes no sense, before anybody is asked about it."""
    action = ACTIONS.get(intent.method)
    if action is None:
        field = "params.intent.method"
        raise InvalidParams(f"{field}: this method needs no confirmation.", hint=", ".join(ACTIONS), field=field)
    shown = {name: value for name, value in intent.params.items() if name not in _UNSHOWN}
    at = "params.intent.params"
    params = read({**shown, "meta": msgspec.to_builtins(meta)}, action.params, at)
    check_pattern(params.route)
    action.check(params, at)
    return IntendedCall(action, params, shown, params_digest(shown))
