"""The notifications of the user's desktop: `org.freedesktop.Notifications`, whichever program shows them."""

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
_NOBODY = tuple(f"org.freedesktop.DBus.Error.{kind}" for kind in ("ServiceUnknown", "NameHasNoOwner", "Spawn."))
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
        summary: What it is about, in a few words.
        body: More of it, as plain text.
        urgency: A critical one stays until the user closes it.
        seconds: How long it is shown, 0 for ever; without it, as the desktop does.
        replaces: The number of an earlier one, whose place it takes.

    Returns:
        The number by which it can be closed or replaced.
    """
    capabilities = (await _call("GetCapabilities"))[0]
    # Where the server reads markup, text that looks like it must not become it.
    text = escape(body, quote=False) if "body-markup" in capabilities else body
    hints = {"urgency": Variant("y", _URGENCY[urgency])}
    expires = -1 if seconds is None else round(seconds * 1000)
    (id,) = await _call("Notify", "susssasa{sv}i", app.name, replaces or 0, "", summary, text, [], hints, expires)
    return Shown(id)


@app.tool(idempotent=True, examples=[{}])
async def describe_server() -> Server:
    """Tell which program shows notifications, and what it can do."""
    (capabilities,) = await _call("GetCapabilities")
    name, vendor, version, _ = await _call("GetServerInformation")
    return Server(name, vendor, version, capabilities)


@app.tool
async def close(id: Number) -> None:
    """Close a notification that is still on the screen.

    Args:
        id: As `send` told it.
    """
    await _call("CloseNotification", "u", id)


async def _call(member: str, signature: str = "", *values: Any) -> list[Any]:
    global _connection  # one for the whole life of the service, made when it is first needed
    if _connection is None or not _connection.connected:
        _connection = await MessageBus(bus_type=BusType.SESSION).connect()
    reply = await _connection.call(
        Message(destination=NAME, path=PATH, interface=NAME, member=member, signature=signature, body=list(values))
    )
    if reply.message_type is MessageType.ERROR:
        reason = str(reply.body[0]) if reply.body else reply.error_name
        if str(reply.error_name).startswith(_NOBODY):
            raise app.Error("SERVICE_UNAVAILABLE", "This desktop has no program that shows notifications.")
        raise app.Error("REFUSED", f"The program that shows notifications refuses: {reason}")
    return list(reply.body)


def main() -> None:
    app.run(idle=300)


if __name__ == "__main__":
    main()
