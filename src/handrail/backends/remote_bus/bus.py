"""The bus of a running `handrail up`, reached over HTTP by handrail's other processes.

Which server that is, is asked at every call: it may start, stop and start again while this process lives.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from handrail.backends.remote_bus.kept_line import Answer, KeptLine
from handrail.contract.browser import ActionResult, Actions, Artifact, OpenTabs, Slot, TaskRecord
from handrail.contract.errors import Failure, Internal, Offline, TooLarge
from handrail.core.mimo.artifacts import MAX_BYTES
from handrail.dialects.mimo import failure_of

_CONNECT_WITHIN = 5.0


@dataclass(frozen=True, slots=True)
class BusAddress:
    """Where a server is, and the headers that it wants to be shown."""

    host: str
    port: int
    credentials: Mapping[str, str]


class RemoteBus:
    """`find` gives the running server, or None."""

    def __init__(self, find: Callable[[], BusAddress | None]) -> None:
        self._find = find
        self._idle: list[tuple[BusAddress, KeptLine]] = []

    async def act(
        self, task: str, actions: Actions, *, timeout_ms: int | None = None, trace_id: str | None = None
    ) -> ActionResult:
        body: dict[str, Any] = {"taskId": task, "actions": actions}
        if timeout_ms is not None:
            body["timeoutMs"] = timeout_ms
        headers = {} if trace_id is None else {"X-Trace-Id": trace_id}
        told = await self.data("POST", "/api/browser/act", body, headers)
        done = msgspec.convert(told, ActionResult)
        if "pageUrl" in told:
            done.result.setdefault("pageUrl", told["pageUrl"])
        return done

    async def task_for(self, caller: str, task: str | None) -> TaskRecord:
        return msgspec.convert(await self.data("POST", "/api/browser/task", _own(caller, task)), TaskRecord)

    async def open_tabs(self, caller: str, task: str | None) -> OpenTabs:
        return msgspec.convert(await self.data("POST", "/api/browser/tabs", _own(caller, task)), OpenTabs)

    async def artifact(self, artifact_id: str) -> Artifact:
        answer = await self._request("GET", f"/api/artifacts/{quote(artifact_id, safe='')}", b"", {})
        if answer.status != 200:
            raise _failure(answer)
        kind = answer.headers.get("x-artifact-kind", "")
        return Artifact(artifact_id, kind, answer.headers.get("content-type", ""), answer.body)

    async def keep(self, task: str, kind: str, content_type: str, data: bytes, name: str = "") -> str:
        if len(data) > MAX_BYTES:  # the server would cut the connection, and an error would be lost with it
            raise TooLarge(f"An artifact may have {MAX_BYTES} bytes.", maxUploadBytes=MAX_BYTES)
        body = {"taskId": task, "kind": kind, "contentType": content_type, "name": name}
        slot = msgspec.convert(await self.data("POST", "/api/artifacts/presign", body), Slot)
        place = urlsplit(slot.upload_url)
        answer = await self._request("PUT", f"{place.path}?{place.query}", data, {})
        if answer.status != 200:
            raise _failure(answer)
        return slot.artifact_id

    async def data(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """What the server's API answers; what it refuses is raised."""
        sent = b"" if body is None else msgspec.json.encode(body)
        answer = await self._request(method, path, sent, {"Content-Type": "application/json", **(headers or {})})
        if answer.status != 200:
            raise _failure(answer)
        return msgspec.json.decode(answer.body)["data"]

    def close(self) -> None:
        """Ends the connections that are kept."""
        for _, line in self._idle:
            line.close()
        self._idle.clear()

    async def _request(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Who is cancelled closes the connection, and so the server ends the call."""
        server = self._find()
        if server is None:
            raise _nobody_there()
        lines = {
            "Host": f"{server.host}:{server.port}",
            **server.credentials,
            "Content-Length": str(len(body)),
            **headers,
        }
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        line = self._kept(server) or await _opened(server)
        try:
            answer = await line.ask(f"{head}\r\n".encode() + body)
        except (OSError, ValueError):
            line.close()
            raise Offline("The server went away before it answered.", hint="Start it again: `handrail up`.") from None
        except BaseException:
            line.close()
            raise
        self._idle.append((server, line))
        return answer

    def _kept(self, server: BusAddress) -> KeptLine | None:
        """A connection to this very server that nobody uses; the others are of no use any more."""
        loop = asyncio.get_running_loop()
        idle, self._idle = self._idle, []
        for known, line in idle:
            if known == server and line.is_usable(loop):
                self._idle.append((known, line))
            else:
                line.close()
        return self._idle.pop()[1] if self._idle else None


async def _opened(server: BusAddress) -> KeptLine:
    try:
        async with asyncio.timeout(_CONNECT_WITHIN):
            return await KeptLine.open(server.host.strip("[]"), server.port)
    except (OSError, TimeoutError):
        raise _nobody_there() from None


def _own(caller: str, task: str | None) -> dict[str, str]:
    return {"caller": caller} if task is None else {"caller": caller, "taskId": task}


def _failure(answer: Answer) -> Failure:
    """The action's own error where there is one, or else HTTP's."""
    try:
        error = json.loads(answer.body)["error"]
        error = error["details"].get("toolError", error)
        details = error["details"]
        known = dict(details.get("context", {}))
        if field_errors := details.get("fieldErrors"):
            known["fieldErrors"] = field_errors
        return failure_of(
            error["code"],
            error["message"],
            retryable=details.get("retryable", False),
            hint=details.get("hint"),
            details=known,
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return Internal(f"The server answered {answer.status}, and what it said makes no sense.")


def _nobody_there() -> Offline:
    return Offline(
        "No handrail server runs here, so no browser is connected.",
        hint="Start one with `handrail up` and open the browser that has the extension.",
    )
