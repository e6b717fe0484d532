"""What desktop tools share: reading a window, and acting on exactly the element that a person was shown.

The request to the host names the element by its reference and the window by process, title and id, so that nothing else
can take their place between the preview and the action.
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
from handrail.features.desktop.host.params import LONGEST_NAME, RoutedParams
from handrail.features.desktop.messages import (
    ActionResult,
    Ref,
    ResultPart,
    RouteResolved,
    describe_action,
    describe_element,
    describe_window,
    read_result,
    to_wire,
)
from handrail.kernel.call import Call
from handrail.kernel.digest import digest
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, Picture, Preview, Reply, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import Failure, InvalidParams, NotFound, ShownChanged, Timeout
from handrail.ports.prompts import MASK, ApprovedAction

ParamsT = TypeVar("ParamsT", bound=RoutedParams)
ActedT = TypeVar("ActedT", bound=ActionResult)
WireParams = dict[str, Any]
_MAX_LINES = 40
_PASSWORD_ROLE = "AXSecureTextField"
_INTENT = "params.intent.params"
Summary = Callable[[ParamsT, str], str]


class _LocateResult(ResultPart, frozen=True, kw_only=True):
    route_resolved: RouteResolved
    element: Ref | UnsetType = UNSET
    point: dict[str, int] | UnsetType = UNSET
    screenshot: str | UnsetType = UNSET
    around: tuple[str, ...] = ()
    """Texts around the target, for a person to read."""
    seen: str | UnsetType = UNSET
    """A fingerprint of those texts and of the pixels, which the action is bound to."""
    is_in_front: bool = True
    is_focus_secret: bool = False
    """The call names no element, and a password field has the focus."""


@dataclass(frozen=True, slots=True)
class _NoMatch:
    """Nothing matches the call. The caller may only learn that if the policy allows reading the app."""

    failure: NotFound


async def locate_action(desktop: Desktop, call: Call, params: RoutedParams) -> Target:
    """Returns the app that the call would act on, for the policy, and stores the match in `call.located`."""
    intent = {"method": method_of(call.tool), "params": to_wire(params)}
    try:
        answer = await desktop.locate(call, {"intent": intent, "includeScreenshot": True})
    except InvalidParams as error:
        raise _without_intent(error) from None
    except NotFound as error:
        route = error.details.get("route")
        if not isinstance(route, dict):
            raise
        call.located = _NoMatch(error)
        return Target(app=route.get("frontmostBundleId") or None)
    located = read_result(answer, _LocateResult)
    call.located = located
    return _app_target(located.route_resolved)


def _without_intent(error: InvalidParams) -> InvalidParams:
    """Names the caller's own parameters. The host calls them those of an intent."""
    details = {**error.details}
    if isinstance(field := details.get("field"), str):
        details["field"] = field.replace(_INTENT, "params")
    return InvalidParams(error.message.replace(_INTENT, "params"), hint=error.hint, **details)


def acting_tool(
    run: Run[ParamsT],
    params: type[ParamsT],
    result: type[ActionResult],
    title: str,
    summary: Summary[ParamsT],
    within_ms: int,
) -> Tool[Desktop, ParamsT]:
    """Declares a tool that acts on a window. `summary` gets the parameters and a description of the target."""
    preview, effect = _preview_maker(summary), Effect.UI_CONTROL
    return desktop_tool(
        run, params, result, title, effect=effect, deadline_ms=within_ms, preview=preview, locate=locate_action
    )


def _preview_maker(summary: Summary[ParamsT]) -> Callable[[Desktop, Call, ParamsT], Awaitable[Preview]]:
    async def preview(desktop: Desktop, call: Call, params: ParamsT) -> Preview:
        located = call.located
        if isinstance(located, _NoMatch):
            raise located.failure
        assert isinstance(located, _LocateResult)
        route, element = located.route_resolved, located.element
        request = _pin_target(to_wire(params), located)
        if call.is_shown and located.seen is not UNSET:
            request["shown"] = located.seen
        params_digest = digest(request)
        secrets = _typed_texts(params) if _types_into_password_field(located) else {}
        visible_params = replace(params, **dict.fromkeys(secrets, MASK)) if secrets else params
        target, suffix, alt = describe_window(route), "", "the screen as it is"
        if element is not UNSET:
            target, suffix, alt = describe_element(element), f" in {target}", f"{alt}; the target is outlined"
        pictures = () if located.screenshot is UNSET else (Picture("before.png", alt, b64decode(located.screenshot)),)
        binding = {"app": route.frontmost_bundle_id, "window": route.window_title, "paramsDigest": params_digest}
        if "shown" in request:
            binding["shown"] = request["shown"]
        return Preview(
            f"{summary(visible_params, target)}{suffix}",
            about=_about(route, element),
            app=route.frontmost_bundle_id or None,
            binding=binding if element is UNSET else {**binding, "fingerprint": element.fingerprint},
            state=request,
            pictures=pictures,
            facts=_facts(located),
            unseen=_why_unseen(located),
            warrant=ApprovedAction(method=method_of(call.tool), params_digest=params_digest),
            executor=desktop.executor(),
            shown_params=None if visible_params is params else visible_params,
            masked=secrets,
        )

    return preview


def _types_into_password_field(located: _LocateResult) -> bool:
    """Then the text is kept out of questions, logs, evidence and reports."""
    if located.element is not UNSET:
        return located.element.role == _PASSWORD_ROLE
    return located.is_focus_secret


def _typed_texts(params: RoutedParams) -> dict[str, str]:
    values = {name: getattr(params, name, None) for name in ("text", "value")}
    return {name: text for name, text in values.items() if isinstance(text, str)}


def _about(route: RouteResolved, element: Ref | UnsetType) -> CallSubject:
    window = route.window_title or route.frontmost_bundle_id or ""
    if element is UNSET:
        return CallSubject(window, "window", route.frontmost_bundle_id or "")
    return CallSubject(element.title or "", element.role.removeprefix("AX").lower(), window)


def _facts(located: _LocateResult) -> list[tuple[str, str]]:
    more = len(located.around) - _MAX_LINES
    facts = [("Around it", line) for line in located.around[:_MAX_LINES]]
    return [*facts, ("Around it", f"and {more} more that are not listed")] if more > 0 else facts


def _why_unseen(located: _LocateResult) -> str | None:
    if located.screenshot is UNSET:
        return "No picture of the screen could be taken."
    if located.element is not UNSET and (located.element.frame is None or not located.is_in_front):
        return "Another window may cover it." if not located.is_in_front else "It has no place on the screen."
    return None


async def perform_action(
    desktop: Desktop, call: Call, preview: Preview | None, result: type[ActedT], words: str, deadline_ms: int
) -> Reply:
    assert preview is not None
    try:
        answer = await desktop.act(call, method_of(call.tool), preview.state, deadline_ms)
    except Failure as failure:
        if failure.details.get("changed") is not True:
            raise
        raise ShownChanged(failure.message, hint=failure.hint, **failure.details) from None
    action_result = read_result(answer, result)
    return Reply(action_result, text=describe_action(words, action_result))


def _pin_target(params: WireParams, located: _LocateResult) -> WireParams:
    """Returns the host's parameters: the window by process, title and id, and the element by its reference."""
    route, element = located.route_resolved, located.element
    app_name = {"bundleId": route.frontmost_bundle_id} if route.frontmost_bundle_id else {}
    pid = {} if route.pid is UNSET else {"pid": route.pid}
    window_id = {} if route.window_id is UNSET else {"id": route.window_id}
    window = {"titlePattern": _title_pattern(route.window_title), **window_id}
    request = {**params, "route": {**params.get("route", {}), "app": {**app_name, **pid}, "window": window}}
    if element is not UNSET:
        request["target"] = {"elementRef": {"elementId": element.element_id, "fingerprint": element.fingerprint}}
    elif located.point is not UNSET:
        request["target"] = {"point": located.point}
    return request


def _title_pattern(title: str) -> str:
    """Returns a pattern for the whole title, or for as much of it as fits."""
    exact = f"^{re.escape(title)}$"
    if len(exact) <= LONGEST_NAME:
        return exact
    return f"^{re.escape(title[: (LONGEST_NAME - 1) // 2])}"  # escaping at most doubles the length


def _app_target(route: RouteResolved) -> Target:
    if not route.frontmost_bundle_id and route.pid is UNSET:
        raise ElementNotFound("There is no window.", hint="desktop_observe shows what there is.")
    return Target(app=route.frontmost_bundle_id or None)


async def query_window(desktop: Desktop, call: Call, params: WireParams, within_ms: int) -> dict[str, Any]:
    """Returns the host's answer. If nothing matches, asks the policy about the app before the caller learns that."""
    try:
        return await desktop.execute(call, method_of(call.tool), params, within_ms)
    except (NotFound, Timeout) as failure:
        if not failure.details.get("stale"):  # a stale reference reveals nothing about the window of the route
            target = await _app_of_route(desktop, call, params)
            if target.app is not None:
                await call.check(target)
        raise


async def locate(desktop: Desktop, call: Call, params: RoutedParams) -> Target:
    """Returns the app for the policy, before a wait begins."""
    return await _app_of_route(desktop, call, to_wire(params))


async def _app_of_route(desktop: Desktop, call: Call, params: WireParams) -> Target:
    try:
        answer = await desktop.locate(call, {"route": params["route"]} if "route" in params else {})
        return _app_target(read_result(answer, _LocateResult).route_resolved)
    except (NotFound, Timeout):
        return Target()
