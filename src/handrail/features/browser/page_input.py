"""Acts on a page: previews the action for the person, and carries it out if the page hasn't changed since."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec import UNSET

from handrail.features.browser.browser import Browser, Page, decode_result, without_fragment
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

_FATAL_CODES = ("INVALID_TARGET", "INVALID_TASK_TAB", "TASK_TAB_CLOSED", "SCHEMA_VALIDATION_FAILED")
_IDENTITY = ("tag", "role", "name")
_MAX_ELEMENTS = 5000


@dataclass(frozen=True, slots=True)
class InputTarget:
    """What the action will act on: its description, the binding for the approval, and a picture with its outline.

    `unseen`: why a person can't see it in the picture.
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
    """Makes the preview function of a tool. `summary` gets the parameters and the element's description.

    `on_focus`: without an element, it acts on what has the focus. `is_click`: the preview says where a click leads.
    """

    async def preview(browser: Browser, call: Call, params: ParamsT) -> Preview:
        page = await browser.page(call, params.tab_id)
        page.check_is_web()
        if call.is_shown:
            target = await _inspect(browser, call, page, params, on_focus=on_focus, is_click=is_click)
        else:
            target = InputTarget(_describe(_element(params)), {})
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
    **overrides: Any,
) -> ResultT:
    """Runs the action on the page that was shown, if it is still the same. `overrides` replaces parameters."""
    assert preview is not None
    page: Page = preview.state
    sent = {**action.plugin_params(params), **overrides}
    if call.is_shown and "seen" in preview.binding:
        sent[EXPECTED] = preview.binding["seen"]
    elif call.is_shown:
        await _check_unchanged(browser, call, page, params, preview.binding)
    try:
        return decode_result(await browser.carry_out(call, page, sent, leaves=leaves), action.result)
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
    **overrides: Any,
) -> Reply:
    result = await act(browser, call, action, params, preview, **overrides)
    return Reply(result, text=with_changes(words, result))


async def _inspect(
    browser: Browser,
    call: Call,
    page: Page,
    params: TabParams,
    *,
    has_picture: bool = True,
    on_focus: bool = False,
    is_click: bool = False,
) -> InputTarget:
    """Takes a picture of the element for a preview. Changes nothing, but may scroll. Works without a picture, too."""
    element = _element(params)
    binding = {"tabId": str(page.tab_id), "url": page.address}
    request = {
        "tabId": page.tab_id,
        **element,
        **_extra_bindings(params),
        "asking": "element" if element or not on_focus else "focus",
    }
    try:
        result = await browser.send(call, page.task, SCREENSHOT.name, request)
    except Reported as failure:
        if failure.code in _FATAL_CODES:
            raise
        result = {"unseen": f"No picture could be taken: {failure.message}"}
    if isinstance(seen := result.get("seen"), str):
        binding["seen"] = seen
    has_target = bool(element) or on_focus or "point" in request
    details = result.get("target") if has_target else None
    if element and not isinstance(details, Mapping):
        details = await _find_in_index(browser, call, page, element)
    elif isinstance(details, Mapping):
        binding |= {name: str(details.get(name, "")) for name in _IDENTITY}
    picture = await _picture(browser, result) if has_picture else None
    unseen = _why_unseen(result, picture, is_outlined=isinstance(result.get("target"), Mapping)) if has_target else None
    facts = facts_of(result.get("shown"), is_click=is_click)
    return InputTarget(_describe(element, details), binding, *_name_and_role(details), picture, facts, unseen)


def _why_unseen(result: Mapping[str, Any], picture: Picture | None, *, is_outlined: bool) -> str | None:
    if isinstance(reason := result.get("unseen"), str):
        return " ".join(reason.split())
    if picture is None:
        return "No picture of the page could be taken."
    return None if is_outlined else "The browser did not outline it in the picture."


async def _find_in_index(
    browser: Browser, call: Call, page: Page, element: Mapping[str, str]
) -> Mapping[str, Any] | None:
    """The element's details from an index, if the picture has none; that is cheaper than another picture."""
    if "clickId" not in element:
        return None
    listing = {"tabId": page.tab_id, "scope": "document", "limit": _MAX_ELEMENTS}
    try:
        result = await browser.send(call, page.task, DOM_INDEX.name, listing)
    except Reported:
        return None
    return next((each for each in result.get("elements", ()) if each.get("clickId") == element["clickId"]), None)


async def _check_unchanged(
    browser: Browser, call: Call, page: Page, params: TabParams, shown: Mapping[str, str]
) -> None:
    """Compares page and element with the preview, for plugins that don't. An index is cheaper than a picture."""
    element = _element(params)
    if "clickId" in element and "tag" in shown:
        listing = {"tabId": page.tab_id, "scope": "document", "limit": _MAX_ELEMENTS}
        result = await browser.send(call, page.task, DOM_INDEX.name, listing)
        indexed = (each for each in result.get("elements", ()) if each.get("clickId") == element["clickId"])
        details: Mapping[str, Any] = next(indexed, {})
        url = result.get("pageUrl")
        now = {
            "url": without_fragment(url) if isinstance(url, str) else (await _current_page(browser, call, page)).address
        }
        now |= {name: str(details.get(name, "")) for name in _IDENTITY}
    else:
        current = await _current_page(browser, call, page)
        is_compared = "tag" in shown
        now = {"url": current.address} | (
            dict((await _inspect(browser, call, current, params, has_picture=False)).binding) if is_compared else {}
        )
    if any(shown.get(name, value) != value for name, value in now.items()):
        raise ShownChanged(
            "The page or the element has changed since it was approved.",
            hint="Look at the page and try again.",
            tabId=page.tab_id,
        )


async def _current_page(browser: Browser, call: Call, page: Page) -> Page:
    return await browser.page(call, page.tab_id)


async def _picture(browser: Browser, result: Mapping[str, Any]) -> Picture | None:
    artifact_id = result.get("artifactId")
    if not isinstance(artifact_id, str):
        return None
    try:
        artifact = await browser.bus.artifact(artifact_id)
    except NotFound:
        return None
    outlined = "the page now, with the element outlined" if result.get("target") else "the page now"
    return Picture("before.png", outlined, artifact.data)


def _element(params: ActionParams) -> dict[str, str]:
    """The element in the parameters, if any; the first one of several fields."""
    if fields := getattr(params, "fields", ()):
        return {"clickId": fields[0].click_id}
    values = ((name, getattr(params, member, UNSET)) for name, member in (("clickId", "click_id"), ("xpath", "xpath")))
    return {name: value for name, value in values if value is not UNSET}


def _extra_bindings(params: ActionParams) -> dict[str, str]:
    """What else the action is bound to: the pixels at its point, and its other elements."""
    path = getattr(params, "path", UNSET)
    x, y = path[0] if path is not UNSET else (getattr(params, "x", UNSET), getattr(params, "y", UNSET))
    others = [getattr(params, "to_click_id", UNSET), *(each.click_id for each in getattr(params, "fields", ()))]
    also = ",".join(each for each in others if each is not UNSET)
    return {**({} if UNSET in (x, y) else {"point": f"{x:g},{y:g}"}), **({"also": also} if also else {})}


def _name_and_role(details: Any) -> tuple[str, str]:
    if not isinstance(details, Mapping):
        return "", ""
    return str(details.get("name", "")), str(details.get("role") or details.get("tag") or "")


def _describe(element: Mapping[str, str], details: Any = None) -> str:
    """Such as `button "Save"`, because an id or XPath means nothing to a person."""
    if isinstance(details, Mapping):
        return f"{details.get('role') or details.get('tag') or 'element'} {quote_text(str(details.get('name', '')))}"
    return next((f"an unknown element ({name} {quote_text(value)})" for name, value in element.items()), "")
