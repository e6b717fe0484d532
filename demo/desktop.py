"""A desktop that nobody sees: X server, session bus, accessibility bus, window manager, and one window on it."""

import asyncio
from pathlib import Path

from dbus_fast import Message
from dbus_fast.aio import MessageBus
from Xlib.display import Display

from demo.ground import Ground, NotPossible
from demo.programs import Program, Programs

_SIZE = "800x500x24"
_BACKGROUND = 0x2E4057
_WINDOW = Path(__file__).with_name("play_test.py")
_ACCESSIBILITY = "/usr/libexec/at-spi-bus-launcher"
_WITHIN = 40.0
_LOOK_AGAIN = 0.02


async def open_desktop(ground: Ground, programs: Programs) -> dict[str, str]:
    """The environment of programs on it."""
    env, home = ground.env, ground.home
    address = env["DBUS_SESSION_BUS_ADDRESS"]
    screen = ["Xvfb", "-displayfd", "1", "-screen", "0", _SIZE, "-nolisten", "tcp", "-noreset"]
    server = programs.start("X server", screen, env, home)
    daemon = ["dbus-daemon", "--session", "--nofork", f"--address={address}", "--print-address=1"]
    bus = programs.start("session bus", daemon, env, home)
    env["DISPLAY"] = ":" + await server.says(r"^(\d+)$")
    _paint(env["DISPLAY"])
    await bus.says("unix:")
    launcher = [_ACCESSIBILITY, "--launch-immediately", "--a11y=1"]
    await _is_on_bus(address, "org.a11y.Bus", programs.start("accessibility bus", launcher, env, home))
    programs.start("window manager", ["openbox", "--sm-disable"], env, home)
    window = programs.start("play-test window", ["/usr/bin/python3", str(_WINDOW)], env, home)
    await window.says("shown")
    return env


def _paint(display: str) -> None:
    """A window is easier to see where the rest of the screen is not black."""
    server = Display(display)
    root = server.screen().root
    root.change_attributes(background_pixel=_BACKGROUND)
    root.clear_area()
    server.close()


async def _is_on_bus(address: str, name: str, program: Program) -> None:
    """A window that comes before the accessibility bus would have another one started."""
    bus = await MessageBus(bus_address=address).connect()
    asked = Message(
        destination="org.freedesktop.DBus",
        path="/org/freedesktop/DBus",
        interface="org.freedesktop.DBus",
        member="NameHasOwner",
        signature="s",
        body=[name],
    )
    try:
        async with asyncio.timeout(_WITHIN):
            while True:
                if (await bus.call(asked)).body == [True]:
                    return
                await asyncio.sleep(_LOOK_AGAIN)
    except TimeoutError:
        raise NotPossible(f"There is no {program.name}. {program.last_words}") from None
    finally:
        bus.disconnect()
