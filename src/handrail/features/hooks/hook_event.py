"""One event of a client's hook, from its bytes to what the hook prints: the same in the server and without one."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.hooks.clients import CLIENTS, HookClient, ToolCall
from handrail.features.hooks.native import TOOL_OF, Change, FileChange, Mcp, Native, Other, Outcome, Read, Shell
from handrail.features.hooks.path_place import checked
from handrail.features.hooks.port import Hooks
from handrail.features.hooks.project_servers import OWN_SERVER, has_impostor
from handrail.features.hooks.result import Allowed
from handrail.features.hooks.tools.native_shell import checked_plan
from handrail.kernel import strict_json
from handrail.kernel.approval import Answer, AutomaticApprover, Question
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.kernel.threads import in_thread
from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.errors import Failure, InvalidParams
from handrail.ports.identity import Caller, Identity

MOST_BYTES = 32 * 1024 * 1024
BLOCKED = 2
"""The exit status that blocks a tool, whatever is printed."""
_OPEN_QUESTION = (
    "A person hasn't answered yet. The question stays open in handrail for ten minutes: if they allow it, the same "
    "call passes."
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HookAnswer:
    status: int
    out: bytes = b""
    err: bytes = b""


class InsideCage(AutomaticApprover):
    """Inside of a cage nothing reaches the project before a person has reviewed it: calls are only recorded."""

    def __init__(self, cage: str) -> None:
        self._cage = cage

    async def ask(self, question: Question) -> Answer:
        return Answer("ok", by=f"cage {self._cage}: its changes are reviewed before they reach the project")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: the agent's identity, and the cage that it is in."""

    identity: Identity
    peer: str
    cage: str | None = None


async def answer_event(
    project: Project, asker: Asker, name: str, data: bytes, wait_seconds: float, gone: Callable[[], Awaitable[None]]
) -> HookAnswer:
    """Never raises, except when it is cancelled: whatever fails here denies. `gone` returns when the hook has ended."""
    client = CLIENTS[name]
    try:
        call = _read_event(client, data)
        if call is None:
            return HookAnswer(0)
        if call.is_over:
            return await _recorded_outcome(project, asker, client, call)
        async with asyncio.timeout(wait_seconds):
            await _passed(project, asker, client, call, gone)
    except TimeoutError:
        return denied(client, _OPEN_QUESTION)
    except Failure as failure:
        return denied(client, _words(failure))
    except Exception as fault:  # noqa: BLE001 - logged; a fault of ours blocks the tool
        return denied(client, _words(unexpected_error("a hook", fault)), is_fault=True)
    return _printed(client, True, "Allowed by handrail.", 0)


def denied(client: HookClient, reason: str, *, is_fault: bool = False) -> HookAnswer:
    return _printed(client, False, f"handrail: {reason}", BLOCKED if client.denies_by_status or is_fault else 0)


def _printed(client: HookClient, is_allowed: bool, reason: str, status: int) -> HookAnswer:
    answer = client.answer("", is_allowed, reason)
    out = b"" if answer is None else msgspec.json.encode(answer) + b"\n"
    return HookAnswer(status, out, b"" if is_allowed else reason.encode() + b"\n")


def _read_event(client: HookClient, data: bytes) -> ToolCall | None:
    event = strict_json.decode(data, max_bytes=MOST_BYTES)
    if not isinstance(event, dict):
        raise InvalidParams("The hook's event is not an object.")
    try:
        return client.read(event)
    except msgspec.DecodeError:
        raise InvalidParams("The hook's event isn't valid JSON.") from None


async def _passed(
    project: Project, asker: Asker, client: HookClient, call: ToolCall, gone: Callable[[], Awaitable[None]]
) -> None:
    """Returns when the gate has let it pass. Failure, or TimeoutError where the hook has gone."""
    hooks: Hooks = project.part("hooks")
    passing = Call(TOOL_OF[type(call.native)], {}, _caller(asker, client), trace_id=call.session)
    passing.own_task = None if call.session is None else f"{client.name}:{call.session}"
    native = await _complete(hooks, passing, call)
    passing.tool, passing.params = TOOL_OF[type(native)], msgspec.to_builtins(native)
    gate = project.gate if asker.cage is None else project.gate.with_approver(InsideCage(asker.cage))
    running = asyncio.ensure_future(gate.run(passing))
    watching = asyncio.ensure_future(gone())
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
        hooks.remember(asker.identity.connection, call.id, passing.execution_id, expected or {})


async def _complete(hooks: Hooks, passing: Call, call: ToolCall) -> Native:
    """With absolute paths, and with what handrail finds out itself."""
    native = call.native
    if isinstance(native, Shell):
        shell = msgspec.structs.replace(native, cwd=checked(native.cwd, call.cwd), only_reads=False)
        plan = await in_thread(passing, lambda: checked_plan_or_none(hooks, shell))
        return msgspec.structs.replace(shell, only_reads=plan)
    if isinstance(native, Change):
        return Change(tuple(_absolute(file, call.cwd) for file in native.files))
    if isinstance(native, Read):
        return msgspec.structs.replace(native, path=checked(native.path, call.cwd))
    if isinstance(native, Mcp) and await _has_the_gate(hooks, passing, native):
        return Other(f"handrail: {native.tool}", is_harmless=True)
    return native


async def _has_the_gate(hooks: Hooks, passing: Call, native: Mcp) -> bool:
    """A tool of handrail's own, which passes the gate when it is called."""
    if native.server != OWN_SERVER or not hooks.is_own_tool(native.tool):
        return False
    return not await in_thread(passing, lambda: has_impostor(hooks.ground.root))


def checked_plan_or_none(hooks: Hooks, shell: Shell) -> bool:
    """Whether it only reads. What is refused is refused, and recorded, by the gate."""
    try:
        return checked_plan(hooks, shell).only_reads
    except Failure:
        return False


def _absolute(file: FileChange, cwd: str) -> FileChange:
    moved = None if file.moved_to is None else checked(file.moved_to, cwd)
    return msgspec.structs.replace(file, path=checked(file.path, cwd), moved_to=moved)


async def _recorded_outcome(project: Project, asker: Asker, client: HookClient, call: ToolCall) -> HookAnswer:
    """Of a call that ran. It denies nothing: what has happened has happened."""
    try:
        await _record_outcome(project, asker, client, call)
    except Failure as failure:
        logger.warning("an outcome of %s is not on record: %s", client.title, failure.message)
    return HookAnswer(0)


async def _record_outcome(project: Project, asker: Asker, client: HookClient, call: ToolCall) -> None:
    hooks: Hooks = project.part("hooks")
    known = None if call.id is None else hooks.recall(asker.identity.connection, call.id)
    execution, expected = known if known is not None else (None, {})
    if execution is None and not isinstance(call.native, Change | Shell):
        return
    files = call.native.files if isinstance(call.native, Change) else ()
    paths = tuple({checked(file.path, call.cwd) for file in files} | set(expected))
    outcome = Outcome(call.tool, execution, _report(call.response), paths, expected)
    params: dict[str, Any] = msgspec.to_builtins(outcome)
    await project.gate.run(Call("native_outcome", params, _caller(asker, client), trace_id=call.session))


def _report(response: Any) -> str:
    """Whether it went well, as far as the client says; never what was printed, which may hold secrets."""
    if not isinstance(response, dict):
        return ""
    told = {name: response[name] for name in ("success", "interrupted", "exit_code", "exitCode") if name in response}
    if "error" in response or "is_error" in response:
        told["failed"] = True
    return ", ".join(f"{name}={value}" for name, value in told.items() if isinstance(value, bool | int))[:200]


def _caller(asker: Asker, client: HookClient) -> Caller:
    return Caller.known("hook", client.title, asker.peer, asker.identity)


def _words(failure: Failure) -> str:
    remark = failure.details.get("remark")
    told = f" They said: {remark}" if isinstance(remark, str) and remark else ""
    return f"{failure.message}{told}" + (f" {failure.hint}" if failure.hint else "")
