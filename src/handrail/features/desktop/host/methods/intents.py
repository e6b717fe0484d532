"""Intents: a call that acts, described before it is made, for locate and confirm.issue."""

from dataclasses import dataclass
from typing import Any

import msgspec

from handrail.features.desktop.host.confirmation import params_digest
from handrail.features.desktop.host.methods import actions, choices, dismiss_modal, pointer, window
from handrail.features.desktop.host.own_windows import refuse_own
from handrail.features.desktop.host.params import ConfirmedParams, Meta, Name, Wire, read
from handrail.features.desktop.host.routing import check_pattern
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
from handrail.ports.errors import InvalidParams

ACTIONS = {
    action.name: action
    for action in (
        actions.CLICK,
        actions.TYPE_TEXT,
        actions.HOTKEY,
        dismiss_modal.METHOD,
        pointer.METHOD,
        window.METHOD,
        choices.SET_VALUE,
        choices.MENU,
    )
}
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
        subject = await self.action.subject(services, self.params)
        await refuse_own(await services.source.get(), subject.window, subject.everything, acts=True)
        return subject


def read_intent(intent: Intent, meta: Meta) -> IntendedCall:
    """InvalidParams, before anybody is asked."""
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
