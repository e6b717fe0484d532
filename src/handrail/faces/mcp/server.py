"""The registry behind the SDK's low-level server: tools out verbatim, calls in through the gate."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec

import handrail
from handrail.faces.mcp import elicitation
from handrail.faces.mcp.input_rounds import InputRounds, OpenCall
from handrail.faces.mcp.list_changes import Listeners
from handrail.faces.mcp.listing import as_content, listed
from handrail.faces.mcp.resources import offer_resources
from handrail.faces.mcp.sdk import MCPError, NotificationOptions, Server, ServerRequestContext, types
from handrail.kernel.call import Call, Role
from handrail.kernel.content import Text
from handrail.kernel.gate import Gate
from handrail.kernel.registry import UnknownTool
from handrail.kernel.settings import Settings
from handrail.kernel.tool import FailedReply, Reply
from handrail.ports.errors import Failure
from handrail.ports.identity import Caller, Identity

Context = ServerRequestContext[Any, Any]

_INSTRUCTIONS = (
    "handrail acts on the user's machine on your behalf: the user sees, allows, denies and undoes it. "
    "A call that changes something may wait for the user's approval. {writing}{finding}"
    "Errors are JSON objects with a code, a message and a hint that says what to do."
)
_WRITING = (
    "Writing a file takes two calls: "
    "write_to_file with dryRun true shows the diff, the same call with dryRun false writes it. "
)
_FINDING = "For anything that no listed tool does, such as browser, desktop and apps, look with tools_search. "
CHANGES = NotificationOptions(tools_changed=True)
"""What a client may be told of."""
_PROGRESS_EVERY = 1.0
_TASK_META_KEY = "handrail/task"
_OUTPUT_META_KEY = "handrail/outputSchemas"
# Demanded by protocol 2026-07-28; for clients of an older one the SDK takes it out again.
_COMPLETE = {"resultType": "complete"}
_TAKES_JSON_FOR_A_RESULT = ("gemini-cli", "qwen-code")


async def nothing_to_recall(context: Context, call: Call) -> None:
    """Every call is a new one."""


def build_server(
    gate: Gate,
    peer: Callable[[Context], tuple[str, Identity]],
    settings: Settings,
    *,
    trace: Callable[[Context], str | None] = lambda context: None,
    recall: Callable[[Context, Call], Awaitable[Reply | None]] = nothing_to_recall,
) -> Server[Any]:
    """`peer` says where a request comes from and whose it is, `trace` what the audit knows it by.

    `recall` has the answer to a call that was carried out before.
    """

    async def list_tools(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        listeners.add(context.session)
        has_output = settings.output_schemas or (context.meta or {}).get(_OUTPUT_META_KEY) is True
        tools = [listed(entry.tool, has_output=has_output) for entry in gate.registry.listed]
        return {"tools": tools, "ttlMs": 0, "cacheScope": "private", **_COMPLETE}

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        if not elicitation.asks_in_rounds(context):
            return await carry_out(context, params)
        owner = peer(context)[1].connection
        return await rounds.answer(owner, params, lambda open_call: carry_out(context, params, open_call))

    async def carry_out(
        context: Context, params: types.CallToolRequestParams, open_call: OpenCall | None = None
    ) -> dict[str, Any]:
        call = _call(context, params.name, params.arguments, open_call=open_call)
        try:
            has_schema = gate.registry.find(params.name).tool.output_schema is not None
            reply = await recall(context, call)
            if reply is None:
                async with _progress(context, call, lambda: open_call is None or open_call.is_heard):
                    reply = await gate.run(call)
        except UnknownTool as unknown:
            raise MCPError(code=types.INVALID_PARAMS, message=f"{unknown.message} {unknown.hint}") from None
        except FailedReply as failed:
            return {**_success(failed.reply, has_schema=False), "isError": True}
        except Failure as failure:
            return _read_by(_client_name(context), failure, error_result(gate, call.tool, failure))
        return _success(reply, has_schema=has_schema)

    def _call(
        context: Context, name: str, arguments: Any, role: Role = "tool", open_call: OpenCall | None = None
    ) -> Call:
        client = _client_name(context)
        return Call(
            tool=name,
            params=arguments if arguments is not None else {},
            caller=Caller.known("mcp", client, *peer(context)),
            task=_task(context),
            trace_id=trace(context),
            beside=elicitation.beside(
                context,
                client,
                has_approvals=settings.elicit_approvals,
                ask=None if open_call is None else open_call.ask,
            ),
            role=role,
        )

    listeners, rounds = Listeners(), InputRounds()
    gate.registry.on_change(listeners.tell)
    server: Server[Any] = Server(
        "handrail", version=handrail.__version__, title="handrail", instructions=_instructions(gate)
    )
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    offer_resources(server, gate, _call)
    server.middleware.clear()  # OpenTelemetry spans that nobody collects
    return server


def _instructions(gate: Gate) -> str:
    has_files = any(entry.tool.name == "write_to_file" for entry in gate.registry)
    has_finder = any(entry.tool.finds_tools for entry in gate.registry.listed)
    return _INSTRUCTIONS.format(writing=_WRITING if has_files else "", finding=_FINDING if has_finder else "")


def error_result(gate: Gate, tool: str, failure: Failure) -> dict[str, Any]:
    """The contract's error object as text only: clients validate structured content even of errors."""
    dialect = gate.registry.find(tool).surface.dialect
    text = msgspec.json.encode(dialect.envelope(failure)).decode()
    return {"content": [{"type": "text", "text": text}], "isError": True, **_COMPLETE}


def _read_by(client: str, failure: Failure, result: dict[str, Any]) -> dict[str, Any]:
    """Gemini CLI takes a first text that is JSON for the structured result, and shows its model why it is none."""
    if not client.startswith(_TAKES_JSON_FOR_A_RESULT):
        return result
    return {**result, "content": [{"type": "text", "text": failure.message}, *result["content"]]}


def _success(reply: Reply, *, has_schema: bool) -> dict[str, Any]:
    content = [as_content(part) for part in (*reply.content, *map(Text, reply.notes))]
    answer: dict[str, Any] = {"isError": False}
    if reply.result is not None:
        encoded = msgspec.json.encode(reply.result)
        if not reply.is_whole:
            content.insert(0, {"type": "text", "text": encoded.decode() if reply.text is None else reply.text})
        if has_schema or reply.is_whole:
            answer["structuredContent"] = msgspec.json.decode(encoded)
    return {"content": content, **answer, **_COMPLETE}


def _client_name(context: Context) -> str:
    known = context.session.client_params
    return f"{known.client_info.name}/{known.client_info.version}" if known is not None else "unknown"


def _task(context: Context) -> str | None:
    task = (context.meta or {}).get(_TASK_META_KEY)
    return task if isinstance(task, str) else None


@asynccontextmanager
async def _progress(context: Context, call: Call, is_heard: Callable[[], bool]) -> AsyncIterator[None]:
    """What the tool reports goes out at once, while somebody hears it; without a word, a sign of life every second."""
    started = time.monotonic()
    latest = f"{call.tool} is running"
    beat: asyncio.TimerHandle | None = None
    sending: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()

    async def send(message: str) -> None:
        if is_heard():
            await context.session.report_progress(round(time.monotonic() - started, 3), message=message)

    async def report(message: str) -> None:
        nonlocal latest
        latest = message
        await send(message)

    def on_beat() -> None:
        nonlocal beat
        task = loop.create_task(send(f"{latest} ({time.monotonic() - started:.0f} s)"))
        sending.add(task)
        task.add_done_callback(sending.discard)
        beat = loop.call_later(_PROGRESS_EVERY, on_beat)

    call.progress = report
    beat = loop.call_later(_PROGRESS_EVERY, on_beat)
    try:
        yield
    finally:
        beat.cancel()
        for task in list(sending):
            task.cancel()
