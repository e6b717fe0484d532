"""Apps on a real session bus: who owns a name, who is started, and what a service may be."""

import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

from handrail.features.apps.backends.dbus import DBusTransport
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.descriptors.descriptor import read
from handrail.ports.errors import BadAnswer, Offline
from tests.odd_app import descriptor
from tests.session_bus import SessionBus

ODD_APP = Path(__file__).parents[3] / "odd_app.py"


def activation(name: str, command: str) -> str:
    return f"[D-BUS Service]\nName={name}\nExec={command}\n"


@pytest.fixture(scope="module")
def bus() -> Iterator[SessionBus]:
    with SessionBus() as bus:
        services = bus.data / "dbus-1" / "services"
        services.mkdir(parents=True, exist_ok=True)
        for name in ("com.example.cold", "com.example.mine"):
            line = activation(name, f"{sys.executable} {ODD_APP} dbus {name}")
            (services / f"{name}.service").write_text(line)
        (services / "broken.service").write_text(activation("com.example.broken", "/bin/false"))
        yield bus


class Caller:
    def __init__(self, user: int) -> None:
        self.transport = DBusTransport(user)
        self._board = AppCaller(lambda execution: self.transport, SchemaChecks())

    async def call(self, id: str, tool: str = "echo", **execution: Any) -> Any:
        app = read(json.dumps(descriptor(id, {"type": "dbus", **execution})).encode(), "")
        the_tool = app.tool(tool)
        assert the_tool is not None
        return (await self._board.call(app, the_tool, {}, timeout_ms=20_000, on_reply=lambda *reply: None))["said"]


@pytest.fixture
async def caller(bus: SessionBus, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Caller]:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
    caller = Caller(os.getuid())
    yield caller
    await caller.transport.close()


async def test_the_bus_starts_an_app_that_does_not_run_and_starts_it_once(caller: Caller) -> None:
    first = await caller.call("com.example.cold", "process")
    assert await caller.call("com.example.cold", "process") == first


async def test_a_name_that_belongs_to_another_user_s_process_is_refused(bus: SessionBus, caller: Caller) -> None:
    assert await caller.call("com.example.mine") == {}
    stranger = Caller(os.getuid() + 1)
    with pytest.raises(Offline, match="not of this user") as raised:
        await stranger.call("com.example.mine")
    assert raised.value.details["reason"] == "foreign_owner"
    await stranger.transport.close()


async def test_an_unknown_service_is_unavailable(caller: Caller) -> None:
    with pytest.raises(Offline, match="can't be reached"):
        await caller.call("com.example.unknown")


async def test_a_service_that_ends_at_its_start_is_unavailable(caller: Caller) -> None:
    with pytest.raises(Offline, match="can't be reached"):
        await caller.call("com.example.broken")


async def test_a_service_without_the_method_has_answered_badly(caller: Caller) -> None:
    with pytest.raises(BadAnswer, match="Execute at"):
        await caller.call("com.example.dbus", service="org.freedesktop.DBus", interface="com.example.Else")


@pytest.mark.parametrize("error", ["ServiceUnknown", "NameHasNoOwner", "NoReply"])
async def test_an_app_that_reports_its_own_exit_was_called_and_is_not_called_again(
    bus: SessionBus, caller: Caller, error: str
) -> None:
    name, calls = f"com.example.gone{error.lower()}", list[Message]()
    own = await MessageBus(bus.address).connect()

    def receive(message: Message) -> bool:
        if message.message_type is not MessageType.METHOD_CALL or message.member != "Execute":
            return False
        calls.append(message)
        own.send(Message.new_error(message, f"org.freedesktop.DBus.Error.{error}", "somebody else has gone"))
        return True

    own.add_message_handler(receive)
    await own.request_name(name)
    with pytest.raises(BadAnswer, match=error):
        await caller.call(name)
    assert len(calls) == 1
    own.disconnect()


async def test_without_a_session_bus_the_app_is_unavailable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/no-bus")
    caller = Caller(os.getuid())
    with pytest.raises(Offline, match="session bus"):
        await caller.call("com.example.cold")


async def test_without_an_address_the_users_bus_is_found(bus: SessionBus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", bus.env["XDG_RUNTIME_DIR"])
    caller = Caller(os.getuid())
    assert await caller.call("com.example.mine") == {}
    await caller.transport.close()


async def test_the_end_of_a_bus_is_reported_and_the_next_bus_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    caller = Caller(os.getuid())
    for _ in range(2):
        with SessionBus() as own:
            monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", own.address)
            with pytest.raises(Offline, match="can't be reached"):
                await caller.call("com.example.unknown")
        with pytest.raises(Offline, match="bus"):
            await caller.call("com.example.unknown")
    await caller.transport.close()
