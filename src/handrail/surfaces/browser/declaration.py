"""How a tool of this surface is declared: its schemas come from its types, its times from the catalogue of actions."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.errors import (
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
from handrail.contract.target import Target
from handrail.contract.tool import Preview, Tool
from handrail.core.mimo.catalogue import KINDS
from handrail.core.mimo.dispatcher import ACK_WITHIN
from handrail.core.struct_schema import schema_of
from handrail.surfaces.browser.browser import Browser
from handrail.surfaces.browser.params import BrowserParams, ElementParams, with_text_ids

ParamsT = TypeVar("ParamsT", bound=BrowserParams)
Run = Callable[[Browser, Call, ParamsT, Preview | None], Awaitable[Any]]
Plan = Callable[[Browser, Call, ParamsT], Awaitable[Preview]]
Locate = Callable[[Browser, Call, ParamsT], Awaitable[Target]]

_ERRORS = (
    InvalidParams,
    Declined,
    Offline,
    Unacknowledged,
    Unfinished,
    WrongTab,
    Changed,
    Reported,
    BadAnswer,
    Conflict,
    Busy,
    Aborted,
)


def browser_tool(
    run: Run[ParamsT],
    params: type[ParamsT],
    result: type[msgspec.Struct],
    title: str,
    *,
    effect: Effect = Effect.READ,
    preview: Plan[ParamsT] | None = None,
    locate: Locate[ParamsT] | None = None,
    also: Mapping[str, Any] | None = None,
) -> Tool[Browser, ParamsT]:
    """`also` is what a schema says beyond the types, such as that one of two members is needed."""
    name = getattr(run, "__name__", "")
    kind = KINDS[name]
    return Tool(
        name=name,
        title=title,
        params=params,
        input_schema={**schema_of(params), **(also or {})},
        output_schema=schema_of(result),
        run=run,
        effect=effect,
        errors=_ERRORS,
        deadline_ms=int((kind.seconds + ACK_WITHIN) * 1000),
        has_own_clock=True,
        is_idempotent=kind.is_idempotent,
        preview=preview,
        locate=locate or (_at_page if "tab_id" in params.__struct_fields__ else None),
        normalize=with_text_ids if issubclass(params, ElementParams) else None,
    )


async def _at_page(browser: Browser, call: Call, params: Any) -> Target:
    return (await browser.locate(call, params.tab_id)).target
