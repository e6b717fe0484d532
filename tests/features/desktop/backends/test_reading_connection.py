"""Connections to apps: over the bus or directly, with many calls at once, and to apps that don't answer."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator

import pytest

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.connection import Connection, ConnectionLost, NoAnswer, Refused
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.ports.errors import PermissionMissing, Timeout
from tests.desktop_apps import command
from tests.desktop_session import App, DesktopSession

MANY = 20_000
DAEMON = Ref(calls.BUS, calls.BUS_PATH)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def bus(desktop_session: DesktopSession) -> AsyncIterator[AccessibilityBus]:
    with desktop_session.entered():
        bus = AccessibilityBus()
        yield bus
        await bus.close()


@pytest.fixture
def app(desktop_session: DesktopSession) -> App:
    return desktop_session.start(command("gtk3", "--title", "Direct"))


async def ref_of(bus: AccessibilityBus, title: str) -> Ref:
    window = next(window for window in await AtspiReader(bus).windows() if window.title == title)
    ref = await bus.ref(window.handle)
    assert ref is not None
    return ref


async def test_any_number_of_calls_is_answered_in_order(bus: AccessibilityBus) -> None:
    names = [calls.REGISTRY, "org.example.Nobody"] * (MANY // 2)
    answers = await bus.ask_all(calls.BUS, [(calls.BUS_PATH, calls.pid_of(name)) for name in names])
    assert len(answers) == MANY
    assert not any(isinstance(answer, Refused) for answer in answers[::2])
    assert all(isinstance(answer, Refused) for answer in answers[1::2])


async def test_an_app_that_offers_it_is_asked_directly_and_over_the_bus_where_that_fails(
    bus: AccessibilityBus, app: App, desktop_session: DesktopSession
) -> None:
    window = await ref_of(bus, "Direct")
    questions = [(window.path, calls.ROLE)] * 100
    [address] = await bus.send_once(Ref(window.name, calls.ROOT_PATH), calls.BUS_ADDRESS)
    peer = await Connection.to_peer(address, patience=5)
    assert await peer.ask_all(None, questions, 5) == [[23]] * 100
    peer.close()
    with pytest.raises(ConnectionLost):
        await peer.ask(None, window.path, calls.ROLE, 5)

    os.unlink(address.removeprefix("unix:path="))
    assert await bus.ask_all(window.name, questions) == [[23]] * 100
    desktop_session.end(app)


async def test_a_silent_program_times_out_while_others_are_answered(
    bus: AccessibilityBus, app: App, desktop_session: DesktopSession
) -> None:
    window = await ref_of(bus, "Direct")
    os.kill(app.pid, signal.SIGSTOP)
    hanging = asyncio.create_task(bus.ask(window, calls.ROLE, 0.5))
    assert not isinstance(await bus.ask(DAEMON, calls.pid_of(window.name)), Refused)
    assert not hanging.done()
    with pytest.raises(Timeout):
        await hanging
    os.kill(app.pid, signal.SIGCONT)
    assert await bus.ask(window, calls.ROLE) == [23]
    desktop_session.end(app)


async def test_an_app_that_hung_when_it_was_first_asked_much_answers_later(
    bus: AccessibilityBus, app: App, desktop_session: DesktopSession
) -> None:
    window = await ref_of(bus, "Direct")
    questions = [(window.path, calls.ROLE)] * 100
    os.kill(app.pid, signal.SIGSTOP)
    with pytest.raises(Timeout):
        await bus.ask_all(window.name, questions, 0.5)
    os.kill(app.pid, signal.SIGCONT)
    assert await bus.ask_all(window.name, questions) == [[23]] * 100
    desktop_session.end(app)


async def test_a_silent_listener_times_out(desktop_session: DesktopSession) -> None:
    place = str(desktop_session.folder / "mute")
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(place)
        mute.listen()
        with pytest.raises(NoAnswer):
            await Connection.to_peer(f"unix:path={place}", patience=0.2)
    with pytest.raises(ConnectionLost):
        await Connection.to_peer(f"unix:path={place}", patience=5)


@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "nonsense", "tcp:host=localhost,port=1"])
async def test_without_a_session_bus_the_permission_is_missing(address: str) -> None:
    with pytest.raises(PermissionMissing):
        await AtspiReader(AccessibilityBus(address)).windows()


async def test_an_app_that_ends_is_a_change(bus: AccessibilityBus, app: App, desktop_session: DesktopSession) -> None:
    reader = AtspiReader(bus)
    window = next(window for window in await reader.windows() if window.title == "Direct")
    async with reader.changes(window) as changes:
        while await changes.next(0.05):
            pass
        os.kill(app.pid, signal.SIGKILL)
        assert await changes.next(10)
    desktop_session.end(app)
