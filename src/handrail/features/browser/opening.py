"""Opens the browser's part of a project: the bus of this server, or a connection to the running server's bus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handrail.features.browser.browser import Browser
from handrail.kernel.task_end import end_task_in
from handrail.kernel.task_ownership import TaskOwnership

if TYPE_CHECKING:
    from collections.abc import Callable

    from handrail.features.browser.bus.bus import LocalBus
    from handrail.features.browser.offers import LocalBrowser, RunningServer
    from handrail.features.browser.remote_bus import ServerAddress
    from handrail.kernel.project import Project
    from handrail.ports.browser import Bus
    from handrail.ports.stores import Stores


def open_browser(project: Project) -> Browser:
    """A server has its own bus; other processes use that of the running server."""
    bus = open_bus(project.stores) if project.is_server else remote_bus(project.stores)
    return Browser(bus, project.files, TaskOwnership(project.stores.task_owners, project.machine.has_ended))


def open_bus(stores: Stores) -> LocalBus:
    from handrail.features.browser.bus.artifacts import Artifacts
    from handrail.features.browser.bus.bus import LocalBus

    browser = stores.browser()
    artifacts = Artifacts(browser.artifacts, browser.artifact_files)
    if browser.shared is None:
        bus = LocalBus(browser.tasks, browser.actions, browser.plugins, artifacts, browser.runs, browser.close)
    else:
        from handrail.features.browser.bus.shared_bus import SharedBus

        bus = SharedBus(browser, artifacts, browser.shared)
    bus.takeover.end_grants = end_task_in(stores)
    return bus


def remote_bus(stores: Stores) -> Bus:
    from handrail.features.browser.remote_bus import RemoteBus

    return RemoteBus(find_server(stores))


def find_server(stores: Stores) -> Callable[[], ServerAddress | None]:
    from handrail.features.browser.remote_bus import ServerAddress

    def find() -> ServerAddress | None:
        server = stores.running_server()
        if server is None or not server.is_running:
            return None
        return ServerAddress(server.host, server.port, stores.credentials())

    return find


def local_browser(project: Project) -> LocalBrowser:
    """For other features: a headless browser for pages on this machine."""
    from handrail.features.browser.chromium.headless import HeadlessChromium

    return HeadlessChromium()


def server_of(project: Project) -> RunningServer:
    """For other features: the running server, asked on behalf of the person's own program."""
    from handrail.features.browser.remote_bus.server_client import ServerClient

    return ServerClient(find_server(project.stores))
