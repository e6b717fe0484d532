"""Makes tools from browser actions, which define schemas, timeouts and effects."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from handrail.features.browser.browser import Browser
from handrail.features.browser.bus.browser_action import ActionParams, BrowserAction, ElementParams, TabParams
from handrail.features.browser.bus.dispatcher import ACK_WITHIN
from handrail.features.browser.bus.input_actions import CLICK
from handrail.features.browser.page_input import Summary, previewing
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import (
    Aborted,
    BadAnswer,
    Busy,
    Changed,
    Conflict,
    Declined,
    InvalidParams,
    Offline,
    Reported,
    Unacknowledged,
    Unfinished,
    WrongTab,
)

ParamsT = TypeVar("ParamsT", bound=ActionParams)
TabParamsT = TypeVar("TabParamsT", bound=TabParams)
Run = Callable[[Browser, Call, ParamsT, Preview | None], Awaitable[Any]]
Plan = Callable[[Browser, Call, ParamsT], Awaitable[Preview]]
Locate = Callable[[Browser, Call, ParamsT], Awaitable[Target]]

_ERRORS = (
    InvalidParams, Declined, Offline, Unacknowledged, Unfinished, WrongTab,
    Changed, Reported, BadAnswer, Conflict, Busy, Aborted,
)  # fmt: skip


def browser_tool(
    action: BrowserAction[ParamsT, Any],
    run: Run[ParamsT],
    *,
    preview: Plan[ParamsT] | None = None,
    locate: Locate[ParamsT] | None = None,
    ends_task: bool = False,
) -> Tool[Browser, ParamsT]:
    return Tool(
        ends_task=ends_task,
        name=action.name,
        title=action.title,
        params=action.params,
        input_schema={**_brief(schema_of(action.params)), **action.schema},
        output_schema=schema_of(action.result),
        run=run,
        effect=action.effect,
        errors=_ERRORS,
        deadline_ms=int((action.seconds + ACK_WITHIN) * 1000),
        has_own_timeouts=True,
        is_idempotent=action.is_idempotent,
        preview=preview,
        locate=locate or (_at_page if action.has_tab else None),
        normalize=_with_text_ids if issubclass(action.params, ElementParams) else None,
    )


def input_tool(
    action: BrowserAction[TabParamsT, Any],
    run: Run[TabParamsT],
    summary: Summary[TabParamsT],
    *,
    on_focus: bool = False,
    locate: Locate[TabParamsT] | None = None,
) -> Tool[Browser, TabParamsT]:
    """A tool that acts on a page. `summary` gets the parameters and the element's description.

    `on_focus`: without an element, it acts on what has the focus.
    """
    make_preview = previewing(summary, on_focus=on_focus, is_click=action.name == CLICK.name)
    return browser_tool(action, run, preview=make_preview, locate=locate)


_BOUNDS = frozenset({"minimum", "maximum", "minLength", "maxLength", "maxItems"})


def _brief(schema: Any) -> Any:
    """The schema without bounds, which are checked anyway: a shorter schema saves the model's tokens."""
    if isinstance(schema, list):
        return [_brief(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _brief(item) for name, item in schema.items() if name not in _BOUNDS or isinstance(item, dict)}


async def _at_page(browser: Browser, call: Call, params: Any) -> Target:
    return (await browser.locate(call, params.tab_id)).target


def _with_text_ids(raw: dict[str, Any]) -> dict[str, Any]:
    """Accepts an element's id as a number, too."""
    id = raw.get("clickId")
    return {**raw, "clickId": str(id)} if type(id) is int else raw
