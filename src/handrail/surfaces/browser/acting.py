"""Acting on a page: what a person is shown before, that it is still so afterwards, and the act."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from handrail.contract.call import Call
from handrail.contract.errors import Changed, NotFound, Reported
from handrail.contract.tool import Picture, Preview, Reply
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.page import Page
from handrail.surfaces.browser.params import TabParams, element_of, for_plugin
from handrail.surfaces.browser.results import Acted, read
from handrail.surfaces.browser.wording import changes_said, quoted, said

ParamsT = TypeVar("ParamsT", bound=TabParams)
ActedT = TypeVar("ActedT", bound=Acted)
Summary = Callable[[ParamsT, str], str]

_STALE = ("INVALID_TARGET", "INVALID_TASK_TAB", "TASK_TAB_CLOSED", "SCHEMA_VALIDATION_FAILED")


@dataclass(frozen=True, slots=True)
class Sight:
    """What there is to see: the element's words, a binding to what it is, a picture with it outlined."""

    element: str
    binding: Mapping[str, str]
    picture: Picture | None = None


def previewing(summary: Summary[ParamsT]) -> Callable[[Browser, Call, ParamsT], Awaitable[Preview]]:
    """`summary` gets the parameters and how the element is called."""

    async def preview(browser: Browser, call: Call, params: ParamsT) -> Preview:
        page = await browser.page(call, params.tab_id)
        page.check_is_web()
        sight = await look(browser, call, page, params) if call.is_shown else Sight(_named(element_of(params)), {})
        return Preview(
            f"{summary(params, sight.element)} at {page.address or 'an unknown page'}",
            host=page.target.host or "",
            binding=sight.binding,
            state=page,
            pictures=() if sight.picture is None else (sight.picture,),
        )

    return preview


async def look(browser: Browser, call: Call, page: Page, params: TabParams) -> Sight:
    """Changes nothing, except that it may scroll to the element."""
    element = element_of(params)
    binding = {"tabId": str(page.tab_id), "url": page.address}
    try:
        result = await browser.send(call, page.task, "browser_screenshot", {"tabId": page.tab_id, **element})
    except Reported as failure:
        if failure.code in _STALE:
            raise
        return Sight(_named(element), binding)  # a person can decide without a picture
    known = result.get("target") if element else None
    if isinstance(known, Mapping):
        binding |= {name: str(known.get(name, "")) for name in ("tag", "role", "name")}
    picture = await _picture(browser, result)
    return Sight(_named(element, known), binding, picture)


async def acted(
    browser: Browser, call: Call, params: TabParams, preview: Preview | None, *, leaves: bool = False, **given: Any
) -> dict[str, Any]:
    """Carries it out on the page that was shown, if that still is what it was. `given` takes a parameter's place."""
    assert preview is not None
    page: Page = preview.state
    if call.is_shown:
        now = await browser.page(call, page.tab_id)
        sight = await look(browser, call, now, params) if element_of(params) else None
        binding = sight.binding if sight is not None else {"tabId": str(now.tab_id), "url": now.address}
        if any(binding.get(name) != value for name, value in preview.binding.items()):
            raise Changed(
                "The page or the element is no longer what was shown and allowed.",
                hint="Look again, and ask again.",
                tabId=page.tab_id,
            )
    return await browser.carry_out(call, page, {**for_plugin(params), **given}, leaves=leaves)


async def act_and_tell(
    browser: Browser, call: Call, params: TabParams, preview: Preview | None, result: type[ActedT], words: str
) -> Reply:
    told = read(await acted(browser, call, params, preview), result)
    return told_of(told, words)


def told_of(result: Acted, words: str) -> Reply:
    own, lines = changes_said(result.changes)
    return Reply(result, text=said(f"{words} {own}".rstrip(), result, lines))


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


def _named(element: Mapping[str, str], known: Any = None) -> str:
    """`12 button "Save"`"""
    given = next(iter(element.values()), "")
    if not isinstance(known, Mapping):
        return given
    return f"{given} {known.get('role') or known.get('tag') or ''} {quoted(str(known.get('name', '')))}".strip()
