"""Notifications on the user's desktop, over `org.freedesktop.Notifications`."""

from html import escape
from typing import Annotated, Any, Literal

import msgspec
from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from handrail.aai import App

app = App(
    "com.example.notifications",
    name="Notifications",
    description="Short messages on the user's screen.",
    version="1.0.0",
)

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
Number = Annotated[int, msgspec.Meta(ge=1, le=2**32 - 1)]
_URGENCY = {"low": 0, "normal": 1, "critical": 2}
_NO_SERVER = tuple(f"org.freedesktop.DBus.Error.{kind}" for kind in ("ServiceUnknown", "NameHasNoOwner", "Spawn."))
_connection: MessageBus | None = None


class Shown(msgspec.Struct):
    id: int


class Server(msgspec.Struct):
    name: str
    vendor: str
    version: str
    capabilities: list[str]


@app.tool(examples=[{"summary": "Tea is ready", "urgency": "low", "seconds": 5}])
async def send(
    summary: Annotated[str, msgspec.Meta(min_length=1, max_length=200)],
    body: Annotated[str, msgspec.Meta(max_length=4000)] = "",
    urgency: Literal["low", "normal", "critical"] = "normal",
    seconds: Annotated[float, msgspec.Meta(ge=0, le=3600)] | None = None,
    replaces: Number | None = None,
) -> Shown:
    """Show a notification to the user.

    Args:
        summary: A short title.
        body: The text, as plain text.
        urgency: A critical notification stays until the user closes it.
        seconds: How long it is shown, 0 for ever; without it, the desktop's default.
        replaces: The number of an earlier notification to replace.

    Returns:
        The number for closing or replacing it.
    """
    capabilities = (await _call("GetCapabilities"))[0]
    # If the server supports markup, plain text must be escaped.
    text = escape(body, quote=False) if "body-markup" in capabilities else body
    hints = {"urgency": Variant("y", _URGENCY[urgency])}
    expires = -1 if seconds is None else round(seconds * 1000)
    (id,) = await _call("Notify", "susssasa{sv}i", app.name, replaces or 0, "", summary, text, [], hints, expires)
    return Shown(id)


@app.tool(idempotent=True, examples=[{}])
async def describe_server() -> Server:
    """Show which program displays notifications, and what it can do."""
    (capabilities,) = await _call("GetCapabilities")
    name, vendor, version, _ = await _call("GetServerInformation")
    return Server(name, vendor, version, capabilities)


@app.tool
async def close(id: Number) -> None:
    """Close a notification that is still on the screen.

    Args:
        id: The number from `send`.
    """
    await _call("CloseNotification", "u", id)


async def _call(member: str, signature: str = "", *values: Any) -> list[Any]:
    global _connection  # one for the lifetime of the service, opened when it is first needed
    if _connection is None or not _connection.connected:
        _connection = await MessageBus(bus_type=BusType.SESSION).connect()
    reply = await _connection.call(
        Message(destination=NAME, path=PATH, interface=NAME, member=member, signature=signature, body=list(values))
    )
    if reply.message_type is MessageType.ERROR:
        reason = str(reply.body[0]) if reply.body else reply.error_name
        if str(reply.error_name).startswith(_NO_SERVER):
            raise app.Error("SERVICE_UNAVAILABLE", "This desktop has no program that shows notifications.")
        raise app.Error("REFUSED", f"The program that shows notifications refused: {reason}")
    return list(reply.body)


def main() -> None:
    app.run(idle=300)


if __name__ == "__main__":
    main()
