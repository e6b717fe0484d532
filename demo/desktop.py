"""An invisible desktop: X server, session bus, accessibility bus, window manager, and one window."""

import asyncio
from pathlib import Path

from dbus_fast import Message
from dbus_fast.aio import MessageBus
from Xlib.display import Display

from demo.programs import Program, Programs
from demo.tour_folder import TourFailed, TourFolder

_SIZE = "800x500x24"
_BACKGROUND = 0x2E4057
_WINDOW = Path(__file__).with_name("play_test.py")
_ACCESSIBILITY = "/usr/libexec/at-spi-bus-launcher"
_TIMEOUT_SECONDS = 40.0
_POLL_SECONDS = 0.02


async def open_desktop(tour_folder: TourFolder, programs: Programs) -> dict[str, str]:
    """The environment of programs on it."""
    env, home = tour_folder.env, tour_folder.home
    address = env["DBUS_SESSION_BUS_ADDRESS"]
    screen = ["Xvfb", "-displayfd", "1", "-screen", "0", _SIZE, "-nolisten", "tcp", "-noreset"]
    server = programs.start("X server", screen, env, home)
    daemon = ["dbus-daemon", "--session", "--nofork", f"--address={address}", "--print-address=1"]
    bus = programs.start("session bus", daemon, env, home)
    env["DISPLAY"] = ":" + await server.wait_for_output(r"^(\d+)$")
    _paint(env["DISPLAY"])
    await bus.wait_for_output("unix:")
    launcher = [_ACCESSIBILITY, "--launch-immediately", "--a11y=1"]
    await _wait_for_bus_name(address, "org.a11y.Bus", programs.start("accessibility bus", launcher, env, home))
    programs.start("window manager", ["openbox", "--sm-disable"], env, home)
    window = programs.start("play-test window", ["/usr/bin/python3", str(_WINDOW)], env, home)
    await window.wait_for_output("shown")
    return env


def _paint(display: str) -> None:
    """A window is easier to see if the rest of the screen isn't black."""
    server = Display(display)
    root = server.screen().root
    root.change_attributes(background_pixel=_BACKGROUND)
    root.clear_area()
    server.close()


async def _wait_for_bus_name(address: str, name: str, program: Program) -> None:
    """Without it, a window that opens before the accessibility bus would start another one."""
    bus = await MessageBus(bus_address=address).connect()
    query = Message(
        destination="org.freedesktop.DBus",
        path="/org/freedesktop/DBus",
        interface="org.freedesktop.DBus",
        member="NameHasOwner",
        signature="s",
        body=[name],
    )
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            while True:
                if (await bus.call(query)).body == [True]:
                    return
                await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError:
        raise TourFailed(f"There is no {program.name}. {program.log_tail}") from None
    finally:
        bus.disconnect()
