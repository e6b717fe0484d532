"""Attacks on an approval in a window: a real GTK dialog changes between the question and the action."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handrail.features.desktop.host import effects
from handrail.kernel.call import Call
from handrail.kernel.tool import Reply
from handrail.ports.errors import Declined
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt
from tests.desktop_apps import ROOT, SYSTEM_PYTHON
from tests.desktop_session import DesktopSession
from tests.e2e.test_desktop_once import AGENT, Bench, benched
from tests.waiting import eventually, until

ROUTE = {"window": {"titlePattern": "^Payment$"}}
PAY = {"target": {"selector": {"byRole": "AXButton", "titleContains": "Pay"}}, "route": ROUTE}
CANVAS = {"target": {"selector": {"titleContains": "Canvas"}}, "route": ROUTE}
FIELD = {"target": {"selector": {"byRole": "AXTextField", "titleContains": "Amount"}}, "route": ROUTE, "text": "2"}
ENTER = {"keys": ["enter"], "route": ROUTE}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Dialog:
    """The dialog on the screen, the call that a person is asked about, and the buttons that were pressed."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self.bench, self.folder = bench, folder
        self._calling: asyncio.Task[Reply] | None = None

    def calls(self, tool: str, params: dict[str, Any]) -> None:
        self._calling = asyncio.create_task(self.bench.rig.gate.run(Call(tool, params, AGENT)))

    async def question(self) -> FileChangePrompt:
        queue = self.bench.rig.stores.prompts
        asked = await eventually(queue.pending, lambda: f"nothing was asked: {self._calling}", within=20)
        assert isinstance(asked[0].prompt, FileChangePrompt)
        return asked[0].prompt

    async def changes(self) -> None:
        (self.folder / "now").touch()
        await eventually(lambda: (self.folder / "now.done").exists())

    async def answers(self, status: str) -> None:
        queue = self.bench.rig.stores.prompts
        (asked,) = await queue.pending()
        await queue.respond(asked.request_id, PromptResponse(status=status), by="console:ada")  # type: ignore[arg-type]

    async def ended(self) -> Reply:
        assert self._calling is not None
        return await self._calling

    def pressed(self) -> list[str]:
        out = self.folder / "out"
        return out.read_text().splitlines() if out.exists() else []


Open = Callable[[str], Any]


@pytest.fixture
def opened(desktop_session: DesktopSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    @asynccontextmanager
    async def opened(change: str) -> AsyncIterator[Dialog]:
        given = ["--change", change, "--now", str(tmp_path / "now"), "--out", str(tmp_path / "out")]
        app = desktop_session.start(
            ["env", f"PYTHONPATH={ROOT}", SYSTEM_PYTHON, "-m", "tests.desktop_apps.payment", *given]
        )
        try:
            with desktop_session.entered():
                async with benched(tmp_path, monkeypatch) as bench:
                    yield Dialog(bench, tmp_path)
        finally:
            desktop_session.end(app)

    return opened


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "params", "change"),
    [
        ("desktop_click", PAY, "label"),
        ("desktop_click", PAY, "value"),
        ("desktop_click", PAY, "tick"),
        ("desktop_type_text", FIELD, "label"),
        ("desktop_hotkey", ENTER, "label"),
        ("desktop_click", CANVAS, "painted"),
    ],
)
async def test_a_dialog_that_changes_while_a_person_is_asked_is_asked_about_again(
    opened: Open, tool: str, params: dict[str, Any], change: str
) -> None:
    async with opened(change) as dialog:
        dialog.calls(tool, params)
        first = await dialog.question()
        assert "Pay 1 EUR to Bob" in str(first.message)
        await dialog.changes()
        await dialog.answers("ok")
        again = await dialog.question()
        assert again.changed
        assert "has changed since you allowed it" in str(again.message)
        await dialog.answers("canceled")
        with pytest.raises(Declined):
            await dialog.ended()
        assert dialog.pressed() == []


@pytest.mark.anyio
async def test_a_second_approval_is_carried_out_with_complete_evidence(opened: Open) -> None:
    async with opened("label") as dialog:
        dialog.calls("desktop_click", PAY)
        await dialog.question()
        await dialog.changes()
        await dialog.answers("ok")
        again = await dialog.question()
        assert any("Mallory" in line for line in again.changed or ())
        await dialog.answers("ok")
        assert (await dialog.ended()).result.clicked is True
        until(dialog.pressed)
        assert dialog.pressed() == ["Pay 9999 EUR to Mallory, 1"]
        (folder,) = dialog.bench.folders()
        kept = {"before.png", "again-1-before.png", "request.json", "again-1-request.json", "refused.json"}
        assert kept <= {file.name for file in folder.iterdir()}


@pytest.mark.trial("swapped", is_long=True)
@pytest.mark.anyio
@pytest.mark.parametrize(("params", "change"), [(PAY, "clock"), (CANVAS, "caret")])
async def test_a_clock_or_a_caret_is_not_a_change(opened: Open, params: dict[str, Any], change: str) -> None:
    async with opened(change) as dialog:
        dialog.calls("desktop_click", params)
        await dialog.question()
        await dialog.changes()
        await dialog.answers("ok")
        assert (await dialog.ended()).result.clicked is True
        assert until(dialog.pressed)


@pytest.mark.anyio
async def test_the_region_is_captured_once_if_only_pixels_can_show_a_change(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "_SNAPSHOT_SECONDS", 60)  # a program that answers late is also compared by its picture
    async with opened("none") as dialog:
        dialog.calls("desktop_click", CANVAS)
        await dialog.question()
        await dialog.answers("ok")
        await dialog.ended()
        assert dialog.bench.sent == ["desktop.locate", "desktop.click"]
        assert dict(dialog.bench.seen) == {"screenshots": 2, "regions": 1}
