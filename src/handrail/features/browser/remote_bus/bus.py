"""The bus of a running `handrail up`, over HTTP, for handrail's other processes."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from handrail.features.browser.bus import catalogue
from handrail.features.browser.bus.artifacts import MAX_BYTES
from handrail.features.browser.bus.outcome import LOOK_FIRST, mark_maybe_done
from handrail.features.browser.remote_bus.server_client import Answer, FindServer, ServerClient, ServerGone
from handrail.ports.browser import ActionResult, Actions, Artifact, OpenTabs, TaskRecord, UploadSlot
from handrail.ports.browser_errors import unpack_failure
from handrail.ports.errors import Failure, Internal, TooLarge


class RemoteBus:
    def __init__(self, find: FindServer) -> None:
        self._server = ServerClient(find)

    async def act(
        self,
        task: str,
        actions: Actions,
        *,
        timeout_ms: int | None = None,
        trace_id: str | None = None,
        denied: Sequence[str] = (),
        origin: str | None = None,
    ) -> ActionResult:
        body: dict[str, Any] = {"taskId": task, "actions": actions, "denied": denied}
        if origin is not None:
            body["origin"] = origin
        if timeout_ms is not None:
            body["timeoutMs"] = timeout_ms
        headers = {} if trace_id is None else {"X-Trace-Id": trace_id}
        try:
            data = await self.data("POST", "/api/browser/act", body, headers)
        except ServerGone as gone:
            if not catalogue.are_idempotent(actions):
                gone.hint = LOOK_FIRST
                mark_maybe_done(gone)
            raise
        done = msgspec.convert(data, ActionResult)
        if "pageUrl" in data:
            done.result.setdefault("pageUrl", data["pageUrl"])
        return done

    async def task_for(self, caller: str, task: str | None) -> TaskRecord:
        return msgspec.convert(await self.data("POST", "/api/browser/task", _caller_body(caller, task)), TaskRecord)

    async def open_tabs(self, caller: str, task: str | None) -> OpenTabs:
        return msgspec.convert(await self.data("POST", "/api/browser/tabs", _caller_body(caller, task)), OpenTabs)

    async def artifact(self, artifact_id: str) -> Artifact:
        answer = await self._server.ask("GET", f"/api/artifacts/{quote(artifact_id, safe='')}", b"", {})
        if answer.status != 200:
            raise _failure(answer)
        kind = answer.headers.get("x-artifact-kind", "")
        return Artifact(artifact_id, kind, answer.headers.get("content-type", ""), answer.body)

    async def store_artifact(self, task: str, kind: str, content_type: str, data: bytes, name: str = "") -> str:
        if len(data) > MAX_BYTES:  # the server would cut the connection, and its error would be lost
            raise TooLarge(f"An artifact can't be larger than {MAX_BYTES} bytes.", maxUploadBytes=MAX_BYTES)
        body = {"taskId": task, "kind": kind, "contentType": content_type, "name": name}
        slot = msgspec.convert(await self.data("POST", "/api/artifacts/presign", body), UploadSlot)
        place = urlsplit(slot.upload_url)
        answer = await self._server.ask("PUT", f"{place.path}?{place.query}", data, {})
        if answer.status != 200:
            raise _failure(answer)
        return slot.artifact_id

    async def data(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """Returns the data of the server's answer. Raises its errors."""
        sent = b"" if body is None else msgspec.json.encode(body)
        answer = await self._server.ask(method, path, sent, {"Content-Type": "application/json", **(headers or {})})
        if answer.status != 200:
            raise _failure(answer)
        return msgspec.json.decode(answer.body)["data"]

    async def close(self) -> None:
        """Closes idle connections."""
        await self._server.close()


def _caller_body(caller: str, task: str | None) -> dict[str, str]:
    return {"caller": caller} if task is None else {"caller": caller, "taskId": task}


def _failure(answer: Answer) -> Failure:
    """The failure that the server's bus raised, otherwise one made from the HTTP error."""
    try:
        error = json.loads(answer.body)["error"]
        details = error["details"]
        if (exact := details.get("failure")) is not None:
            return unpack_failure(exact)
        context = {**details.get("context", {}), **{key: details[key] for key in ("fieldErrors",) if key in details}}
        return unpack_failure({**error, "retryable": details.get("retryable", False), "details": context})
    except (ValueError, KeyError, TypeError, AttributeError):
        return Internal(f"The server answered with status {answer.status} and an invalid body.")
