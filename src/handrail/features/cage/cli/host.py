"""The launcher's second thread: opens the project, and answers the agent at the door of its cage."""

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.features.cage.launch import Caged
from handrail.features.cage.preparation import Prepared
from handrail.features.cage.run_folder import filter_cache

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from handrail.kernel.program import Program
    from handrail.kernel.project import Project
    from handrail.ports.identity import Caller, Identity

_NOT_INSIDE = frozenset({"workspace", "webgal", "desktop"})
"""File tools would work on the project itself, while the agent sees its overlay; reading the screen asks nothing."""
_END_SECONDS = 10.0


class CageHost(threading.Thread):
    """While the cage runs. When it fails, so does the cage: `failure` says why."""

    def __init__(
        self,
        open_program: Callable[[], "Program"],
        caged: Caged,
        prepared: Prepared,
        hooks: socket.socket,
        ports: Sequence[int],
    ) -> None:
        """`hooks` listens where the cage's hooks call."""
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
        await asyncio.to_thread(self._check_filter)
        program = self._open_program()
        opened = await asyncio.to_thread(self._open, program, AskInQueue(keeps_prompt=False))
        try:
            await self._answer(program, opened)
        finally:
            await asyncio.to_thread(opened.close)  # it may seal the record, which waits for the disk

    def _check_filter(self) -> None:
        from handrail.features.cage.syscalls import check_kept

        if not self._is_narrow:  # which keeps none
            check_kept(self._prepared.spec.refused, filter_cache(self._prepared.state))

    def _open(self, program: "Program", approver: Any) -> "Project":
        features = [feature for feature in program.features if feature.tools and feature.missing_extra is None]
        surfaces = [feature.name for feature in features if feature.name not in _NOT_INSIDE]
        return program.open_project(
            Path(self._prepared.project), Path(self._prepared.state), approver, surfaces=surfaces
        )

    async def _answer(self, program: "Program", project: "Project") -> None:
        from handrail.features.cage.cli.endpoint import Endpoint
        from handrail.features.cage.proxy.door import Door
        from handrail.features.cage.proxy.host_access import HostAccess
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
            program.serve_cage(project, self._hooks, prepared.id, self._given()),
            self._published(project, caller, run),
        ):
            try:
                await Door(self._caged.endpoint, access, endpoint.protocol, self._welcome).serve()
            finally:
                await project.stores.grants.end_for(caller.identity, run)
                await endpoint.close()

    def _published(self, project: "Project", caller: "Caller", run: str) -> "AbstractAsyncContextManager[None]":
        """In a narrow cage servers listen on this machine already."""
        from handrail.features.cage.connections import PUBLISH_NAME
        from handrail.features.cage.proxy.published import Published, publish
        from handrail.kernel.call import Call

        if self._is_narrow:
            return nullcontext()
        published = Published(self._caged.inside)
        project.part("cage").forward = published.forward

        async def ask(port: int, outside: int) -> object:
            return await project.gate.run(Call(PUBLISH_NAME, {"port": port, "outside": outside}, caller, own_task=run))

        return publish(published, self._ports, ask)

    def _given(self) -> list[str]:
        """Folders of the state directory in which the agent of a narrow cage works."""
        folder = self._prepared.folder
        return [folder.copy, folder.temporary, self._prepared.spec.home] if self._is_narrow else []

    @property
    def _is_narrow(self) -> bool:
        return self._prepared.confinement.level == "narrow"

    def _welcome(self, peer: tuple[str, int], own: tuple[str, int]) -> bool:
        """A narrow cage has the machine's network, where other users could use the person's model."""
        from handrail.features.cage.narrow.peers import is_same_user

        return not self._is_narrow or is_same_user(peer, own)

    def _identity(self) -> "tuple[Caller, Identity]":
        from handrail.ports.identity import CAGE_FACE, Caller, Identity

        prepared = self._prepared
        identity = Identity(f"cage:{prepared.id}", f"cage:{prepared.client_name or prepared.title}")
        caller = Caller.known(CAGE_FACE, f"{prepared.title} in the cage", f"cage:{prepared.id}", identity)
        return caller, identity
