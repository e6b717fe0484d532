"""The bus to browsers, here or in the server that runs; and a Chromium of our own with the extension in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.ports.errors import Failure, NotFound, Unsupported
from handrail.stores.local.private_file import make_private_folder
from handrail.stores.local.state import State, state_path
from handrail.wiring.server import console_key, running_server

if TYPE_CHECKING:
    from handrail.features.browser.bus.bus import LocalBus
    from handrail.features.browser.remote_bus import ServerAddress
    from handrail.ports.browser import Bus

EXTENSION_FOLDER = Path(__file__).parents[1] / "extension"


def open_bus(state: State) -> LocalBus:
    """The bus to browsers, which lives in the server; it remembers in a database of its own."""
    from handrail.features.browser.bus.artifacts import Artifacts
    from handrail.features.browser.bus.bus import LocalBus
    from handrail.stores.local.agent_runs import SqliteRuns
    from handrail.stores.local.artifact_files import ArtifactFolder, artifacts_folder
    from handrail.stores.local.batches import Batches
    from handrail.stores.local.browser_actions import SqliteActions
    from handrail.stores.local.browser_artifacts import SqliteArtifacts
    from handrail.stores.local.browser_plugins import SqlitePlugins
    from handrail.stores.local.browser_tables import browser_database
    from handrail.stores.local.browser_tasks import SqliteTasks

    batches, files = Batches(browser_database(state.path)), ArtifactFolder(artifacts_folder(state.path))
    return LocalBus(
        SqliteTasks(batches),
        SqliteActions(batches),
        SqlitePlugins(batches),
        Artifacts(SqliteArtifacts(batches), files),
        SqliteRuns(batches),
        batches.close,
    )


def remote_bus(state_dir: Path | None) -> Bus:
    """For every other process: the bus of the server that runs on this state directory."""
    from handrail.features.browser.remote_bus import RemoteBus

    return RemoteBus(find_server(state_dir))


def ask_server(state_dir: Path | None, method: str, path: str) -> Any:
    """What the running server's API answers to a person's own command: its data, or its refusal as a Failure."""
    from handrail.features.browser.remote_bus import RemoteBus

    async def asked() -> Any:
        bus = RemoteBus(find_server(state_dir))
        try:
            return await bus.data(method, path)
        finally:
            await bus.close()

    return asyncio.run(asked())


def connected_browsers(state_dir: Path | None) -> list[str]:
    """Offline: no server runs, so none is."""
    plugins = ask_server(state_dir, "GET", "/api/extension/extension-list")
    return [plugin["browserName"] or plugin["clientId"] for plugin in plugins if plugin["socketConnected"]]


def extension_folder() -> Path:
    """Where the built extension is."""
    if not (EXTENSION_FOLDER / "manifest.json").is_file():
        raise NotFound("The extension is not built.", hint="Run `make setup`; a wheel brings it along.")
    return EXTENSION_FOLDER


async def launch_browser(
    state_dir: Path | None,
    server: str,
    code: str,
    on_ready: Callable[[], None],
    *,
    program: str | None = None,
    shows_window: bool = True,
) -> None:
    """A Chromium with a profile below the state directory, paired with the server by this code, until it is closed."""
    from handrail.features.browser.chromium import Chromium

    found, folder = program or chromium_program(), extension_folder()
    if found is None:
        raise _no_chromium(folder)
    profile = state_path(state_dir) / "chromium"
    make_private_folder(profile)
    browser = await Chromium.start(found, profile, folder, has_display=shows_window)
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
    """The browser that previews are looked at with."""
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


def find_server(state_dir: Path | None) -> Callable[[], ServerAddress | None]:
    from handrail.features.browser.remote_bus import ServerAddress

    def find() -> ServerAddress | None:
        server = running_server(state_dir)
        if server is None or not server.is_running:
            return None
        credentials = {"authorization": f"Bearer {server.token}", **console_key(state_dir)}
        return ServerAddress(server.host, server.port, credentials)

    return find
