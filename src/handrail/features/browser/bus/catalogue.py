"""All browser actions, and the checks before they are sent to a plugin."""

from collections.abc import Iterable, Mapping
from typing import Any

from handrail.features.browser.bus import input_actions, page_actions, tab_actions
from handrail.features.browser.bus.browser_action import MAX_TIMEOUT_MS, ArtifactSlot, BrowserAction
from handrail.ports.browser import Actions
from handrail.ports.effect import Effect
from handrail.ports.errors import InvalidParams

MAX_ACTIONS = 16

ACTIONS: Mapping[str, BrowserAction[Any, Any]] = {
    declared.name: declared
    for module in (tab_actions, page_actions, input_actions)
    for declared in vars(module).values()
    if isinstance(declared, BrowserAction)
}


def check(actions: Actions) -> None:
    """Raises InvalidParams with all wrong fields. The plugin checks everything else."""
    errors = list(_field_errors(actions))
    if errors:
        summary = "; ".join(f"{item['field']} {item['message']}" for item in errors)
        raise InvalidParams(f"The actions are not valid: {summary}.", fieldErrors=errors)


def seconds_for(actions: Actions) -> float:
    """The contract's T_exec: actions run one after the other, and each may set its own timeout."""
    return sum(ACTIONS[name].seconds_for(params) for name, params in actions.items())


def are_idempotent(actions: Actions) -> bool:
    return all(ACTIONS[name].is_idempotent for name in actions)


def only_read(actions: Actions) -> bool:
    return all(ACTIONS[name].effect is Effect.READ for name in actions)


def slots_of(actions: Actions) -> list[ArtifactSlot]:
    return [slot for name in actions if (slot := ACTIONS[name].artifact) is not None]


def tabs_of(actions: Actions) -> set[int]:
    return {params["tabId"] for params in actions.values() if "tabId" in params}


def check_timeout(value: object, field: str = "timeoutMs") -> int:
    if type(value) is int and 1 <= value <= MAX_TIMEOUT_MS:
        return value
    message = f"must be a whole number from 1 to {MAX_TIMEOUT_MS}"
    raise InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])


def _field_errors(actions: Any) -> Iterable[dict[str, str]]:
    if not isinstance(actions, Mapping) or not 1 <= len(actions) <= MAX_ACTIONS:
        yield {"field": "actions", "message": f"must be an object with 1 to {MAX_ACTIONS} actions"}
        return
    places: set[str] = set()
    for name, params in actions.items():
        action = ACTIONS.get(name)
        if action is None:
            yield {"field": f"actions.{name[:64]}", "message": "isn't an action"}
        elif not isinstance(params, Mapping):
            yield {"field": f"actions.{name}", "message": "must be an object"}
        else:
            yield from _param_errors(f"actions.{name}", action, params)
            if action.artifact is not None and action.artifact.place in places:
                yield {"field": f"actions.{name}", "message": "and another one want the same artifact slot"}
            if action.artifact is not None:
                places.add(action.artifact.place)


def _param_errors(field: str, action: BrowserAction[Any, Any], params: Mapping[str, Any]) -> Iterable[dict[str, str]]:
    for name in action.required:
        if params.get(name) is None:
            yield {"field": f"{field}.{name}", "message": "is missing"}
    tab = params.get("tabId")
    if tab is not None and (type(tab) is not int or tab < 0):
        yield {"field": f"{field}.tabId", "message": "must be a whole number"}
    if (url := params.get("url")) is not None and not _is_page(url):
        yield {"field": f"{field}.url", "message": "must begin with http:// or https://, or be about:blank"}
    if "timeoutMs" in params:
        try:
            check_timeout(params["timeoutMs"], f"{field}.timeoutMs")
        except InvalidParams as invalid:
            yield from invalid.details["fieldErrors"]


def _is_page(url: object) -> bool:
    """False for scripts, local files and the browser's own pages, which agents can't open."""
    return isinstance(url, str) and (url.lower().startswith(("http://", "https://")) or url == "about:blank")
