"""The ruling on the moment of acting: a target is checked again after the wait for the input lock."""

from collections.abc import Awaitable
from typing import Any

import pytest

from handrail.features.desktop.desktop_port import Rect
from tests.scripted_desktop import Widget
from tests.waiting import eventually
from tests.wire.desktop_rig import PHRASE, Bridge, DesktopRig, Json, error_of

KEYS = {"keys": ["enter"]}


def bank() -> Widget:
    return Widget("h:bank", "AXWindow", "Bank", None, Rect(0, 0, 100, 100))


class Queue:
    """A call that has resolved its target and waits for the input lock, which another workspace has."""

    def __init__(self, desk: DesktopRig, first: Bridge, second: Bridge) -> None:
        self.desk, self.first, self.second = desk, first, second

    async def wait(self, method: str, **params: Any) -> Awaitable[Json]:
        self.desk.desktop.hold_typing()
        self._typing = self.first.send("desktop.typeText", confirm=PHRASE, text="a")
        await eventually(lambda: self.desk.desktop.is_held)
        looked = self.desk.desktop.windows_read
        waiting = self.second.send(method, confirm=PHRASE, **params)
        await eventually(lambda: self.desk.desktop.windows_read != looked)
        return waiting

    async def go(self) -> None:
        self.desk.desktop.let_type(1)
        await self._typing
        assert self.desk.desktop.sent.pop(0) == "type a"


@pytest.fixture
async def queue(desk: DesktopRig) -> Queue:
    (desk.root / "second").mkdir()
    return Queue(desk, await desk.connect(), await desk.connect(desk.root / "second"))


@pytest.mark.parametrize(
    ("method", "params", "step"),
    [("desktop.hotkey", KEYS, "keys enter"), ("desktop.typeText", {"text": "b"}, "type b")],
)
async def test_a_window_that_came_in_between_gets_no_keys(
    queue: Queue, method: str, params: dict[str, Any], step: str
) -> None:
    waiting = await queue.wait(method, **params)
    queue.desk.desktop.add("w:bank", bank(), app="org.example.Bank", pid=9, is_front=True)
    queue.desk.desktop.let_type(1)
    await queue.go()
    assert (await waiting)["result"]["routeResolved"]["windowTitle"] == "notes.txt – Notes"
    assert queue.desk.desktop.sent == ["front notes.txt – Notes", step]


async def test_keys_that_bring_nothing_to_the_front_are_refused_when_theirs_no_longer_is(queue: Queue) -> None:
    waiting = await queue.wait("desktop.hotkey", route={"focusPolicy": "never", "app": {"name": "notes"}}, **KEYS)
    queue.desk.desktop.add("w:bank", bank(), app="org.example.Bank", pid=9, is_front=True)
    await queue.go()
    assert error_of(await waiting)["details"]["acted"] is False
    assert queue.desk.desktop.sent == []


async def test_keys_stop_when_one_of_them_opens_another_window(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.on_keys = lambda: desk.desktop.add("w:bank", bank(), app="org.example.Bank", pid=9, is_front=True)
    error = await bridge.refused("desktop.hotkey", confirm=PHRASE, keys=["ctrl+o", "enter"], options={"delayMs": 0})
    assert (error["retryable"], error["details"]["acted"]) == (True, True)
    assert desk.desktop.sent == ["keys ctrl+o"]


@pytest.mark.parametrize("is_by_reference", [True, False])
@pytest.mark.parametrize("change", [{"title": "Delete all"}, {"role": "AXCheckBox"}, {"handle": "h:another"}])
async def test_an_element_that_became_another_in_between_is_not_hit(
    queue: Queue, change: dict[str, str], is_by_reference: bool
) -> None:
    (ref,) = await queue.second.find(titleContains="Save as")
    target = {"elementRef": ref} if is_by_reference else {"selector": {"titleContains": "Save as"}}
    waiting = await queue.wait("desktop.click", target=target)
    queue.desk.desktop.change(queue.desk.desktop.save_as, **change)
    await queue.go()
    error = error_of(await waiting)
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert (error["details"]["stale"], error["details"]["acted"]) == (True, False)
    assert queue.desk.desktop.sent == []


@pytest.mark.parametrize(
    ("method", "params"),
    [("desktop.hotkey", KEYS), ("desktop.click", {"target": {"selector": {"titleContains": "Ask"}}})],
)
async def test_a_modal_window_that_opened_in_between_blocks(queue: Queue, method: str, params: dict[str, Any]) -> None:
    waiting = await queue.wait(method, **params)
    queue.desk.desktop.open_dialog()
    await queue.go()
    error = error_of(await waiting)
    assert (error["code"], error["details"]["acted"]) == ("DESKTOP_MODAL_BLOCKING", False)
    assert queue.desk.desktop.sent == []


async def test_a_window_that_went_or_fell_silent_in_between_gets_nothing(queue: Queue) -> None:
    other = Widget("h:third", "AXWindow", "Third", None, Rect(0, 0, 100, 100))
    queue.desk.desktop.add("w:third", other, app="org.example.Third", pid=3)
    waiting = await queue.wait("desktop.hotkey", route={"app": {"name": "third"}}, **KEYS)
    queue.desk.desktop.silenced.add(3)
    await queue.go()
    assert error_of(await waiting)["code"] == "DESKTOP_TIMEOUT"
    queue.desk.desktop.silenced.clear()
    waiting = await queue.wait("desktop.hotkey", route={"app": {"name": "third"}}, **KEYS)
    queue.desk.desktop.remove("w:third")
    await queue.go()
    assert error_of(await waiting)["details"]["stale"] is True
    assert queue.desk.desktop.sent == []
