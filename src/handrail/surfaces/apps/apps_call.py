"""apps_call: one tool of one app, after the person, or what the person has said before, allows it."""

from typing import Annotated, Any

import msgspec

from handrail.contract.call import Call
from handrail.contract.content import Text
from handrail.contract.effect import Effect
from handrail.contract.errors import (
    BadAnswer,
    Declined,
    InvalidParams,
    Offline,
    Reported,
    Timeout,
    Unsupported,
)
from handrail.contract.tool import Preview, Reply, Tool
from handrail.core.apps.conditions import AuthRequired, UnknownApp, UnknownAppTool
from handrail.core.apps.consent import consent_to
from handrail.core.apps.masking import masked
from handrail.core.struct_schema import schema_of
from handrail.surfaces.apps.apps import Apps, place_of
from handrail.surfaces.apps.exchange import Exchange
from handrail.surfaces.apps.params import AppId, app_target, required_object

_LONGEST_SUMMARY = 200


class Params(msgspec.Struct, frozen=True):
    app: AppId
    tool: Annotated[str, msgspec.Meta(description="One of the app's tools: apps_describe has them.")]
    params: Annotated[dict[str, Any], msgspec.Meta(description="What the tool takes, by its schema.")] = {}


async def apps_call(apps: Apps, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Call a tool of an app, and get its result. Which there are, apps_list and apps_describe tell. The person may be
    asked first. An app's own error code comes back as it is.
    """
    assert preview is not None
    app, tool = preview.state
    await call.check(place_of(app))
    exchange = Exchange(call.keep, tool)
    result = await apps.switchboard.call(app, tool, params.params, timeout_ms=call.deadline_ms, heard=exchange.heard)
    if result is None:
        return Reply(None, content=(Text("The app gave nothing back."),))
    kept = masked(result, tool.returns)
    return Reply(result, kept_result=None if kept is result else kept)


async def _preview(apps: Apps, call: Call, params: Params) -> Preview:
    """What is shown is what will be called: the tool as its descriptor declares it now."""
    app, tool = apps.find(params.app, params.tool)
    apps.checks.check_params(app, tool, params.params)
    consent = consent_to(app, tool)
    shown = masked(params.params, tool.parameters)
    summary = f"{app.name} ({app.id}), {tool.name}: {' '.join(tool.description.split())}"
    return Preview(
        summary if len(summary) <= _LONGEST_SUMMARY else f"{summary[: _LONGEST_SUMMARY - 1]}…",
        app=app.id,
        binding={"descriptor": consent.tool_digest},
        state=(app, tool),
        consent=consent,
        shown_params=None if shown is params.params else msgspec.structs.replace(params, params=shown),
    )


TOOL = Tool(
    name="apps_call",
    title="Call an app",
    params=Params,
    input_schema=required_object(schema_of(Params)),
    effect=Effect.EXECUTE,
    errors=(
        InvalidParams,
        UnknownApp,
        UnknownAppTool,
        Declined,
        AuthRequired,
        Timeout,
        Offline,
        Unsupported,
        Reported,
        BadAnswer,
    ),
    has_own_clock=True,
    preview=_preview,
    target=app_target,
    run=apps_call,
)
