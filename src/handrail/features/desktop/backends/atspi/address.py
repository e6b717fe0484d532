"""Where a D-Bus listens: addresses as text, turned into what a Unix socket connects to."""

import os
from collections.abc import Iterator, Mapping
from urllib.parse import unquote_to_bytes


def session_bus(environment: Mapping[str, str]) -> str | None:
    """The address of the user's session bus, or None where there is no session."""
    if given := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return given
    socket = os.path.join(environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}", "bus")
    return f"unix:path={socket}" if os.path.exists(socket) else None


def unix_sockets(address: str) -> Iterator[bytes]:
    """What to connect to, in the order of preference. Other transports than Unix sockets are passed over."""
    for one in address.split(";"):
        transport, _, rest = one.partition(":")
        options = dict(option.partition("=")[::2] for option in rest.split(","))
        if transport != "unix":
            continue
        if "path" in options:
            yield unquote_to_bytes(options["path"])
        elif "abstract" in options:
            yield b"\0" + unquote_to_bytes(options["abstract"])
