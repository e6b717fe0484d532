"""The media players on the user's desktop, over MPRIS, such as a browser or a music player."""

from typing import Annotated, Any, Literal

import msgspec
from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from handrail.aai import App

app = App("com.example.media", name="Media", description="What plays on this desktop.", version="1.0.0")

PREFIX = "org.mpris.MediaPlayer2."
PATH = "/org/mpris/MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
PROPERTIES = "org.freedesktop.DBus.Properties"
Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$(?!\n)", max_length=200)]
_MEMBERS = {"play": "Play", "pause": "Pause", "stop": "Stop", "next": "Next", "previous": "Previous"}
_GONE = ("ServiceUnknown", "NameHasNoOwner", "NoReply", "Disconnected")
_connection: MessageBus | None = None


class Playing(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Times are in seconds. What a player doesn't report is left out."""

    player: str
    status: str
    title: str = ""
    artists: list[str] = []
    album: str = ""
    url: str = ""
    length: float | None = None
    position: float | None = None
    volume: float | None = None


class Players(msgspec.Struct):
    players: list[Playing]


@app.tool(idempotent=True, examples=[{}])
async def list_players() -> Players:
    """List the players that are running, with what they play."""
    return Players([await _playing(name) for name in await _names()])


@app.tool(idempotent=True)
async def status(player: Name | None = None) -> Playing:
    """Show what a player is doing.

    Args:
        player: A name from `list_players`; without it, the only player or the one that is playing.
    """
    return await _playing(await _choose(player))


@app.tool
async def control(action: Literal["play", "pause", "stop", "next", "previous"], player: Name | None = None) -> Playing:
    """Start, pause or stop a player, or go to another track.

    Args:
        action: What to do.
        player: A name from `list_players`; without it, the only player or the one that is playing.

    Returns:
        The player's state right afterwards; some players react with a delay.
    """
    name = await _choose(player)
    await _call(name, PLAYER, _MEMBERS[action])
    return await _playing(name)


@app.tool
async def seek(seconds: Annotated[float, msgspec.Meta(ge=-86400, le=86400)], player: Name | None = None) -> Playing:
    """Go forward or back within a track.

    Args:
        seconds: How far; a negative number goes back.
        player: A name from `list_players`; without it, the only player or the one that is playing.
    """
    name = await _choose(player)
    await _call(name, PLAYER, "Seek", "x", round(seconds * 1_000_000))
    return await _playing(name)


@app.tool(idempotent=True)
async def set_volume(volume: Annotated[float, msgspec.Meta(ge=0, le=1)], player: Name | None = None) -> Playing:
    """Set a player's volume.

    Args:
        volume: From 0 (silent) to 1.
        player: A name from `list_players`; without it, the only player or the one that is playing.
    """
    name = await _choose(player)
    await _call(name, PROPERTIES, "Set", "ssv", PLAYER, "Volume", Variant("d", float(volume)))
    return await _playing(name)


async def _names() -> list[str]:
    (names,) = await _ask("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames")
    return sorted(name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX))


async def _choose(player: str | None) -> str:
    names = await _names()
    if player is not None:
        if player not in names:
            raise app.Error("NO_SUCH_PLAYER", f"There is no player {player}; there are {', '.join(names) or 'none'}.")
        return player
    if len(names) > 1:
        names = [name for name in names if (await _playing(name)).status == "Playing"] or names
    if len(names) != 1:
        raise app.Error("WHICH_PLAYER", f"Name one of {', '.join(names)}." if names else "No player is running.")
    return names[0]


async def _playing(name: str) -> Playing:
    (properties,) = await _call(name, PROPERTIES, "GetAll", "s", PLAYER)
    values = {key: variant.value for key, variant in properties.items()}
    track = {key: variant.value for key, variant in values.get("Metadata", {}).items()}
    length, position = track.get("mpris:length"), values.get("Position")
    return Playing(
        player=name,
        status=str(values.get("PlaybackStatus", "Stopped")),
        title=str(track.get("xesam:title", "")),
        artists=[str(artist) for artist in track.get("xesam:artist", [])],
        album=str(track.get("xesam:album", "")),
        url=str(track.get("xesam:url", "")),
        length=None if length is None else length / 1_000_000,
        position=None if position is None else position / 1_000_000,
        volume=values.get("Volume"),
    )


async def _call(player: str, interface: str, member: str, signature: str = "", *values: Any) -> list[Any]:
    return await _ask(f"{PREFIX}{player}", PATH, interface, member, signature, *values)


async def _ask(
    destination: str, path: str, interface: str, member: str, signature: str = "", *values: Any
) -> list[Any]:
    global _connection  # one for the lifetime of the service, opened when it is first needed
    if _connection is None or not _connection.connected:
        _connection = await MessageBus(bus_type=BusType.SESSION).connect()
    reply = await _connection.call(
        Message(
            destination=destination,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=list(values),
        )
    )
    if reply.message_type is MessageType.ERROR:
        reason = str(reply.body[0]) if reply.body else reply.error_name
        is_gone = str(reply.error_name).rpartition(".")[2] in _GONE
        raise app.Error("NO_SUCH_PLAYER" if is_gone else "REFUSED", f"The player refused: {reason}")
    return list(reply.body)


def main() -> None:
    app.run(idle=300)


if __name__ == "__main__":
    main()
