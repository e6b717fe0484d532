"""The browser's part of a project: the bus, here or in the server that runs; and Chromiums that handrail starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handrail.features.browser.browser import Browser
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
    """The server has the bus to browsers; every other process reaches that of the server which runs."""
    bus = open_bus(project.stores) if project.is_server else remote_bus(project.stores)
    return Browser(bus, project.files, TaskOwnership(project.stores.task_owners, project.machine.has_ended))


def open_bus(stores: Stores) -> LocalBus:
    from handrail.features.browser.bus.artifacts import Artifacts
    from handrail.features.browser.bus.bus import LocalBus

    kept = stores.browser()
    artifacts = Artifacts(kept.artifacts, kept.artifact_files)
    if kept.shared is None:
        bus = LocalBus(kept.tasks, kept.actions, kept.plugins, artifacts, kept.runs, kept.close)
    else:
        from handrail.features.browser.bus.shared_bus import SharedBus

        bus = SharedBus(kept, artifacts, kept.shared)
    bus.takeover.end_grants = stores.grants.end_task
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
    """For other features: a headless browser for pages of this machine."""
    from handrail.features.browser.chromium.headless import HeadlessChromium

    return HeadlessChromium()


def server_of(project: Project) -> RunningServer:
    """For other features: the server that runs, asked in the name of a person's own program."""
    from handrail.features.browser.remote_bus.server_client import ServerClient

    return ServerClient(find_server(project.stores))
