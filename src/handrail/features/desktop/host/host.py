"""The host: turns one request into one result or failure. Independent of sockets.

Parameters → workspace → caller → readiness → run within a deadline, in the workspace's lane if it acts → evidence.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from typing import Any
from uuid import uuid4

from handrail.features.desktop.desktop_port import Readiness
from handrail.features.desktop.host import params as wire
from handrail.features.desktop.host.action_runner import run_action, run_windowless_action
from handrail.features.desktop.host.conditions import CallerNotAllowed, UnknownMethod
from handrail.features.desktop.host.confirmation import params_digest
from handrail.features.desktop.host.execution import REFUSED, RESULT, Execution, Record, stamp
from handrail.features.desktop.host.routing import check_pattern
from handrail.features.desktop.host.services import (
    Action,
    CheckedRequest,
    Method,
    ReadMethod,
    Result,
    Services,
    UnrecordedMethod,
    WindowlessAction,
)
from handrail.kernel import strict_json
from handrail.kernel.deadline import Deadline
from handrail.kernel.evidence import utc_now
from handrail.kernel.lanes import Lanes
from handrail.kernel.recorder import outcome_of
from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.errors import Aborted, Failure, InvalidParams, ShownChanged
from handrail.ports.files import Folder
from handrail.ports.peers import PeerProcess

logger = logging.getLogger(__name__)


class Host:
    def __init__(
        self,
        services: Services,
        methods: Sequence[Method],
        workspaces: Callable[[str], Folder],
        own_uid: int,
        error_object: Callable[[Failure], dict[str, Any]],
        *,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._services = services
        self._methods = {method.name: method for method in methods}
        self._workspaces = workspaces
        self._own_uid = own_uid
        self.error_object = error_object
        self._now = now
        self._lanes = Lanes()

    def start(self) -> None:
        self._services.source.start()

    async def close(self) -> None:
        await self._services.source.close()

    def is_inquiry(self, method: str) -> bool:
        """Returns whether a method is short or only ends others, so that more of them may run at once."""
        return isinstance(self._methods.get(method), UnrecordedMethod)

    def answer_at_once(self, id: str, method: str, params: Mapping[str, Any], caller: PeerProcess) -> Result | None:
        """Returns the result if it is known already; otherwise None, and `answer` must be awaited."""
        declared = self._methods.get(method)
        if not isinstance(declared, UnrecordedMethod) or declared.at_once is None:
            return None
        return declared.at_once(self._services, *self._check_request(declared, id, params, caller))

    async def answer(self, id: str, method: str, params: Mapping[str, Any], caller: PeerProcess) -> Result:
        declared = self._methods.get(method)
        if declared is None:
            raise UnknownMethod(f"Unknown method {method[:100]!r}.", hint=", ".join(self._methods))
        request, parsed_params = self._check_request(declared, id, params, caller)
        if isinstance(declared, UnrecordedMethod):
            return await declared.run(self._services, request, parsed_params)
        self._services.source.require_started()
        return await self._run(declared, request, parsed_params, params_digest(params))

    def _check_request(
        self, method: Method, id: str, params: Mapping[str, Any], caller: PeerProcess
    ) -> tuple[CheckedRequest, Any]:
        """Checks parameters, workspace and caller."""
        acts = isinstance(method, Action | WindowlessAction)
        header, parsed_params = wire.read_request(params, wire.ActingHeader if acts else wire.Header, method.params)
        if isinstance(parsed_params, wire.RoutedParams):
            check_pattern(parsed_params.route)
        workspace = self._workspaces(header.meta.workspace_path)
        check_caller(caller, workspace, self._own_uid)
        return CheckedRequest(id, caller, workspace, header), parsed_params

    async def _run(
        self, method: ReadMethod | Action | WindowlessAction, request: CheckedRequest, params: Any, digest: str
    ) -> Result:
        execution = self._execution(method, request, digest)
        execution.record.note("begin", method=method.name, requestId=request.meta.request_id)
        try:
            with self._services.executions.running(execution):
                execution.record.add("env.json", self._environment(execution, None))
                result = await self._run_within_deadline(method, execution, params)
        except asyncio.CancelledError:
            reason = "It was aborted." if execution.is_aborted else "The caller disconnected, or the host is stopping."
            raise await self._close_failed(execution, Aborted(reason)) from None
        except Failure as failure:
            raise await self._close_failed(execution, failure) from None
        except Exception as fault:  # noqa: BLE001 - logged
            raise await self._close_failed(execution, unexpected_error(method.name, fault)) from None
        unrecorded = () if isinstance(method, Action) else method.unrecorded
        await self._close(execution, None, {name: value for name, value in result.items() if name not in unrecorded})
        if request.meta.execution_id is not None and "evidence" in result:
            result["evidence"] = {**result["evidence"], "sha256": execution.record.hashes}
        return result

    async def _run_within_deadline(
        self, method: ReadMethod | Action | WindowlessAction, execution: Execution, params: Any
    ) -> Result:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(execution.deadline)
            readiness = await self._services.source.readiness(is_fresh=False)
            execution.record.add("env.json", self._environment(execution, readiness))
            if isinstance(method, ReadMethod):
                return {"executionId": execution.id, **await method.run(self._services, execution, params)}
            self._services.confirmation.read(execution.confirm, execution.meta.request_id)
            await stack.enter_async_context(self._lanes.turn(execution.workspace.location))
            if isinstance(method, WindowlessAction):
                return {
                    "executionId": execution.id,
                    **await run_windowless_action(self._services, execution, method, params),
                }
            return {"executionId": execution.id, **await run_action(self._services, execution, method, params)}

    def _execution(
        self, method: ReadMethod | Action | WindowlessAction, request: CheckedRequest, digest: str
    ) -> Execution:
        meta, task = request.meta, asyncio.current_task()
        assert task is not None
        id = meta.execution_id or str(uuid4())
        at, is_shared = meta.began_at or self._now(), meta.execution_id is not None
        record = Record(request.workspace, meta.workspace_path, id, at, is_shared=is_shared)
        if id in self._services.executions or (is_shared and record.has(RESULT)):
            raise InvalidParams("params.meta.executionId: already used.", field="params.meta.executionId")
        execution = Execution(
            id=id,
            rpc_id=request.rpc_id,
            method=method.name,
            meta=meta,
            peer=request.caller.peer,
            workspace=request.workspace,
            record=record,
            deadline=Deadline(method.name, meta.timeout_ms),
            params_digest=digest,
            task=task,
        )
        if isinstance(request.header, wire.ActingHeader):
            execution.confirm, execution.shown = request.header.confirm, request.header.shown
        return execution

    def _environment(self, execution: Execution, readiness: Readiness | None) -> dict[str, Any]:
        """Returns the content of `env.json`. `readiness` is None until it is known."""
        return {
            "hostVersion": self._services.version,
            "schemaVersion": execution.meta.schema_version,
            "os": "" if readiness is None else readiness.os,
            "session": "" if readiness is None else readiness.session,
            "confirmMode": self._services.confirmation.mode,
            "method": execution.method,
            "executionId": execution.id,
            "requestId": execution.meta.request_id,
            "paramsDigest": execution.params_digest,
            "timeoutMs": execution.meta.timeout_ms,
            "workspacePath": execution.meta.workspace_path,
            "peer": {"pid": execution.peer.pid, "uid": execution.peer.uid, "auditTokenDigest": execution.peer.digest},
        }

    async def _close_failed(self, execution: Execution, failure: Failure) -> Failure:
        await self._close(execution, failure)
        return failure

    async def _close(self, execution: Execution, failure: Failure | None, result: Result | None = None) -> None:
        """Writes the end of the evidence. Once the call has acted, a disk error doesn't turn it into a failure."""
        record = execution.record
        line: dict[str, Any] = {
            "ts": stamp(self._now()),
            "executionId": execution.id,
            "requestId": execution.meta.request_id,
            "method": execution.method,
            "ok": failure is None,
            "evidenceDir": record.dir,
        }
        evidence: dict[str, Any] = {"dir": record.dir}
        if failure is None:
            record.add(RESULT, {"ok": True, "result": result})
        else:
            line["errorCode"] = self.error_object(failure)["code"]
            where = {"executionId": execution.id, "evidence": evidence}
            failure.details = {**failure.details, "acted": execution.has_acted, **where}
            error = {"code": line["errorCode"], "message": failure.message, "details": failure.details}
            # A call about which a person is asked again has not ended yet.
            is_asked_again = isinstance(failure, ShownChanged) and execution.meta.execution_id is not None
            record.add(REFUSED if is_asked_again else RESULT, {"ok": False, "error": error})
        record.note("end", ok=failure is None)
        record.set_index_line(line)
        try:
            await record.save()
        except Failure as failure_to_save:
            logger.error("the evidence of %s is incomplete: %s", execution.id, failure_to_save.message)
            if failure is None and not execution.has_acted:
                raise
        if execution.is_audited:
            await self._audit_end(execution, failure)
        if failure is not None and execution.meta.execution_id is not None:
            evidence["sha256"] = record.hashes

    async def _audit_end(self, execution: Execution, failure: Failure | None) -> None:
        evidence = {"dir": execution.record.path, "sha256": execution.record.hashes}
        duration_ms = round((time.perf_counter() - execution.began) * 1000, 3)
        try:
            record = execution.audit_record("end", **outcome_of(failure), evidence=evidence, durationMs=duration_ms)
            await self._services.audit.add(record, durable=True)
        except Failure as failure_to_save:
            logger.error("the end of %s is not on record: %s", execution.id, failure_to_save.message)


ALLOW_LIST = "allowlist.json"
_MAX_ALLOW_LIST_BYTES = 1 << 20


def check_caller(caller: PeerProcess, workspace: Folder, own_uid: int) -> None:
    """Raises CallerNotAllowed, also if the allow-list can't be read."""
    try:
        data = workspace.read(ALLOW_LIST, _MAX_ALLOW_LIST_BYTES) if workspace.has(ALLOW_LIST) else None
    except Failure as failure:
        raise _refused(caller, f"the allow-list can't be read: {failure.message}") from None
    if data is None:
        if caller.peer.uid != own_uid:
            raise _refused(caller, "only the host's own user may call in this workspace")
    elif not any(_matches_caller(caller, entry) for entry in _entries(caller, data)):
        raise _refused(caller, "the allow-list doesn't contain it")


def _entries(caller: PeerProcess, data: bytes) -> list[str]:
    try:
        value: Any = strict_json.decode(data)
    except InvalidParams as failure:
        raise _refused(caller, f"the allow-list can't be read: {failure.message}") from None
    entries = value.get("callers") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise _refused(caller, 'the allow-list can\'t be read: it is not {"callers": ["…"]}')
    return entries


def _matches_caller(caller: PeerProcess, entry: str) -> bool:
    """Entries with `pid:` and `exe:` match the process that connected, while it is alive."""
    kind, _, value = entry.partition(":")
    if entry == "*":
        return True
    if kind == "uid":
        return value == str(caller.peer.uid)
    if kind == "pid":
        return value == str(caller.peer.pid) and caller.is_alive()
    return kind == "exe" and bool(value) and caller.program() == value


def _refused(caller: PeerProcess, reason: str) -> CallerNotAllowed:
    return CallerNotAllowed(
        f"The process {caller.peer.pid} may not call here: {reason}.",
        hint=f'<workspace>/{ALLOW_LIST}: {{"callers": ["uid:…", "pid:…", "exe:/…", "*"]}}',
    )
