"""The host: one request in, one result or failure out. Knows no socket; the face knows no method.

Read → workspace → caller → ready → run with a deadline, in the workspace's lane where it acts → evidence.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from typing import Any
from uuid import uuid4

from handrail.features.desktop.host import params as wire
from handrail.features.desktop.host.acting import act, do
from handrail.features.desktop.host.conditions import CallerNotAllowed, UnknownMethod
from handrail.features.desktop.host.confirmation import params_digest
from handrail.features.desktop.host.execution import REFUSED, RESULT, Execution, Record, stamp
from handrail.features.desktop.host.routing import check_pattern
from handrail.features.desktop.host.services import Action, Deed, Inquiry, Method, Reading, Result, Services, Visit
from handrail.features.desktop.platform import Readiness
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
        """Such methods are short, or end others, so more of them may run at once."""
        return isinstance(self._methods.get(method), Inquiry)

    def answer_at_once(self, id: str, method: str, params: Mapping[str, Any], caller: PeerProcess) -> Result | None:
        """The result if it is known already; otherwise None, and `answer` must be awaited."""
        found = self._methods.get(method)
        if not isinstance(found, Inquiry) or found.at_once is None:
            return None
        return found.at_once(self._services, *self._admitted(found, id, params, caller))

    async def answer(self, id: str, method: str, params: Mapping[str, Any], caller: PeerProcess) -> Result:
        found = self._methods.get(method)
        if found is None:
            raise UnknownMethod(f"There is no method {method[:100]!r}.", hint=", ".join(self._methods))
        visit, typed = self._admitted(found, id, params, caller)
        if isinstance(found, Inquiry):
            return await found.run(self._services, visit, typed)
        self._services.source.check()
        return await self._run(found, visit, typed, params_digest(params))

    def _admitted(self, method: Method, id: str, params: Mapping[str, Any], caller: PeerProcess) -> tuple[Visit, Any]:
        """Checks parameters, workspace and caller."""
        typed = wire.read(params, method.params)
        if isinstance(typed, wire.RoutedParams):
            check_pattern(typed.route)
        workspace = self._workspaces(typed.meta.workspace_path)
        check_caller(caller, workspace, self._own_uid)
        return Visit(id, caller, workspace, typed.meta), typed

    async def _run(self, method: Reading | Action | Deed, visit: Visit, params: Any, digest: str) -> Result:
        execution = self._execution(method, visit, digest)
        execution.record.note("begin", method=method.name, requestId=visit.meta.request_id)
        try:
            with self._services.executions.running(execution):
                execution.record.add("env.json", self._surroundings(execution, None))
                result = await self._on_time(method, execution, params)
        except asyncio.CancelledError:
            why = "It was aborted." if execution.is_aborted else "The caller disconnected, or the host is stopping."
            raise await self._failed(execution, Aborted(why)) from None
        except Failure as failure:
            raise await self._failed(execution, failure) from None
        except Exception as fault:  # noqa: BLE001 - logged
            raise await self._failed(execution, unexpected_error(method.name, fault)) from None
        unrecorded = () if isinstance(method, Action) else method.unrecorded
        await self._close(execution, None, {name: value for name, value in result.items() if name not in unrecorded})
        if visit.meta.execution_id is not None and "evidence" in result:
            result["evidence"] = {**result["evidence"], "sha256": execution.record.hashes}
        return result

    async def _on_time(self, method: Reading | Action | Deed, execution: Execution, params: Any) -> Result:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(execution.deadline)
            readiness = await self._services.source.readiness(is_fresh=False)
            execution.record.add("env.json", self._surroundings(execution, readiness))
            if isinstance(method, Reading):
                return {"executionId": execution.id, **await method.run(self._services, execution, params)}
            self._services.confirmation.read(params.confirm, execution.meta.request_id)
            await stack.enter_async_context(self._lanes.turn(execution.workspace.location))
            if isinstance(method, Deed):
                return {"executionId": execution.id, **await do(self._services, execution, method, params)}
            return {"executionId": execution.id, **await act(self._services, execution, method, params)}

    def _execution(self, method: Reading | Action | Deed, visit: Visit, digest: str) -> Execution:
        meta, task = visit.meta, asyncio.current_task()
        assert task is not None
        id = meta.execution_id or str(uuid4())
        at, is_shared = meta.began_at or self._now(), meta.execution_id is not None
        record = Record(visit.workspace, meta.workspace_path, id, at, is_shared=is_shared)
        if id in self._services.executions or (is_shared and record.has(RESULT)):
            raise InvalidParams("params.meta.executionId: was used before.", field="params.meta.executionId")
        return Execution(
            id=id,
            rpc_id=visit.rpc_id,
            method=method.name,
            meta=meta,
            peer=visit.caller.peer,
            workspace=visit.workspace,
            record=record,
            deadline=Deadline(method.name, meta.timeout_ms),
            params_digest=digest,
            task=task,
        )

    def _surroundings(self, execution: Execution, readiness: Readiness | None) -> dict[str, Any]:
        """`env.json`; `readiness` is None until it is known."""
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

    async def _failed(self, execution: Execution, failure: Failure) -> Failure:
        await self._close(execution, failure)
        return failure

    async def _close(self, execution: Execution, failure: Failure | None, result: Result | None = None) -> None:
        """Writes the end of the evidence. After the call has acted, a failing disk doesn't make it an error."""
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
            # What a person is asked about again has not ended yet.
            is_asked_again = isinstance(failure, ShownChanged) and execution.meta.execution_id is not None
            record.add(REFUSED if is_asked_again else RESULT, {"ok": False, "error": error})
        record.note("end", ok=failure is None)
        record.enter(line)
        try:
            await record.save()
        except Failure as lost:
            logger.error("the evidence of %s is incomplete: %s", execution.id, lost.message)
            if failure is None and not execution.has_acted:
                raise
        if execution.is_audited:
            await self._audit_end(execution, failure)
        if failure is not None and execution.meta.execution_id is not None:
            evidence["sha256"] = record.hashes

    async def _audit_end(self, execution: Execution, failure: Failure | None) -> None:
        evidence = {"dir": execution.record.path, "sha256": execution.record.hashes}
        took = round((time.perf_counter() - execution.began) * 1000, 3)
        try:
            record = execution.audited("end", **outcome_of(failure), evidence=evidence, durationMs=took)
            await self._services.audit.add(record, durable=True)
        except Failure as lost:
            logger.error("the end of %s is not on record: %s", execution.id, lost.message)


ALLOW_LIST = "allowlist.json"
_LARGEST = 1 << 20


def check_caller(caller: PeerProcess, workspace: Folder, own_uid: int) -> None:
    """CallerNotAllowed, also if the list can't be read."""
    try:
        data = workspace.read(ALLOW_LIST, _LARGEST) if workspace.has(ALLOW_LIST) else None
    except Failure as failure:
        raise _refused(caller, f"the allow-list can't be read: {failure.message}") from None
    if data is None:
        if caller.peer.uid != own_uid:
            raise _refused(caller, "only the host's own user may call in this workspace")
    elif not any(_is_meant(caller, entry) for entry in _entries(caller, data)):
        raise _refused(caller, "the allow-list does not have it")


def _entries(caller: PeerProcess, data: bytes) -> list[str]:
    try:
        value: Any = strict_json.decode(data)
    except InvalidParams as failure:
        raise _refused(caller, f"the allow-list can't be read: {failure.message}") from None
    entries = value.get("callers") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise _refused(caller, 'the allow-list can\'t be read: it is not {"callers": ["…"]}')
    return entries


def _is_meant(caller: PeerProcess, entry: str) -> bool:
    """`pid:` and `exe:` mean the process that connected, as long as it lives."""
    kind, _, value = entry.partition(":")
    if entry == "*":
        return True
    if kind == "uid":
        return value == str(caller.peer.uid)
    if kind == "pid":
        return value == str(caller.peer.pid) and caller.is_alive()
    return kind == "exe" and bool(value) and caller.program() == value


def _refused(caller: PeerProcess, why: str) -> CallerNotAllowed:
    return CallerNotAllowed(
        f"The process {caller.peer.pid} may not call here: {why}.",
        hint=f'<workspace>/{ALLOW_LIST}: {{"callers": ["uid:…", "pid:…", "exe:/…", "*"]}}',
    )
