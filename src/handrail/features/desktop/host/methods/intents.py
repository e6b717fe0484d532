"""Intents: calls that act, described before they are made, for locate and confirm.issue."""

from dataclasses import dataclass
from typing import Any

from handrail.features.desktop.host.confirmation import params_digest
from handrail.features.desktop.host.methods import dismiss_modal, fields, hotkey, pointer, window
from handrail.features.desktop.host.own_windows import refuse_own_window
from handrail.features.desktop.host.params import ActingHeader, Name, RoutedParams, Wire, read
from handrail.features.desktop.host.routing import check_pattern
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
from handrail.ports.errors import InvalidParams

ACTIONS = {
    action.name: action
    for action in (
        pointer.CLICK,
        fields.TYPE_TEXT,
        hotkey.METHOD,
        dismiss_modal.METHOD,
        pointer.POINTER,
        window.WINDOW,
        fields.SET_VALUE,
        window.MENU,
    )
}
_NOT_SHOWN = frozenset({"meta", "confirm"})
_HEADER = frozenset(ActingHeader.__struct_encode_fields__)


class Intent(Wire, frozen=True, kw_only=True):
    method: Name
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class IntendedCall:
    action: Action
    params: RoutedParams
    shown_params: dict[str, Any]
    """The parameters as the caller sent them, for a person to read."""
    digest: str

    async def subject(self, services: Services) -> Subject:
        subject = await self.action.subject(services, self.params)
        await refuse_own_window(await services.source.get(), subject.window, subject.all_windows, acts=True)
        return subject


def read_intent(intent: Intent) -> IntendedCall:
    """Checks an intent, before a person is asked. InvalidParams."""
    action = ACTIONS.get(intent.method)
    if action is None:
        field = "params.intent.method"
        raise InvalidParams(f"{field}: this method needs no confirmation.", hint=", ".join(ACTIONS), field=field)
    shown_params = {name: value for name, value in intent.params.items() if name not in _NOT_SHOWN}
    at = "params.intent.params"
    params = read({name: value for name, value in shown_params.items() if name not in _HEADER}, action.params, at)
    check_pattern(params.route)
    action.check(params, at)
    return IntendedCall(action, params, shown_params, params_digest(shown_params))
