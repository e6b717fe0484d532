"""The actions that a plugin can be told to carry out: how long each may take, and which may be done twice."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from handrail.contract.browser import Actions
from handrail.contract.errors import InvalidParams

MAX_TIMEOUT_MS = 600_000
MAX_ACTIONS = 16
_REPORT_WITHIN = 0.5  # who was told to wait that long must be able to say how it ended

Place = Literal["screenshot", "artifact"]


@dataclass(frozen=True, slots=True)
class Need:
    """An artifact that the action produces: the message brings a slot for it."""

    place: Place
    kind: str
    content_type: str


@dataclass(frozen=True, slots=True)
class Kind:
    seconds: float
    is_idempotent: bool = False
    needs: Need | None = None
    has_tab: bool = True
    required: tuple[str, ...] = ()
    has_own_wait: bool = False


_SCREENSHOT = Need("screenshot", "screenshot", "image/png")
_HTML = Need("artifact", "html", "text/html")
_ARTICLE = Need("artifact", "readability", "text/markdown")

KINDS: Mapping[str, Kind] = {
    "task_start": Kind(20, has_tab=False),
    "task_stop": Kind(5, is_idempotent=True, has_tab=False),
    "task_group_update": Kind(5, is_idempotent=True, has_tab=False),
    "browser_debugger_attach": Kind(5, is_idempotent=True),
    "browser_debugger_detach": Kind(5, is_idempotent=True),
    "browser_wait_for_loaded": Kind(20, is_idempotent=True, has_own_wait=True),
    "browser_navigate": Kind(30, required=("url",)),
    "browser_screenshot": Kind(10, is_idempotent=True, needs=_SCREENSHOT),
    "browser_readability_extract": Kind(10, is_idempotent=True, needs=_ARTICLE),
    "browser_dom_index": Kind(10, is_idempotent=True),
    "browser_xpath_scan": Kind(10, is_idempotent=True),
    "browser_click": Kind(5),
    "browser_type": Kind(10, required=("text",)),
    "browser_get_html": Kind(10, is_idempotent=True, needs=_HTML),
    "browser_scroll": Kind(5),
    "browser_hover": Kind(5),
    "browser_press_key": Kind(5, required=("key",)),
    "browser_select_option": Kind(5, required=("values",)),
    "browser_go_back": Kind(30),
    "browser_go_forward": Kind(30),
    "browser_reload": Kind(30),
    "browser_tabs": Kind(5, is_idempotent=True, has_tab=False),
    "browser_tab_open": Kind(30, has_tab=False),
    "browser_tab_close": Kind(5),
    "browser_tab_switch": Kind(5, is_idempotent=True),
    "browser_wait_for": Kind(30, is_idempotent=True, has_own_wait=True),
    "browser_console": Kind(5, is_idempotent=True),
    "browser_requests": Kind(5, is_idempotent=True),
    "browser_find_text": Kind(10, is_idempotent=True),
    "browser_upload": Kind(30, required=("artifactIds",)),
}


def check(actions: Actions) -> None:
    """InvalidParams names what is wrong. What else a plugin wants, it says itself."""
    wrong = list(_wrong(actions))
    if wrong:
        summary = "; ".join(f"{item['field']} {item['message']}" for item in wrong)
        raise InvalidParams(f"The actions are not valid: {summary}.", fieldErrors=wrong)


def seconds_for(actions: Actions) -> float:
    """T_exec: they run one after the other, and each may say how long it takes."""
    return sum(_seconds(KINDS[name], params) for name, params in actions.items())


def are_idempotent(actions: Actions) -> bool:
    return all(KINDS[name].is_idempotent for name in actions)


def needs_of(actions: Actions) -> list[Need]:
    return [need for name in actions if (need := KINDS[name].needs) is not None]


def tabs_of(actions: Actions) -> set[int]:
    return {params["tabId"] for params in actions.values() if "tabId" in params}


def checked_timeout(given: object, field: str = "timeoutMs") -> int:
    if type(given) is int and 1 <= given <= MAX_TIMEOUT_MS:
        return given
    message = f"must be a whole number from 1 to {MAX_TIMEOUT_MS}"
    raise InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])


def _seconds(kind: Kind, params: Mapping[str, Any]) -> float:
    given = params.get("timeoutMs")
    if given is None:
        return kind.seconds
    return float(given) / 1000 + (_REPORT_WITHIN if kind.has_own_wait else 0)


def _wrong(actions: Any) -> Iterable[dict[str, str]]:
    if not isinstance(actions, Mapping) or not 1 <= len(actions) <= MAX_ACTIONS:
        yield {"field": "actions", "message": f"must be an object with 1 to {MAX_ACTIONS} actions"}
        return
    places: set[str] = set()
    for name, params in actions.items():
        kind = KINDS.get(name)
        if kind is None:
            yield {"field": f"actions.{name[:64]}", "message": "is no action"}
        elif not isinstance(params, Mapping):
            yield {"field": f"actions.{name}", "message": "must be an object"}
        else:
            yield from _wrong_params(f"actions.{name}", kind, params)
            if kind.needs is not None and kind.needs.place in places:
                yield {"field": f"actions.{name}", "message": "and another one want the same artifact slot"}
            if kind.needs is not None:
                places.add(kind.needs.place)


def _wrong_params(field: str, kind: Kind, params: Mapping[str, Any]) -> Iterable[dict[str, str]]:
    tab = params.get("tabId")
    if tab is None and kind.has_tab:
        yield {"field": f"{field}.tabId", "message": "is missing"}
    elif tab is not None and (type(tab) is not int or tab < 0):
        yield {"field": f"{field}.tabId", "message": "must be a whole number"}
    for name in kind.required:
        if name not in params:
            yield {"field": f"{field}.{name}", "message": "is missing"}
    if (url := params.get("url")) is not None and not _is_page(url):
        yield {"field": f"{field}.url", "message": "must begin with http:// or https://, or be about:blank"}
    if "timeoutMs" in params:
        try:
            checked_timeout(params["timeoutMs"], f"{field}.timeoutMs")
        except InvalidParams as invalid:
            yield from invalid.details["fieldErrors"]


def _is_page(url: object) -> bool:
    """Scripts, local files and the browser's own pages are no places for an agent."""
    return isinstance(url, str) and (url.lower().startswith(("http://", "https://")) or url == "about:blank")
