"""Acting on a page: what a person is shown before, that it is still so afterwards, and the act."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import UNSET

from handrail.features.browser.browser import Browser, Page, read, without_fragment
from handrail.features.browser.bus.browser_action import ActionParams, BrowserAction, InputResult, ResultT, TabParams
from handrail.features.browser.bus.page_actions import DOM_INDEX, SCREENSHOT
from handrail.features.browser.bus.protocol import EXPECTED
from handrail.features.browser.reply_text import with_changes
from handrail.features.browser.shown_element import facts_of
from handrail.kernel.call import Call
from handrail.kernel.quoting import quote_text
from handrail.kernel.tool import CallSubject, Picture, Preview, Reply
from handrail.ports.errors import NotFound, Reported, ShownChanged

ParamsT = TypeVar("ParamsT", bound=TabParams)
InputT = TypeVar("InputT", bound=InputResult)
Summary = Callable[[ParamsT, str], str]

_STALE = ("INVALID_TARGET", "INVALID_TASK_TAB", "TASK_TAB_CLOSED", "SCHEMA_VALIDATION_FAILED")
_IDENTITY = ("tag", "role", "name")
_MOST_ELEMENTS = 5000


@dataclass(frozen=True, slots=True)
class Target:
    """What would be acted on: in words, as a binding to what it is, and outlined on a picture of the page.

    `unseen`: why a person can't see it there.
    """

    words: str
    binding: Mapping[str, str]
    name: str = ""
    role: str = ""
    picture: Picture | None = None
    facts: Sequence[tuple[str, str]] = ()
    unseen: str | None = None


def previewing(
    summary: Summary[ParamsT], *, on_focus: bool = False, is_click: bool = False
) -> Callable[[Browser, Call, ParamsT], Awaitable[Preview]]:
    """`summary` gets the parameters and how the element is called. `on_focus`: without one, what has the focus.

    `is_click`: a person is told where it leads, or that this can't be seen.
    """

    async def preview(browser: Browser, call: Call, params: ParamsT) -> Preview:
        page = await browser.page(call, params.tab_id)
        page.check_is_web()
        if call.is_shown:
            target = await _look(browser, call, page, params, on_focus=on_focus, is_click=is_click)
        else:
            target = Target(_words(_element(params)), {})
        return Preview(
            f"{summary(params, target.words)} at {page.address or 'an unknown page'}",
            about=CallSubject(target.name, target.role, page.address),
            place=page.target.place or "",
            binding=target.binding,
            state=page,
            pictures=() if target.picture is None else (target.picture,),
            facts=target.facts,
            unseen=target.unseen,
        )

    return preview


async def act(
    browser: Browser,
    call: Call,
    action: BrowserAction[Any, ResultT],
    params: TabParams,
    preview: Preview | None,
    *,
    leaves: bool = False,
    **given: Any,
) -> ResultT:
    """Carries it out on the page that was shown, if that still is what it was. `given` takes a parameter's place."""
    assert preview is not None
    page: Page = preview.state
    sent = {**action.plugin_params(params), **given}
    if call.is_shown and "seen" in preview.binding:
        sent[EXPECTED] = preview.binding["seen"]
    elif call.is_shown:
        await _check_unchanged(browser, call, page, params, preview.binding)
    try:
        return read(await browser.carry_out(call, page, sent, leaves=leaves), action.result)
    except Reported as failure:
        if failure.details.get("changed") is not True or not call.is_shown:
            raise
        raise ShownChanged(failure.message, hint=failure.hint, **failure.details) from None


async def act_and_reply(
    browser: Browser,
    call: Call,
    action: BrowserAction[Any, InputT],
    params: TabParams,
    preview: Preview | None,
    words: str,
    **given: Any,
) -> Reply:
    result = await act(browser, call, action, params, preview, **given)
    return Reply(result, text=with_changes(words, result))


async def _look(
    browser: Browser,
    call: Call,
    page: Page,
    params: TabParams,
    *,
    has_picture: bool = True,
    on_focus: bool = False,
    is_click: bool = False,
) -> Target:
    """Changes nothing, except that it may scroll to the element. A person can decide without a picture."""
    element = _element(params)
    binding = {"tabId": str(page.tab_id), "url": page.address}
    asked = {
        "tabId": page.tab_id,
        **element,
        **_beside(params),
        "asking": "element" if element or not on_focus else "focus",
    }
    try:
        result = await browser.send(call, page.task, SCREENSHOT.name, asked)
    except Reported as failure:
        if failure.code in _STALE:
            raise
        result = {"unseen": f"No picture could be taken: {failure.message}"}
    if isinstance(seen := result.get("seen"), str):
        binding["seen"] = seen
    is_meant = bool(element) or on_focus or "point" in asked
    known = result.get("target") if is_meant else None
    if element and not isinstance(known, Mapping):
        known = await _indexed(browser, call, page, element)
    elif isinstance(known, Mapping):
        binding |= {name: str(known.get(name, "")) for name in _IDENTITY}
    picture = await _picture(browser, result) if has_picture else None
    unseen = _unseen(result, picture, is_outlined=isinstance(result.get("target"), Mapping)) if is_meant else None
    facts = facts_of(result.get("shown"), is_click=is_click)
    return Target(_words(element, known), binding, *_named(known), picture, facts, unseen)


def _unseen(result: Mapping[str, Any], picture: Picture | None, *, is_outlined: bool) -> str | None:
    if isinstance(told := result.get("unseen"), str):
        return " ".join(told.split())
    if picture is None:
        return "No picture of the page could be taken."
    return None if is_outlined else "The browser did not outline it in the picture."


async def _indexed(browser: Browser, call: Call, page: Page, element: Mapping[str, str]) -> Mapping[str, Any] | None:
    """What the element is called, where its picture does not tell; an index is cheaper than another picture."""
    if "clickId" not in element:
        return None
    listing = {"tabId": page.tab_id, "scope": "document", "limit": _MOST_ELEMENTS}
    try:
        result = await browser.send(call, page.task, DOM_INDEX.name, listing)
    except Reported:
        return None
    return next((each for each in result.get("elements", ()) if each.get("clickId") == element["clickId"]), None)


async def _check_unchanged(
    browser: Browser, call: Call, page: Page, params: TabParams, shown: Mapping[str, str]
) -> None:
    """For a plugin that does not compare by itself; an index is cheaper than another picture."""
    element = _element(params)
    if "clickId" in element and "tag" in shown:
        listing = {"tabId": page.tab_id, "scope": "document", "limit": _MOST_ELEMENTS}
        result = await browser.send(call, page.task, DOM_INDEX.name, listing)
        indexed = (each for each in result.get("elements", ()) if each.get("clickId") == element["clickId"])
        known: Mapping[str, Any] = next(indexed, {})
        url = result.get("pageUrl")
        now = {"url": without_fragment(url) if isinstance(url, str) else (await _again(browser, call, page)).address}
        now |= {name: str(known.get(name, "")) for name in _IDENTITY}
    else:
        there = await _again(browser, call, page)
        is_compared = "tag" in shown
        now = {"url": there.address} | (
            dict((await _look(browser, call, there, params, has_picture=False)).binding) if is_compared else {}
        )
    if any(shown.get(name, value) != value for name, value in now.items()):
        raise ShownChanged(
            "The page or the element is no longer what was shown and allowed.",
            hint="Look again, and ask again.",
            tabId=page.tab_id,
        )


async def _again(browser: Browser, call: Call, page: Page) -> Page:
    return await browser.page(call, page.tab_id)


async def _picture(browser: Browser, result: Mapping[str, Any]) -> Picture | None:
    artifact_id = result.get("artifactId")
    if not isinstance(artifact_id, str):
        return None
    try:
        artifact = await browser.bus.artifact(artifact_id)
    except NotFound:
        return None
    outlined = "the page as it is; what is meant is outlined" if result.get("target") else "the page as it is"
    return Picture("before.png", outlined, artifact.data)


def _element(params: ActionParams) -> dict[str, str]:
    """The element that is named, if one is; of several fields the first."""
    if fields := getattr(params, "fields", ()):
        return {"clickId": fields[0].click_id}
    given = ((name, getattr(params, member, UNSET)) for name, member in (("clickId", "click_id"), ("xpath", "xpath")))
    return {name: value for name, value in given if value is not UNSET}


def _beside(params: ActionParams) -> dict[str, str]:
    """What else the act is bound to: the pixels at its point, and other elements that it needs."""
    path = getattr(params, "path", UNSET)
    x, y = path[0] if path is not UNSET else (getattr(params, "x", UNSET), getattr(params, "y", UNSET))
    others = [getattr(params, "to_click_id", UNSET), *(each.click_id for each in getattr(params, "fields", ()))]
    also = ",".join(each for each in others if each is not UNSET)
    return {**({} if UNSET in (x, y) else {"point": f"{x:g},{y:g}"}), **({"also": also} if also else {})}


def _named(known: Any) -> tuple[str, str]:
    """What an element is called, and what it is."""
    if not isinstance(known, Mapping):
        return "", ""
    return str(known.get("name", "")), str(known.get("role") or known.get("tag") or "")


def _words(element: Mapping[str, str], known: Any = None) -> str:
    """`button "Save"`; a number or a path says nothing to a person."""
    if isinstance(known, Mapping):
        return f"{known.get('role') or known.get('tag') or 'element'} {quote_text(str(known.get('name', '')))}"
    return next((f"an element that is not known ({name} {quote_text(value)})" for name, value in element.items()), "")
