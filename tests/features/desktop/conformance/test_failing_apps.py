"""Programs that hang, crash or can't be read, and a bus that restarts, affect only themselves."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from handrail.features.desktop.desktop_port import DesktopPort, Query
from handrail.ports.errors import Failure, Timeout
from tests.desktop_apps import texts
from tests.desktop_session import App, DesktopSession
from tests.features.desktop.conformance.grounds import Ground, LinuxGround
from tests.features.desktop.conformance.workbench import Workbench, window_of
from tests.waiting import eventually

SOON = 15
"""Seconds after which the test counts as hanging."""


@pytest.fixture(params=["gtk3", "qt6"])
async def doomed(ground: Ground, request: pytest.FixtureRequest) -> AsyncIterator[App]:
    """A program of its own, of one toolkit that is connected directly and one over the bus."""
    app = ground.start(request.param, "--title", "Doomed")
    yield app
    ground.end(app)


@pytest.fixture
async def sound(ground: Ground, desktop: DesktopPort) -> Workbench:
    app = ground.app("gtk3")
    return Workbench(ground, desktop, app, await window_of(desktop, app))


@pytest.mark.trial("desktop", is_long=True)
async def test_a_program_that_hangs_hides_only_itself(desktop: DesktopPort, doomed: App, sound: Workbench) -> None:
    window = await window_of(desktop, doomed)
    os.kill(doomed.pid, signal.SIGSTOP)
    async with asyncio.timeout(SOON):
        assert sound.window.handle in [one.handle for one in await desktop.windows()]
        assert await sound.find(texts.COUNT, "AXButton")
        with pytest.raises(Timeout):
            await desktop.find(window, Query(title_contains=texts.COUNT))
        issues = [issue.message for issue in (await desktop.readiness()).issues]
    assert f"These processes are not responding, so they can't be read: {window.pid}." in issues
    os.kill(doomed.pid, signal.SIGCONT)
    again = await window_of(desktop, doomed)
    assert await desktop.find(again, Query(title_contains=texts.COUNT))


@pytest.mark.trial("desktop", is_long=True)
async def test_a_program_that_dies_while_it_is_read_ends_the_reading(
    desktop: DesktopPort, doomed: App, sound: Workbench
) -> None:
    window = await window_of(desktop, doomed)
    [button] = await desktop.find(window, Query(role="AXButton", title_contains=texts.COUNT))
    reading = asyncio.create_task(desktop.tree(window, max_depth=100, max_nodes=100_000))
    await asyncio.sleep(0)
    os.kill(doomed.pid, signal.SIGKILL)
    async with asyncio.timeout(SOON):
        await asyncio.wait([reading])
        assert reading.exception() is None or isinstance(reading.exception(), Failure)
        assert await desktop.read_element(button.element.handle) is None
        with suppress(Failure):
            assert not await desktop.find(window, Query(title_contains=texts.COUNT))
        with pytest.raises(Failure):
            await desktop.press(window, button.element)

        async def is_forgotten() -> bool:
            return window.handle not in [one.handle for one in await desktop.windows()]

        await eventually(is_forgotten, "the dead program's window to be forgotten")
    assert await sound.find(texts.COUNT, "AXButton")


async def test_a_program_without_accessibility_is_reported_and_does_not_affect_others(
    ground: Ground, desktop: DesktopPort, sound: Workbench
) -> None:
    mute = ground.start_mute()
    try:
        readiness = await desktop.readiness()
        assert readiness.can_read
        app_issues = [issue for issue in readiness.issues if issue.about == "app"]
        assert any("Mute" in issue.message for issue in app_issues)
        assert all(issue.fix for issue in app_issues)
        assert await sound.find(texts.COUNT, "AXButton")
    finally:
        ground.end(mute)


@pytest.mark.trial("desktop", is_long=True)
async def test_after_the_accessibility_bus_was_restarted_programs_are_read_again() -> None:
    with DesktopSession() as session, session.entered():
        ground = LinuxGround(session)
        desktop = ground.open()
        before = await window_of(desktop, ground.app("gtk3"))
        ground.restart_accessibility()
        app = ground.start("qt6", "--title", "After")
        after = await window_of(desktop, app, "After")
        assert await desktop.find(after, Query(role="AXButton", title_contains=texts.COUNT))
        assert await desktop.read_element(before.handle) is None
        with pytest.raises(Failure):
            await desktop.tree(before, max_depth=5, max_nodes=50)
        await desktop.close()
