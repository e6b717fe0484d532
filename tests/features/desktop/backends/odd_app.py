"""An app on the accessibility bus that tells what no toolkit should: trees that lead back into themselves, children
that are none, answers of the wrong type. Real on the bus; no toolkit of ours can be made to do this.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"
WINDOW = "/window"
FRAME, BUTTON, TEXT, GROUP = 23, 43, 61, 39
_SHOWN = 1 << 25 | 1 << 30


@dataclass(frozen=True)
class Oddity:
    name: Any = ""
    role: Any = GROUP
    children: Sequence[str] = ()
    parent: str = WINDOW
    text: str | None = None


class OddApp:
    def __init__(self, bus: MessageBus, objects: dict[str, Oddity]) -> None:
        self._bus = bus
        self._objects = {ROOT: Oddity("odd", 75, [WINDOW]), **objects}
        self.asked: set[str] = set()
        """The methods that were called."""

    async def registered(self) -> list[list[str]]:
        """What somebody has asked the registry for; it tells each app its own."""
        request = Message(REGISTRY, "/org/a11y/atspi/registry", REGISTRY, "GetRegisteredEvents")
        answer = await self._bus.call(request)
        assert answer is not None
        return list(answer.body[0])

    def tell_of_a_change(self) -> None:
        body = ["accessible-name", 0, 0, Variant("s", "new"), {}]
        changed = Message.new_signal(WINDOW, "org.a11y.atspi.Event.Object", "PropertyChange", "siiva{sv}", body)
        self._bus.send(changed)

    def answer(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        self.asked.add(message.member or "")
        node = self._objects.get(message.path or "")
        reply = self._told(node, message) if node else None
        if reply is None:
            return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", "odd")
        return Message.new_method_return(message, *reply)

    def _told(self, one: Oddity, message: Message) -> tuple[str, list[Any]] | None:
        name = self._bus.unique_name or ""
        match message.member:
            case "GetChildren":
                return "a(so)", [[[name, child] for child in one.children]]
            case "GetChildAtIndex":
                index = message.body[0]
                return "(so)", [[name, one.children[index] if index < len(one.children) else NULL]]
            case "GetRole":
                return ("u", [one.role]) if isinstance(one.role, int) else ("s", [one.role])
            case "GetState":
                return "au", [[_SHOWN, 0]]
            case "GetInterfaces":
                return "as", [["org.a11y.atspi.Accessible"] + ["org.a11y.atspi.Text"] * (one.text is not None)]
            case "GetIndexInParent":
                return "i", [0]
            case "GetText":
                return "s", [one.text]
            case "Get":
                return self._property(one, message.body[1], name)
        return None

    def _property(self, one: Oddity, expected: str, name: str) -> tuple[str, list[Any]] | None:
        if expected == "Name":
            return "v", [Variant("s" if isinstance(one.name, str) else "i", one.name)]
        return ("v", [Variant("(so)", [name, one.parent])]) if expected == "Parent" else None


@asynccontextmanager
async def odd_app(objects: dict[str, Oddity]) -> AsyncIterator[OddApp]:
    session = await MessageBus().connect()
    answer = await session.call(Message("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"))
    session.disconnect()
    bus = await MessageBus(answer.body[0]).connect()
    app = OddApp(bus, objects)
    bus.add_message_handler(app.answer)
    embedded = await bus.call(
        Message(REGISTRY, ROOT, "org.a11y.atspi.Socket", "Embed", signature="(so)", body=[[bus.unique_name, ROOT]])
    )
    assert embedded.message_type is MessageType.METHOD_RETURN
    yield app
    bus.disconnect()
