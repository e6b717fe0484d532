"""A click that needs approval passes one gate, and nothing is done twice."""

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.desktop_port import CoveredArea, DesktopPort, Mark, Rect, Screenshot, Window
from handrail.features.desktop.host_client.client import Connection
from handrail.features.desktop.host_program import serve_desktop
from handrail.kernel.call import Call
from handrail.kernel.content import Image
from handrail.kernel.project import Project
from handrail.kernel.queue_approver import AskInQueue
from handrail.ports.errors import Declined
from handrail.ports.identity import Caller
from handrail.ports.prompt_response import PromptResponse
from handrail.wiring import Wiring
from tests.desktop_apps import command, texts
from tests.desktop_session import DesktopSession

AGENT = Caller("mcp", "agent", "uid:0", "stdio:test")
COUNT = {"selector": {"byRole": "AXButton", "titleContains": texts.COUNT}}
ROUTE = {"window": {"titlePattern": "^Once bench$"}}


PROBE = Rect(0, 0, 1, 1)
"""The pixel with which the host checks, once, whether it can take screenshots."""


class CountingDesktop(LinuxDesktop):
    def __init__(self, calls_per_method: "Counter[str]") -> None:
        super().__init__()
        self._seen = calls_per_method

    async def screenshot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        marked: Sequence[Mark] = (),
        hidden: Sequence[Window] = (),
        covered: Sequence[CoveredArea] = (),
    ) -> Screenshot:
        if area != PROBE:
            self._seen["screenshots" if area is None else "regions"] += 1
        return await super().screenshot(
            area, outlined=outlined, cropped=cropped, marked=marked, hidden=hidden, covered=covered
        )


class Bench:
    """The gateway and the host, connected by a real socket, and the messages on it."""

    def __init__(self, rig: Project, requests: "Counter[str]", sent: list[str]) -> None:
        self.rig, self.seen, self.sent = rig, requests, sent
        self.project = Path(rig.location)

    async def click(self) -> Any:
        """Makes a call, and approves it if there is a question."""
        call = Call("desktop_click", {"target": COUNT, "route": ROUTE}, AGENT)
        clicking = asyncio.create_task(self.rig.gate.run(call))
        answering = asyncio.create_task(self._answer())
        try:
            return (await clicking).result
        finally:
            answering.cancel()

    async def _answer(self) -> None:
        async for _ in self.rig.stores.prompts.follow(0):
            for prompt in await self.rig.stores.prompts.pending():
                await self.rig.stores.prompts.respond(prompt.request_id, PromptResponse(status="ok"), by="console:ada")

    def rows(self, table: str) -> int:
        with sqlite3.connect(self.rig.stores.path / "handrail.db") as database:
            (count,) = database.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(count)

    def folders(self) -> list[Path]:
        """Returns the folders of evidence anywhere in the project."""
        return sorted(folder.parent for folder in self.project.rglob("result.json"))

    def audit(self) -> list[dict[str, Any]]:
        return list(self.rig.audit.entries())

    def index(self) -> list[dict[str, Any]]:
        file = self.project / "artifacts/desktop/index.ndjson"
        return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def on_screen(desktop_session: DesktopSession) -> Iterator[None]:
    app = desktop_session.start(command("gtk3", "--title", "Once bench"))
    with desktop_session.entered():
        yield
    desktop_session.end(app)


@asynccontextmanager
async def benched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    calls_per_method, requests, listening = Counter[str](), list[str](), asyncio.Event()
    send = Connection.send

    def sending(self: Connection, id: str, method: str, params: dict[str, Any]) -> None:
        if method != "desktop.health":  # asked once per connection: whether this host accepts the project
            requests.append(method)
        send(self, id, method, params)

    monkeypatch.setattr(Connection, "send", sending)
    monkeypatch.setenv("HANDRAIL_DESKTOP", "true")
    monkeypatch.setenv("HANDRAIL_CALL_PERSON", "false")
    (folder / "project").mkdir()

    async def open_desktop() -> DesktopPort:
        return CountingDesktop(calls_per_method)

    hosting = asyncio.create_task(
        serve_desktop(
            folder / "project",
            Wiring(),
            folder / "state",
            "human",
            lambda _: listening.set(),
            open_desktop=open_desktop,
        )
    )
    await listening.wait()
    rig = Wiring().open_project(folder / "project", folder / "state", AskInQueue())
    try:
        async with rig.in_use():
            await rig.part("desktop")._host.call("desktop.health", {}, timeout_ms=20_000)
            yield Bench(rig, calls_per_method, requests)
    finally:
        rig.close()
        hosting.cancel()
        with suppress(asyncio.CancelledError):
            await hosting


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_a_click_with_approval_takes_two_calls_two_screenshots_and_one_of_everything_else(
    on_screen: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with benched(tmp_path, monkeypatch) as bench:
        result = await bench.click()
        assert result.clicked is True
        assert bench.sent == ["desktop.locate", "desktop.click"]
        assert bench.seen["screenshots"] == 2
        assert bench.seen["regions"] <= 1
        assert (bench.rows("token"), bench.rows("claimed")) == (1, 1)
        (folder,) = bench.folders()
        records = bench.audit()
        assert [record["event"] for record in records] == ["ask", "begin", "end"]
        ids = {result.execution_id, folder.name, *(line["executionId"] for line in [*records, *bench.index()])}
        assert len(ids) == 1
        digests = {record["paramsDigest"] for record in records}
        digests.add(json.loads((folder / "env.json").read_text())["paramsDigest"])
        assert len(digests) == 1
        evidence_files = {"before.png", "after.png", "env.json", "request.json", "result.json", "trace.jsonl"}
        assert {file.name for file in folder.iterdir()} == evidence_files
        assert evidence_files == set(records[-1]["evidence"]["sha256"])


@pytest.mark.anyio
async def test_a_click_that_a_rule_allows_takes_the_same_number_of_calls(
    on_screen: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with benched(tmp_path, monkeypatch) as bench:
        rule = '[[rules]]\ntool = "desktop_click"\ndecision = "allow"\n'
        (bench.rig.stores.path / "config.toml").write_text(rule)
        await bench.click()
        assert bench.sent == ["desktop.locate", "desktop.click"]
        assert bench.seen["screenshots"] == 2
        assert (bench.rows("token"), bench.rows("claimed")) == (1, 0)
        (folder,) = bench.folders()
        assert (folder / "before.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.anyio
async def test_a_click_that_a_rule_forbids_leaves_no_picture(
    on_screen: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with benched(tmp_path, monkeypatch) as bench:
        rule = '[[rules]]\ntool = "desktop_click"\ndecision = "deny"\n'
        (bench.rig.stores.path / "config.toml").write_text(rule)
        with pytest.raises(Declined):
            await bench.click()
        assert list(bench.project.rglob("*.png")) == []


@pytest.mark.anyio
async def test_an_observation_takes_one_call_and_one_screenshot_which_is_stored_once(
    on_screen: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with benched(tmp_path, monkeypatch) as bench:
        reply = await bench.rig.gate.run(Call("desktop_observe", {"route": ROUTE}, AGENT))
        assert bench.sent == ["desktop.observe"]
        assert bench.seen["screenshots"] == 1
        (picture,) = bench.project.rglob("*.png")
        assert picture.name == "observe.png"
        (image,) = (part for part in reply.content if isinstance(part, Image))
        assert image.data == picture.read_bytes()
        evidence = bench.audit()[-1]["evidence"]
        assert evidence["pictures"] == ["observe.png"]
        assert set(evidence["sha256"]) == {file.name for file in picture.parent.iterdir()}
