"""apps_call: calls an app's tool, and keeps evidence without the values that the tool's schemas mark as secret."""

from dataclasses import replace
from typing import Annotated, Any

import msgspec

from handrail.features.apps.apps import AppId, Apps, DeclaredTool, app_target, closed_schema
from handrail.features.apps.model import AppRequest, UnknownApp, UnknownAppTool
from handrail.kernel.call import AddEvidence, Call
from handrail.kernel.content import Text
from handrail.kernel.json_schema import schema_of
from handrail.kernel.tool import CallSubject, Preview, Reply, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import (
    AuthRequired,
    BadAnswer,
    Changed,
    Declined,
    InvalidParams,
    Offline,
    Reported,
    Timeout,
    Unsupported,
)
from handrail.ports.unreadable_json import UNREADABLE_JSON

_LONGEST_EVIDENCE = 1 << 20


class ExchangeRecorder:
    """Keeps each request and reply of a call as evidence."""

    def __init__(self, keep: AddEvidence, declared: DeclaredTool) -> None:
        self._keep = keep
        self._declared = declared
        self._tries = 0

    def on_reply(self, request: AppRequest, reply: bytes) -> None:
        self._tries += 1
        name = "exchange.json" if self._tries == 1 else f"exchange-{self._tries}.json"
        params = self._declared.shown_params(request.params)
        exchange = {"request": msgspec.structs.replace(request, params=params), "reply": self._read(reply)}
        self._keep(name, exchange)

    def _read(self, reply: bytes) -> Any:
        """The reply as JSON, or as text if it isn't JSON."""
        if len(reply) > _LONGEST_EVIDENCE:
            return f"({len(reply)} bytes)"
        try:
            message = msgspec.json.decode(reply)
        except UNREADABLE_JSON:
            return reply.decode(errors="replace")
        if isinstance(message, dict) and "result" in message:
            message["result"] = self._declared.shown_result(message["result"])
        return message


_LONGEST_SUMMARY = 200


class Params(msgspec.Struct, frozen=True):
    app: AppId
    tool: Annotated[str, msgspec.Meta(description="One of the app's tools: apps_describe has them.")]
    params: Annotated[dict[str, Any], msgspec.Meta(description="What the tool takes, by its schema.")] = {}


async def apps_call(apps: Apps, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Call an app's tool and return its result. May ask the person first."""
    assert preview is not None
    declared: DeclaredTool = preview.state
    await call.check(declared.place)
    if await apps.program(declared.app) != preview.binding["program"]:
        raise Changed(f"The program of {declared.app.id} has changed since it was shown.", hint="Call it again.")
    recorder = ExchangeRecorder(call.add_evidence, declared)
    result = await apps.caller.call(
        declared.app, declared.tool, params.params, timeout_ms=call.deadline_ms, on_reply=recorder.on_reply
    )
    if result is None:
        return Reply(None, content=(Text("The app returned nothing."),))
    shown = declared.shown_result(result)
    return Reply(result, kept_result=None if shown is result else shown)


async def _preview(apps: Apps, call: Call, params: Params) -> Preview:
    """Shows the tool as its descriptor declares it now, which is exactly what will be called."""
    declared = apps.find(params.app, params.tool)
    app, tool = declared.app, declared.tool
    program = await apps.program(app)
    apps.checks.check_params(app, tool, params.params)
    shown = declared.shown_params(params.params)
    summary = f"{app.name} ({app.id}), {tool.name}: {' '.join(tool.description.split())}"
    return Preview(
        summary if len(summary) <= _LONGEST_SUMMARY else f"{summary[: _LONGEST_SUMMARY - 1]}…",
        about=CallSubject(tool.name, "tool", app.name),
        app=app.id,
        binding={"descriptor": declared.consent.tool_digest, "program": program},
        state=declared,
        consent=replace(declared.consent, program=program),
        shown_params=None if shown is params.params else msgspec.structs.replace(params, params=shown),
    )


def _lane(params: Params) -> str:
    """One lane per app, so that a hanging app doesn't delay calls of others."""
    return params.app


TOOL = Tool(
    name="apps_call",
    title="Call an app",
    params=Params,
    input_schema=closed_schema(schema_of(Params)),
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
    has_own_timeouts=True,
    lane=_lane,
    preview=_preview,
    target=app_target,
    run=apps_call,
)
