"""Launches a paired Chromium, finds the extension's folder, and sends a person's commands to the running server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.features.browser.opening import find_server
from handrail.features.browser.remote_bus import RemoteBus
from handrail.ports.errors import Failure, NotFound, Unsupported

if TYPE_CHECKING:
    from handrail.ports.stores import Stores

EXTENSION_FOLDER = Path(__file__).parents[2] / "extension"


def ask_server(stores: Stores, method: str, path: str, body: Any = None) -> Any:
    """Returns the data of the running server's answer to a person's command; its errors are raised as a Failure."""

    async def ask() -> Any:
        bus = RemoteBus(find_server(stores))
        try:
            return await bus.data(method, path, body)
        finally:
            await bus.close()

    return asyncio.run(ask())


def connected_browsers(stores: Stores) -> list[str]:
    """Raises Offline if no server runs."""
    plugins = ask_server(stores, "GET", "/api/extension/extension-list")
    return [plugin["browserName"] or plugin["clientId"] for plugin in plugins if plugin["socketConnected"]]


def extension_folder() -> Path:
    """The folder of the built extension."""
    if not (EXTENSION_FOLDER / "manifest.json").is_file():
        raise NotFound("The extension isn't built.", hint="Run `make setup`, or install a wheel, which contains it.")
    return EXTENSION_FOLDER


async def launch_browser(
    state: Path,
    server: str,
    code: str,
    on_ready: Callable[[], None],
    *,
    program: str | None = None,
    shows_window: bool = True,
) -> None:
    """Runs a Chromium with a profile in the state directory, paired with this code, until it is closed."""
    from handrail.features.browser.chromium import Chromium

    executable, folder = program or chromium_program(), extension_folder()
    if executable is None:
        raise _no_chromium(folder)
    profile = state / "chromium"
    profile.mkdir(mode=0o700, parents=True, exist_ok=True)
    browser = await Chromium.start(executable, profile, folder, has_display=shows_window)
    try:
        await browser.pair(server, code)
        on_ready()
        await browser.wait()
    finally:
        await asyncio.shield(browser.close())


def chromium_program() -> str | None:
    from handrail.features.browser import chromium

    return chromium.program()


def preview_program() -> str | None:
    """The browser for previews."""
    from handrail.features.browser import chromium

    return chromium.program() or chromium.branded_program()


def _no_chromium(extension: Path) -> Failure:
    from handrail.features.browser import chromium

    if (branded := chromium.branded_program()) is None:
        return NotFound("No Chromium was found.", hint="Install the package chromium, or name one with --browser.")
    return Unsupported(
        f"{branded} no longer loads extensions from the command line.",
        hint=f'Open chrome://extensions there, switch on "Developer mode", choose "Load unpacked" and {extension}; '
        "then click on the extension and pair it with `handrail extension pair`.",
    )
