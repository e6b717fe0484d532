"""Handles one event of a client's hook, from its bytes to the hook's output, both in the server and without one."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.hooks.clients import CLIENTS, HookClient, ToolCall
from handrail.features.hooks.native import (
    TOOL_OF,
    Allowed,
    Change,
    FileChange,
    Mcp,
    Native,
    Other,
    Outcome,
    Read,
    Shell,
)
from handrail.features.hooks.path_scope import absolute_path
from handrail.features.hooks.project_hooks import Hooks
from handrail.features.hooks.project_servers import OWN_SERVER, has_impostor
from handrail.features.hooks.tools.native_shell import make_shell_plan
from handrail.kernel import strict_json
from handrail.kernel.approval import Answer, AutomaticApprover, Question
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.kernel.threads import in_thread
from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.errors import Declined, Failure, InvalidParams
from handrail.ports.identity import Caller, Identity
from handrail.ports.unreadable_json import UNREADABLE_JSON

MOST_BYTES = 32 * 1024 * 1024
BLOCKED = 2
"""The exit status that blocks a tool regardless of the output."""
_OPEN_QUESTION = (
    "A person hasn't answered yet. The question stays open in handrail for ten minutes: if they allow it, the same "
    "call passes."
)
_IN_WORDS = {
    "native_shell": "this command",
    "native_edit": "this change",
    "native_read": "this reading",
    "native_fetch": "this request",
    "native_mcp": "this call",
    "native_other": "this tool call",
}
"""The gate's names of a client's tools, which the agent doesn't know."""
_NATIVE_NAME = re.compile(r"\bnative_[a-z]+\b")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HookAnswer:
    status: int
    out: bytes = b""
    err: bytes = b""


class CageApprover(AutomaticApprover):
    """Allows everything in a cage, so that calls are only recorded: a person reviews changes before they leave it."""

    def __init__(self, cage: str) -> None:
        self._cage = cage

    async def ask(self, question: Question) -> Answer:
        return Answer("ok", by=f"cage {self._cage}: its changes are reviewed before they reach the project")


@dataclass(frozen=True, slots=True)
class HookCaller:
    """The agent's identity, and the cage that it is in."""

    identity: Identity
    cage: str | None = None


async def answer_event(
    project: Project,
    hook_caller: HookCaller,
    name: str,
    data: bytes,
    wait_seconds: float,
    disconnected: Callable[[], Awaitable[None]],
) -> HookAnswer:
    """Never raises, except when cancelled: any failure denies. `disconnected` returns when the hook has ended."""
    client = CLIENTS[name]
    try:
        call = _read_event(client, data)
        if call is None:
            return HookAnswer(0)
        if call.is_finished:
            return await _try_record_outcome(project, hook_caller, client, call)
        async with asyncio.timeout(wait_seconds):
            await _pass_gate(project, hook_caller, client, call, disconnected)
    except TimeoutError:
        return denial(client, _OPEN_QUESTION)
    except Failure as failure:
        return denial(client, _message(failure))
    except Exception as fault:  # noqa: BLE001 - logged; a fault of ours blocks the tool
        return denial(client, _message(unexpected_error("a hook", fault)), is_fault=True)
    return _hook_answer(client, True, "Allowed by handrail.", 0)


def denial(client: HookClient, reason: str, *, is_fault: bool = False) -> HookAnswer:
    return _hook_answer(client, False, f"handrail: {reason}", BLOCKED if client.denies_by_status or is_fault else 0)


def _hook_answer(client: HookClient, is_allowed: bool, reason: str, status: int) -> HookAnswer:
    answer = client.answer("", is_allowed, reason)
    out = b"" if answer is None else msgspec.json.encode(answer) + b"\n"
    return HookAnswer(status, out, b"" if is_allowed else reason.encode() + b"\n")


def _read_event(client: HookClient, data: bytes) -> ToolCall | None:
    event = strict_json.decode(data, max_bytes=MOST_BYTES)
    if not isinstance(event, dict):
        raise InvalidParams("The hook's event is not an object.")
    try:
        return client.read(event)
    except UNREADABLE_JSON:
        raise InvalidParams("The hook's event isn't valid JSON.") from None


async def _pass_gate(
    project: Project,
    hook_caller: HookCaller,
    client: HookClient,
    call: ToolCall,
    disconnected: Callable[[], Awaitable[None]],
) -> None:
    """Returns when the gate has allowed the call. Failure, or TimeoutError if the hook has disconnected."""
    hooks: Hooks = project.part("hooks")
    gate_call = Call(TOOL_OF[type(call.native)], {}, _caller(hook_caller, client), trace_id=call.session)
    gate_call.own_task = None if call.session is None else f"{client.name}:{call.session}"
    native = await _completed(hooks, gate_call, call)
    gate_call.tool, gate_call.params = TOOL_OF[type(native)], msgspec.to_builtins(native)
    gate = project.gate if hook_caller.cage is None else project.gate.with_approver(CageApprover(hook_caller.cage))
    running = asyncio.ensure_future(gate.run(gate_call))
    watching = asyncio.ensure_future(disconnected())
    try:
        await asyncio.wait({running, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            raise TimeoutError
        result = running.result().result
    finally:
        watching.cancel()
        running.cancel()
        await asyncio.gather(running, watching, return_exceptions=True)
    if call.id is not None:
        expected = result.expected if isinstance(result, Allowed) else UNSET
        hooks.remember(hook_caller.identity.connection, call.id, gate_call.execution_id, expected or {})


async def _completed(hooks: Hooks, gate_call: Call, call: ToolCall) -> Native:
    """Returns the call with absolute paths and with what handrail finds out itself."""
    native = call.native
    if isinstance(native, Shell):
        shell = msgspec.structs.replace(native, cwd=absolute_path(native.cwd, call.cwd), only_reads=False)
        only_reads = await in_thread(gate_call, lambda: is_read_only(hooks, shell))
        return msgspec.structs.replace(shell, only_reads=only_reads)
    if isinstance(native, Change):
        return Change(tuple(_absolute(file, call.cwd) for file in native.files))
    if isinstance(native, Read):
        return msgspec.structs.replace(native, path=absolute_path(native.path, call.cwd))
    if isinstance(native, Mcp) and await _is_own_tool(hooks, gate_call, native):
        return Other(f"handrail: {native.tool}", is_harmless=True)
    return native


async def _is_own_tool(hooks: Hooks, gate_call: Call, native: Mcp) -> bool:
    """Whether it is a tool of handrail itself, which passes the gate when it is called."""
    if native.server != OWN_SERVER or not hooks.is_own_tool(native.tool):
        return False
    return not await in_thread(gate_call, lambda: has_impostor(hooks.scope.root))


def is_read_only(hooks: Hooks, shell: Shell) -> bool:
    """Whether a command only reads. If it is refused, the gate does so later and records it."""
    try:
        return make_shell_plan(hooks, shell).only_reads
    except Failure:
        return False


def _absolute(file: FileChange, cwd: str) -> FileChange:
    moved = None if file.moved_to is None else absolute_path(file.moved_to, cwd)
    return msgspec.structs.replace(file, path=absolute_path(file.path, cwd), moved_to=moved)


async def _try_record_outcome(
    project: Project, hook_caller: HookCaller, client: HookClient, call: ToolCall
) -> HookAnswer:
    """Records the result of a call that ran. It can't deny anything any more."""
    try:
        await _record_outcome(project, hook_caller, client, call)
    except Failure as failure:
        logger.warning("a result of %s wasn't recorded: %s", client.title, failure.message)
    return HookAnswer(0)


async def _record_outcome(project: Project, hook_caller: HookCaller, client: HookClient, call: ToolCall) -> None:
    hooks: Hooks = project.part("hooks")
    memory = None if call.id is None else hooks.recall(hook_caller.identity.connection, call.id)
    execution, expected = memory if memory is not None else (None, {})
    if execution is None and not isinstance(call.native, Change | Shell):
        return
    files = call.native.files if isinstance(call.native, Change) else ()
    paths = tuple({absolute_path(file.path, call.cwd) for file in files} | set(expected))
    outcome = Outcome(call.tool, execution, _summarize(call.response), paths, expected)
    params: dict[str, Any] = msgspec.to_builtins(outcome)
    await project.gate.run(Call("native_outcome", params, _caller(hook_caller, client), trace_id=call.session))


def _summarize(response: Any) -> str:
    """Whether the call succeeded, as far as the client says. Never the output, which may contain secrets."""
    if not isinstance(response, dict):
        return ""
    status = {name: response[name] for name in ("success", "interrupted", "exit_code", "exitCode") if name in response}
    if "error" in response or "is_error" in response:
        status["failed"] = True
    return ", ".join(f"{name}={value}" for name, value in status.items() if isinstance(value, bool | int))[:200]


def _caller(hook_caller: HookCaller, client: HookClient) -> Caller:
    """Named after the agent's process, because every call has a hook process of its own."""
    return Caller.known("hook", client.title, hook_caller.identity.connection, hook_caller.identity)


def _message(failure: Failure) -> str:
    remark = failure.details.get("remark")
    quote = f" They said: {remark}" if isinstance(remark, str) and remark else ""
    message = failure.message
    if isinstance(failure, Declined):
        message = _NATIVE_NAME.sub(lambda match: _IN_WORDS.get(match[0], match[0]), message)
        message = message[:1].upper() + message[1:]
    return f"{message}{quote}" + (f" {failure.hint}" if failure.hint else "")
