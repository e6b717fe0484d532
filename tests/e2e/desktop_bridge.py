"""`handrail desktop-host` on a test desktop, and a client written from contract 1 only."""

import fcntl
import json
import socket
import termios
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from tests.desktop_session import DesktopSession
from tests.persons import HANDRAIL
from tests.waiting import until

Json = dict[str, Any]
PATIENCE_MS = 60_000


class Refused(AssertionError):
    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']}: {error['message']} {error.get('details')}")
        self.error = error


class DesktopClient:
    """Makes calls one after the other, each confirmed by the contract's phrase."""

    def __init__(self, path: Path, workspace: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(2 * PATIENCE_MS / 1000)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile("r", encoding="utf-8")
        self._numbers = count(1)
        self._workspace = workspace

    def close(self) -> None:
        self._answers.close()
        self._socket.close()

    def call(self, method: str, **params: Any) -> Json:
        return self.end(self.begin(method, **params))

    def begin(self, method: str, **params: Any) -> str:
        id = str(next(self._numbers))
        meta = {"schemaVersion": 1, "requestId": id, "workspacePath": str(self._workspace), "timeoutMs": PATIENCE_MS}
        request = {"jsonrpc": "2.0", "id": id, "method": f"desktop.{method}", "params": {"meta": meta, **params}}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        return id

    def is_read(self) -> bool:
        """Whether the host has read everything that was sent."""
        descriptor_count = array("i", [0])
        fcntl.ioctl(self._socket.fileno(), termios.TIOCOUTQ, descriptor_count)
        return descriptor_count[0] == 0

    def end(self, id: str) -> Json:
        answer = json.loads(self._answers.readline())
        assert answer["id"] == id
        if "error" in answer:
            raise Refused(answer["error"])
        result: Json = answer["result"]
        return result


class Program:
    """One program, with short methods for tests. `bundle_id` is its name in a route."""

    def __init__(self, client: DesktopClient, bundle_id: str, title: str | None = None) -> None:
        self._client = client
        self._route: Json = {"app": {"bundleId": bundle_id}, "focusPolicy": "focusIfNeeded"}
        if title is not None:
            self._route["window"] = {"titlePattern": title}

    def window(self, title: str) -> "Program":
        """Returns the only one of its windows whose title matches."""
        return Program(self._client, self._route["app"]["bundleId"], title)

    def find(self, **selector: Any) -> list[Json]:
        refs: list[Json] = self._client.call("find", route=self._route, selector=selector)["elementRefs"]
        return refs

    def waits_for(self, **selector: Any) -> Json:
        """Waits for matches and returns the first one."""
        self._client.call("waitUntil", route=self._route, condition={"selectorExists": selector}, timeoutMs=PATIENCE_MS)
        return self.find(**selector)[0]

    def waits_until_gone(self, **selector: Any) -> None:
        self._client.call("waitUntil", route=self._route, condition={"selectorGone": selector}, timeoutMs=PATIENCE_MS)

    def clicks(self, ref: Json | None = None, **selector: Any) -> Json:
        target = {"elementRef": _ref(ref)} if ref else {"selector": selector}
        result = self._act("click", target=target)
        assert result["clicked"] is True
        return result

    def types(self, text: str, ref: Json | None = None, *, clear: bool = False, **selector: Any) -> Json:
        target = {"elementRef": _ref(ref)} if ref else {"selector": selector} if selector else None
        more = {"target": target} if target else {}
        result = self._act("typeText", text=text, options={"clearBefore": clear}, **more)
        assert result["typed"] is True
        return result

    def presses(self, *keys: str) -> None:
        assert self._act("hotkey", keys=list(keys))["sent"] is True

    def observes(self) -> tuple[Json, Path]:
        """Returns the answer and the folder of its evidence."""
        result = self._client.call("observe", route=self._route)
        return result, Path(result["evidence"]["dir"])

    def _act(self, method: str, **params: Any) -> Json:
        return self._client.call(method, confirm={"phrase": "CONFIRM"}, route=self._route, **params)


@contextmanager
def bridge(session: DesktopSession, folder: Path) -> Iterator[DesktopClient]:
    """A host that accepts the contract's phrases, and a client of it with its own workspace."""
    workspace, path = folder / "workspace", folder / "desktop.sock"
    workspace.mkdir()
    options = ["--socket", str(path), "--workspace-root", str(folder), "--state", str(folder / "state")]
    host = session.start([str(HANDRAIL), "desktop-host", "--confirm", "contract", *options], wait_for="nothing")
    until(lambda: str(path) in host.said or not host.is_running, lambda: host.said)
    assert host.is_running, host.said
    client = DesktopClient(path, workspace)
    try:
        yield client
    finally:
        client.close()
        session.end(host)


def _ref(element: Json) -> Json:
    return {"elementId": element["elementId"], "fingerprint": element["fingerprint"]}
