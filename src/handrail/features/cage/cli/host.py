"""The launcher's second thread: opens the project and answers the agent's requests."""

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.features.cage.launch import CagedAgent
from handrail.features.cage.preparation import PreparedRun
from handrail.features.cage.run_folder import filter_cache

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from handrail.kernel.program import Program
    from handrail.kernel.project import Project
    from handrail.ports.identity import Caller, Identity

_NOT_INSIDE = frozenset({"workspace", "webgal", "desktop"})
"""File tools would change the project itself while the agent sees its overlay, and screen readers need no approval."""
_END_SECONDS = 10.0


class CageHost(threading.Thread):
    """Runs as long as the cage. If it fails, it ends the cage and `failure` has the reason."""

    def __init__(
        self,
        open_program: Callable[[], "Program"],
        caged: CagedAgent,
        prepared: PreparedRun,
        hooks: socket.socket,
        ports: Sequence[int],
    ) -> None:
        """`hooks` is the socket that hooks inside the cage connect to."""
        super().__init__(name="cage host", daemon=True)
        self.failure: BaseException | None = None
        self._caged = caged
        self._prepared = prepared
        self._ports = ports
        self._hooks = hooks
        self._open_program = open_program
        self._loop: asyncio.AbstractEventLoop | None = None
        self._serving: asyncio.Task[None] | None = None
        self._is_over = False

    def run(self) -> None:
        try:
            asyncio.run(self._serve())
        except asyncio.CancelledError:
            return
        except BaseException as fault:  # noqa: BLE001 - the main thread reports it
            self.failure = fault
            self._caged.kill()

    def end(self) -> None:
        """Called when the agent has ended."""
        self._is_over = True
        if self._loop is not None and self._serving is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._serving.cancel)
        self.join(_END_SECONDS)

    async def _serve(self) -> None:
        from handrail.kernel.queue_approver import AskInQueue

        self._loop, self._serving = asyncio.get_running_loop(), asyncio.current_task()
        if self._is_over:
            return
        await asyncio.to_thread(self._verify_filter)
        program = self._open_program()
        opened = await asyncio.to_thread(self._open, program, AskInQueue(keeps_prompt=False))
        try:
            await self._answer(program, opened)
        finally:
            await asyncio.to_thread(opened.close)  # it may seal the audit log, which waits for the disk

    def _verify_filter(self) -> None:
        from handrail.features.cage.syscalls import verify_cached_filter

        if not self._is_narrow:  # a narrow cage caches no filter
            verify_cached_filter(self._prepared.spec.refused, filter_cache(self._prepared.state))

    def _open(self, program: "Program", approver: Any) -> "Project":
        features = [feature for feature in program.features if feature.tools and feature.missing_extra is None]
        surfaces = [feature.name for feature in features if feature.name not in _NOT_INSIDE]
        return program.open_project(
            Path(self._prepared.project), Path(self._prepared.state), approver, surfaces=surfaces
        )

    async def _answer(self, program: "Program", project: "Project") -> None:
        from handrail.features.cage.cli.endpoint import Endpoint
        from handrail.features.cage.proxy.host_access import HostAccess
        from handrail.features.cage.proxy.proxy_server import ProxyServer
        from handrail.kernel.project import background_work

        prepared, (caller, identity) = self._prepared, self._identity()
        run = identity.connection
        mcp = program.mcp_endpoint(project, lambda scope: identity)
        access = HostAccess(
            project.gate, project.policy, project.part("cage"), caller, run=run, is_model_host=prepared.is_model_host
        )
        endpoint = Endpoint(mcp, prepared.token, prepared.upstreams)
        async with (
            background_work(project),
            mcp.run(),
            program.serve_cage(project, self._hooks, prepared.id, self._work_folders()),
            self._published_ports(project, caller, run),
        ):
            try:
                await ProxyServer(self._caged.endpoint, access, endpoint.protocol, self._is_allowed_peer).serve()
            finally:
                await project.stores.grants.end_for(caller.identity, run)
                await endpoint.close()

    def _published_ports(self, project: "Project", caller: "Caller", run: str) -> "AbstractAsyncContextManager[None]":
        """Forwards ports of a full cage. In a narrow cage, servers already listen on this machine."""
        from handrail.features.cage.connections import PUBLISH_NAME
        from handrail.features.cage.proxy.published_ports import PublishedPorts, publish
        from handrail.kernel.call import Call

        if self._is_narrow:
            return nullcontext()
        forwarder = PublishedPorts(self._caged.helper)
        project.part("cage").forward = forwarder.forward

        async def ask(port: int, outside: int) -> object:
            return await project.gate.run(Call(PUBLISH_NAME, {"port": port, "outside": outside}, caller, own_task=run))

        return publish(forwarder, self._ports, ask)

    def _work_folders(self) -> list[str]:
        """Returns the folders of the state directory in which the agent of a narrow cage works."""
        folder = self._prepared.folder
        return [folder.copy, folder.temporary, self._prepared.spec.home] if self._is_narrow else []

    @property
    def _is_narrow(self) -> bool:
        return self._prepared.confinement.level == "narrow"

    def _is_allowed_peer(self, peer_address: tuple[str, int], own_address: tuple[str, int]) -> bool:
        """Other users could connect to a narrow cage's endpoint and use the person's model: only our own user may."""
        from handrail.features.cage.narrow.peers import is_same_user

        return not self._is_narrow or is_same_user(peer_address, own_address)

    def _identity(self) -> "tuple[Caller, Identity]":
        from handrail.ports.identity import CAGE_FACE, Caller, Identity

        prepared = self._prepared
        identity = Identity(f"cage:{prepared.id}", f"cage:{prepared.client_name or prepared.title}")
        caller = Caller.known(CAGE_FACE, f"{prepared.title} in the cage", f"cage:{prepared.id}", identity)
        return caller, identity
