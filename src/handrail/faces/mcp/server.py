"""The MCP server without a transport: lists the tools and runs calls through the gate."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec

import handrail
from handrail.faces.mcp import elicitation
from handrail.faces.mcp.input_rounds import InputRounds
from handrail.faces.mcp.listing import as_content, tool_listing
from handrail.faces.mcp.open_call import CallParams, OpenCall
from handrail.faces.mcp.protocol import (
    COMPLETE,
    FRESH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    STATELESS_VERSIONS,
    TASKS_EXTENSION,
    Method,
    Page,
    Request,
    RpcError,
)
from handrail.faces.mcp.resources import resource_methods
from handrail.faces.mcp.tasks import Tasks
from handrail.faces.mcp.tool_watch import ToolWatch
from handrail.kernel.call import Call, Role
from handrail.kernel.content import Text
from handrail.kernel.gate import Gate
from handrail.kernel.registry import UnknownTool
from handrail.kernel.settings import Settings
from handrail.kernel.tool import FailedReply, Reply
from handrail.ports.errors import Failure
from handrail.ports.identity import Caller, Identity

SERVER_INFO = {"name": "handrail", "title": "handrail", "version": handrail.__version__}
_INSTRUCTIONS = (
    "handrail acts on the user's machine on your behalf: the user sees, allows, denies and undoes it. "
    "A call that changes something may wait for the user's approval. {writing}{finding}"
    "Errors are JSON objects with a code, a message and a hint that says what to do."
)
_WRITING = (
    "Writing a file takes two calls: "
    "write_to_file with dryRun true shows the diff, the same call with dryRun false writes it. "
)
_FINDING = "For anything that no listed tool does, such as browser, desktop and apps, use tools_search. "
_PROGRESS_EVERY = 1.0
_TASK_META_KEY = "handrail/task"
_OUTPUT_META_KEY = "handrail/outputSchemas"
_MISTAKES_JSON_FOR_RESULT = ("gemini-cli", "qwen-code")


async def nothing_to_recall(request: Request, call: Call) -> None:
    """For servers that never take over calls of an earlier one."""


class McpServer:
    """`peer` returns a request's origin and identity, `trace` its trace id for the audit.

    `recall` returns the answer to a call that an earlier server ran. `name` is the client's name for people.
    """

    def __init__(
        self,
        gate: Gate,
        peer: Callable[[Request], tuple[str, Identity]],
        settings: Settings,
        *,
        trace: Callable[[Request], str | None] = lambda request: None,
        recall: Callable[[Request, Call], Awaitable[Reply | None]] = nothing_to_recall,
        name: Callable[[Request], str] = lambda request: request.client,
    ) -> None:
        self.gate = gate
        self._name = name
        self._peer = peer
        self._settings = settings
        self._trace = trace
        self._recall = recall
        self._rounds = InputRounds()
        self._tasks = Tasks(self._owner)
        self.tools_followers: set[Callable[[], None]] = set()
        """Called when the list of tools changes."""
        self.tool_watch = ToolWatch(gate.registry, lambda: bool(self.tools_followers), self._notify_followers)
        gate.registry.on_change(self.tool_watch.announce)
        self.methods: Mapping[str, Method[Any]] = {
            "tools/list": Method(Page, self._list_tools),
            "tools/call": Method(CallParams, self._call_tool),
            **resource_methods(gate, self._call),
            **self._tasks.methods,
        }

    @property
    def instructions(self) -> str:
        has_files = any(entry.tool.name == "write_to_file" for entry in self.gate.registry)
        has_finder = any(entry.tool.finds_tools for entry in self.gate.registry.listed)
        return _INSTRUCTIONS.format(writing=_WRITING if has_files else "", finding=_FINDING if has_finder else "")

    def capabilities(self, version: str) -> dict[str, Any]:
        offered: dict[str, Any] = {"tools": {"listChanged": True}}
        if "prompts/list" in self.methods:
            offered["prompts"] = {"listChanged": False}
        if "resources/list" in self.methods:
            offered |= {"resources": {"subscribe": False, "listChanged": False}, "completions": {}}
        if version in STATELESS_VERSIONS:
            offered["extensions"] = {TASKS_EXTENSION: {}}
        return offered

    async def answer(self, request: Request, name: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request. Raises RpcError."""
        method = self.methods.get(name)
        if method is None or request.version not in method.versions:
            raise RpcError(METHOD_NOT_FOUND, "Method not found", name)
        return await method.answer(request, params)

    def forget(self, owner: Identity) -> None:
        """Ends the open calls and tasks of a closed connection."""
        self._rounds.forget(owner.connection)
        self._tasks.forget(owner.connection)

    def _notify_followers(self) -> None:
        for notify in list(self.tools_followers):
            notify()

    def _owner(self, request: Request) -> str:
        return self._peer(request)[1].connection

    async def _list_tools(self, request: Request, params: Page) -> dict[str, Any]:
        request.follow_tools()
        self.tool_watch.start()
        has_output = self._settings.output_schemas or request.meta.get(_OUTPUT_META_KEY) is True
        tools = [tool_listing(entry.tool, has_output=has_output) for entry in self.gate.registry.listed]
        return {"tools": tools, **FRESH, **COMPLETE}

    async def _call_tool(self, request: Request, params: CallParams) -> dict[str, Any]:
        def work(open_call: OpenCall) -> Awaitable[dict[str, Any]]:
            return self._run(request, params, open_call)

        if request.has_tasks:
            return await self._tasks.answer(self._owner(request), params, work)
        if request.is_stateless and elicitation.takes_forms(request):
            return await self._rounds.answer(self._owner(request), params, work)
        return await self._run(request, params)

    async def _run(self, request: Request, params: CallParams, open_call: OpenCall | None = None) -> dict[str, Any]:
        call = self._call(request, params.name, params.arguments, open_call=open_call)
        try:
            has_schema = self.gate.registry.find(params.name).tool.output_schema is not None
            reply = await self._recall(request, call)
            if reply is None and open_call is None and not request.hears_progress:
                reply = await self.gate.run(call)
            elif reply is None:
                async with _progress(request, call, open_call):
                    reply = await self.gate.run(call)
        except UnknownTool as unknown:
            raise RpcError(INVALID_PARAMS, f"{unknown.message} {unknown.hint}") from None
        except FailedReply as failed:
            return {**_success(failed.reply, has_schema=False), "isError": True}
        except Failure as failure:
            return _adapted(request.client, failure, error_result(self.gate, call.tool, failure))
        return _success(reply, has_schema=has_schema)

    def _call(
        self, request: Request, name: str, arguments: Any, role: Role = "tool", open_call: OpenCall | None = None
    ) -> Call:
        client_channels = elicitation.client_channels(
            request,
            has_approvals=self._settings.elicit_approvals,
            ask=None if open_call is None else open_call.ask,
        )
        task = request.meta.get(_TASK_META_KEY)
        return Call(
            tool=name,
            params=arguments if arguments is not None else {},
            caller=Caller.known("mcp", self._name(request), *self._peer(request)),
            task=task if isinstance(task, str) else None,
            trace_id=self._trace(request),
            channels=client_channels if open_call is None else open_call.watch_questions(client_channels),
            role=role,
        )


def error_result(gate: Gate, tool: str, failure: Failure) -> dict[str, Any]:
    """The contract's error object as text only, because clients validate structured content even of errors."""
    dialect = gate.registry.find(tool).surface.dialect
    text = msgspec.json.encode(dialect.envelope(failure)).decode()
    return {"content": [{"type": "text", "text": text}], "isError": True, **COMPLETE}


def _adapted(client: str, failure: Failure, result: dict[str, Any]) -> dict[str, Any]:
    """Adds plain text for clients like Gemini CLI, which take a first text that is JSON for the structured result."""
    if not client.startswith(_MISTAKES_JSON_FOR_RESULT):
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
            answer["structuredContent"] = msgspec.Raw(encoded)
    return {"content": content, **answer, **COMPLETE}


@asynccontextmanager
async def _progress(request: Request, call: Call, open_call: OpenCall | None) -> AsyncIterator[None]:
    """Sends the tool's progress to the client, and repeats the latest message every second."""
    started = time.monotonic()
    latest = f"{call.tool} is running"
    beat: asyncio.TimerHandle | None = None
    sending: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()

    async def send(message: str) -> None:
        if open_call is None or open_call.is_heard:
            await request.report_progress(round(time.monotonic() - started, 3), message)

    async def report(message: str) -> None:
        nonlocal latest
        latest = message
        if open_call is not None:
            open_call.message = message
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
