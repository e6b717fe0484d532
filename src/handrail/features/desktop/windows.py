"""How tools read a window, and act on exactly the element that a person was shown.

The request to the host names the element by the host's reference and the window by process, title and id, so nothing
else can take their place between the look and the action.
"""

import re
from base64 import b64decode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from handrail.features.desktop.declaration import Run, desktop_tool, method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.params import LONGEST_NAME
from handrail.features.desktop.messages import (
    Acted,
    Ref,
    RoutedParams,
    RouteResolved,
    Said,
    acted_said,
    element_words,
    on_wire,
    place_words,
    read,
)
from handrail.kernel.call import Call
from handrail.kernel.digest import digest
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, Picture, Preview, Reply, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Failure, NotFound, ShownChanged, Timeout
from handrail.ports.prompts import MASK, ApprovedAction

ParamsT = TypeVar("ParamsT", bound=RoutedParams)
ActedT = TypeVar("ActedT", bound=Acted)
Wire = dict[str, Any]
_MOST_LINES = 40
_SECRET = "AXSecureTextField"
Summary = Callable[[ParamsT, str], str]


class _Located(Said, frozen=True, kw_only=True):
    route_resolved: RouteResolved
    element: Ref | UnsetType = UNSET
    point: dict[str, int] | UnsetType = UNSET
    screenshot: str | UnsetType = UNSET
    around: tuple[str, ...] = ()
    """What is written around the target, for a person to read."""
    seen: str | UnsetType = UNSET
    """A short form of that and of the pixels, which the act is bound to."""
    is_in_front: bool = True
    is_focus_secret: bool = False
    """Without an element, keys would go into a password field."""


@dataclass(frozen=True, slots=True)
class _Missing:
    """Nothing matches the call. That may be said only if the policy allows looking at the app."""

    failure: NotFound


async def locate_action(desktop: Desktop, call: Call, params: RoutedParams) -> Target:
    """The app that the call would act on, for the policy; what was found is kept in `call.located`."""
    intent = {"method": method_of(call.tool), "params": on_wire(params)}
    try:
        told = await desktop.locate(call, {"intent": intent, "includeScreenshot": True})
    except NotFound as missing:
        route = missing.details.get("route")
        if not isinstance(route, dict):
            raise
        call.located = _Missing(missing)
        return Target(app=route.get("frontmostBundleId") or None)
    located = read(told, _Located)
    call.located = located
    return Target(app=_window(located.route_resolved).frontmost_bundle_id or None)


async def locate_window(desktop: Desktop, call: Call, asked: Wire) -> Target:
    """The app of the window that the route means now. ElementNotFound."""
    told = await desktop.locate(call, {name: asked[name] for name in ("route",) if name in asked})
    return Target(app=_window(read(told, _Located).route_resolved).frontmost_bundle_id or None)


def acting_tool(
    run: Run[ParamsT], params: type[ParamsT], result: type[Acted], title: str, summary: Summary[ParamsT], within_ms: int
) -> Tool[Desktop, ParamsT]:
    """`summary` gets the parameters and words for the target."""
    preview, effect = _previewing(summary), Effect.UI_CONTROL
    return desktop_tool(
        run, params, result, title, effect=effect, deadline_ms=within_ms, preview=preview, locate=locate_action
    )


def _previewing(summary: Summary[ParamsT]) -> Callable[[Desktop, Call, ParamsT], Awaitable[Preview]]:
    async def preview(desktop: Desktop, call: Call, params: ParamsT) -> Preview:
        located = call.located
        if isinstance(located, _Missing):
            raise located.failure
        assert isinstance(located, _Located)
        route, element = located.route_resolved, located.element
        sent = _pinned(on_wire(params), located)
        if call.is_shown and located.seen is not UNSET:
            sent["shown"] = located.seen
        allowed = digest(sent)
        secrets = _typed(params) if _goes_into_secret(located) else {}
        shown = replace(params, **dict.fromkeys(secrets, MASK)) if secrets else params
        words, place, alt = place_words(route), "", "the screen as it is"
        if element is not UNSET:
            words, place, alt = element_words(element), f" in {words}", f"{alt}; what is meant is outlined"
        shot = () if located.screenshot is UNSET else (Picture("before.png", alt, b64decode(located.screenshot)),)
        bound = {"app": route.frontmost_bundle_id, "window": route.window_title, "paramsDigest": allowed}
        if "shown" in sent:
            bound["shown"] = sent["shown"]
        return Preview(
            f"{summary(shown, words)}{place}",
            about=_about(route, element),
            app=route.frontmost_bundle_id or None,
            binding=bound if element is UNSET else {**bound, "fingerprint": element.fingerprint},
            state=sent,
            pictures=shot,
            facts=_facts(located),
            unseen=_unseen(located),
            warrant=ApprovedAction(method=method_of(call.tool), params_digest=allowed),
            executor=desktop.executor(),
            shown_params=None if shown is params else shown,
            masked=secrets,
        )

    return preview


def _goes_into_secret(located: _Located) -> bool:
    """A password is in no question, log, evidence or report."""
    if located.element is not UNSET:
        return located.element.role == _SECRET
    return located.is_focus_secret


def _typed(params: RoutedParams) -> dict[str, str]:
    typed = {name: getattr(params, name, None) for name in ("text", "value")}
    return {name: text for name, text in typed.items() if isinstance(text, str)}


def _about(route: RouteResolved, element: Ref | UnsetType) -> CallSubject:
    window = route.window_title or route.frontmost_bundle_id or ""
    if element is UNSET:
        return CallSubject(window, "window", route.frontmost_bundle_id or "")
    return CallSubject(element.title or "", element.role.removeprefix("AX").lower(), window)


def _facts(located: _Located) -> list[tuple[str, str]]:
    more = len(located.around) - _MOST_LINES
    told = [("Around it", line) for line in located.around[:_MOST_LINES]]
    return [*told, ("Around it", f"and {more} more that are not listed")] if more > 0 else told


def _unseen(located: _Located) -> str | None:
    if located.screenshot is UNSET:
        return "No picture of the screen could be taken."
    if located.element is not UNSET and (located.element.frame is None or not located.is_in_front):
        return "Another window may cover it." if not located.is_in_front else "It has no place on the screen."
    return None


async def act_and_tell(
    desktop: Desktop, call: Call, preview: Preview | None, result: type[ActedT], words: str, deadline_ms: int
) -> Reply:
    assert preview is not None
    try:
        answer = await desktop.act(call, method_of(call.tool), preview.state, deadline_ms)
    except Failure as failure:
        if failure.details.get("changed") is not True:
            raise
        raise ShownChanged(failure.message, hint=failure.hint, **failure.details) from None
    told = read(answer, result)
    return Reply(told, text=acted_said(words, told))


def _pinned(given: Wire, located: _Located) -> Wire:
    """The parameters for the host: the window by process, title and id, and the element by its reference."""
    found, element = located.route_resolved, located.element
    name = {"bundleId": found.frontmost_bundle_id} if found.frontmost_bundle_id else {}
    process = {} if found.pid is UNSET else {"pid": found.pid}
    own_id = {} if found.window_id is UNSET else {"id": found.window_id}
    window = {"titlePattern": _title_pattern(found.window_title), **own_id}
    sent = {**given, "route": {**given.get("route", {}), "app": {**name, **process}, "window": window}}
    if element is not UNSET:
        sent["target"] = {"elementRef": {"elementId": element.element_id, "fingerprint": element.fingerprint}}
    elif located.point is not UNSET:
        sent["target"] = {"point": located.point}
    return sent


def _title_pattern(title: str) -> str:
    """The whole title, or as much of it as fits into a pattern."""
    whole = f"^{re.escape(title)}$"
    if len(whole) <= LONGEST_NAME:
        return whole
    return f"^{re.escape(title[: (LONGEST_NAME - 1) // 2])}"  # two characters at most stand for one


def _window(found: RouteResolved) -> RouteResolved:
    if not found.frontmost_bundle_id and found.pid is UNSET:
        raise ElementNotFound("There is no window.", hint="desktop_observe shows what there is.")
    return found


async def ask_of_window(desktop: Desktop, call: Call, asked: dict[str, Any], within_ms: int) -> dict[str, Any]:
    """The host's answer. If nothing was found, the policy decides about the app before the caller learns that."""
    try:
        return await desktop.execute(call, method_of(call.tool), asked, within_ms)
    except (NotFound, Timeout) as missed:
        if not missed.details.get("stale"):  # a reference says nothing of the window that the route leads to
            place = await _place(desktop, call, asked)
            if place.app is not None:
                await call.check(place)
        raise


async def locate(desktop: Desktop, call: Call, params: RoutedParams) -> Target:
    """The app, before waiting begins."""
    return await _place(desktop, call, on_wire(params))


async def _place(desktop: Desktop, call: Call, asked: dict[str, Any]) -> Target:
    try:
        return await locate_window(desktop, call, asked)
    except (NotFound, Timeout):
        return Target()
