"""Acting on a window: what a call is aimed at, what a person is shown of it, and the act on exactly that.

An aim names its element by the host's own reference, or its window where there is no element: between the look and the
act nothing else can take their place.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

from handrail.features.desktop.declaration import method_of
from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.params import LONGEST_NAME
from handrail.features.desktop.params import RoutedParams, on_wire
from handrail.features.desktop.results import Acted, Executed, Ref, RouteResolved, read
from handrail.features.desktop.wording import acted_said, element_words, place_words
from handrail.kernel.call import Call
from handrail.kernel.digest import digest
from handrail.kernel.target import Target
from handrail.kernel.tool import Picture, Preview, Reply
from handrail.ports.prompts import Warrant

ParamsT = TypeVar("ParamsT", bound=RoutedParams)
ActedT = TypeVar("ActedT", bound=Acted)
Wire = dict[str, Any]
Summary = Callable[[ParamsT, str], str]
Aimed = Callable[[Desktop, Call, ParamsT], Awaitable[tuple[Wire, Wire]]]
"""What to send, and what to look at: a `route`, and a `target` where there is one."""

_LOOK_MS = 15_000


@dataclass(frozen=True, slots=True)
class Aim:
    """`params` are what the host will be sent, target and window pinned."""

    route: RouteResolved
    element: Ref | None
    params: Wire

    @property
    def words(self) -> str:
        return place_words(self.route) if self.element is None else element_words(self.element)


class _Looked(Executed, frozen=True, kw_only=True):
    element: Ref | UnsetType = UNSET


async def as_given(desktop: Desktop, call: Call, params: RoutedParams) -> tuple[Wire, Wire]:
    given = on_wire(params)
    return given, {name: given[name] for name in ("route", "target") if name in given}


def locating(aimed: Aimed[ParamsT]) -> Callable[[Desktop, Call, ParamsT], Awaitable[Target]]:
    async def located(desktop: Desktop, call: Call, params: ParamsT) -> Target:
        """Before the policy decides: which app the call would act on, and nothing of what is in its window."""
        _, subject = await aimed(desktop, call, params)
        is_searched = "selector" in subject.get("target", {})
        place = {name: value for name, value in subject.items() if not (is_searched and name == "target")}
        return await place_of(desktop, call, place)

    return located


async def place_of(desktop: Desktop, call: Call, subject: Wire) -> Target:
    """The app whose window that is now. ElementNotFound where there is none."""
    looked = await _look(desktop, call, subject, with_picture=False)
    return Target(app=_route(looked).frontmost_bundle_id or None)


def previewing(
    summary: Summary[ParamsT], aimed: Aimed[ParamsT]
) -> Callable[[Desktop, Call, ParamsT], Awaitable[Preview]]:
    """`summary` gets the parameters and how the target is called."""

    async def preview(desktop: Desktop, call: Call, params: ParamsT) -> Preview:
        given, subject = await aimed(desktop, call, params)
        looked = await _look(desktop, call, subject, with_picture=call.is_shown)
        aim = _aim(given, looked)
        shot = await desktop.picture(looked.evidence) if call.is_shown else None
        alt = "the screen as it is" + ("; what is meant is outlined" if aim.element is not None else "")
        place = "" if aim.element is None else f" in {place_words(aim.route)}"
        allowed = digest(aim.params)
        return Preview(
            f"{summary(params, aim.words)}{place}",
            app=aim.route.frontmost_bundle_id or None,
            binding=_binding(aim, allowed),
            state=aim,
            pictures=() if shot is None else (Picture("before.png", alt, shot),),
            warrant=Warrant(method=method_of(call.tool), params_digest=allowed),
        )

    return preview


async def act_and_tell(
    desktop: Desktop, call: Call, preview: Preview | None, result: type[ActedT], words: str, deadline_ms: int
) -> Reply:
    assert preview is not None
    aim: Aim = preview.state
    # The policy has decided about the app that was there at the first look; another may be there since the second.
    await desktop.check_place(call, aim.route)
    told = read(await desktop.act(call, method_of(call.tool), aim.params, deadline_ms), result)
    return Reply(told, text=acted_said(words, told))


def pinned(route: Mapping[str, Any], found: RouteResolved) -> Wire:
    """The window that is there now, by its process and its title."""
    name = {"bundleId": found.frontmost_bundle_id} if found.frontmost_bundle_id else {}
    process = {} if found.pid is UNSET else {"pid": found.pid}
    return {**route, "app": {**name, **process}, "window": {"titlePattern": _title_pattern(found.window_title)}}


def _title_pattern(title: str) -> str:
    """The whole title; as much of it as fits into a pattern where it is longer."""
    whole = f"^{re.escape(title)}$"
    if len(whole) <= LONGEST_NAME:
        return whole
    return f"^{re.escape(title[: (LONGEST_NAME - 1) // 2])}"  # two characters at most stand for one


async def _look(desktop: Desktop, call: Call, subject: Wire, *, with_picture: bool) -> _Looked:
    options = {
        "includeScreenshot": with_picture,
        "includeAxTree": False,
        "outlined": with_picture and "target" in subject,
        # Of a window, so that the host says why there is none; a picture of the screen would need no window.
        "area": "screen" if with_picture else "window",
    }
    return read(await desktop.ask(call, "desktop.observe", {**subject, "options": options}, _LOOK_MS), _Looked)


def _aim(given: Wire, looked: _Looked) -> Aim:
    route = _route(looked)
    if looked.element is UNSET:
        return Aim(route, None, {**given, "route": pinned(given.get("route", {}), route)})
    ref = looked.element
    exactly = {"elementRef": {"elementId": ref.element_id, "fingerprint": ref.fingerprint}}
    return Aim(route, ref, {**given, "target": exactly})


def _route(looked: _Looked) -> RouteResolved:
    found = looked.route_resolved
    if found is UNSET or (not found.frontmost_bundle_id and found.pid is UNSET):
        raise ElementNotFound("There is no window.", hint="desktop_observe shows what there is.")
    return found


def _binding(aim: Aim, allowed: str) -> dict[str, str]:
    bound = {"app": aim.route.frontmost_bundle_id, "window": aim.route.window_title, "paramsDigest": allowed}
    return bound if aim.element is None else {**bound, "fingerprint": aim.element.fingerprint}
