"""The only place that knows every part of handrail: puts stores, kernel, features and faces together."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.features import built_in
from handrail.kernel import settings as settings_file
from handrail.kernel.audit import Audit
from handrail.kernel.checkpoint_maker import CheckpointMaker
from handrail.kernel.evidence import Evidence
from handrail.kernel.feature import load
from handrail.kernel.keyring_secrets import KeyringSecretStore
from handrail.kernel.local_service import Service
from handrail.kernel.open_projects import OpenProjects
from handrail.kernel.policy_source import HANDRAIL_FOLDER, PolicySource
from handrail.kernel.presence import PresenceCheck
from handrail.kernel.project import Project, background_work
from handrail.kernel.project_gate import approver_for, build_gate
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.kernel.queue_approver import AskInQueue
from handrail.kernel.recorded_evidence import OpenEvidence
from handrail.kernel.registry import Registry, surface_of
from handrail.ports.errors import Failure, InvalidParams, NotFound
from handrail.ports.files import EvidenceFolder
from handrail.ports.machine import Machine
from handrail.ports.paths import ClosedFolders
from handrail.ports.state_folder import state_path
from handrail.ports.waiting import enter_in_thread
from handrail.stores.local.factory import stores_of
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.files.overlay import OverlaidFolder
from handrail.stores.local.machine import this_machine
from handrail.stores.local.membership import MembershipFile
from handrail.stores.local.peers import identify
from handrail.stores.local.peers.agents import KnownAgents
from handrail.stores.local.peers.terminal import agent_above, person_at_terminal
from handrail.stores.local.presence import PasskeyFile, ProofFiles
from handrail.stores.local.prompt_store import prompt_store
from handrail.stores.local.secret_file import SecretFile
from handrail.stores.local.secrets.keyring import OsKeyring
from handrail.stores.local.state import open_state
from handrail.stores.local.trust import TrustFile

if TYPE_CHECKING:
    from handrail.faces.http.console_key import ConsoleKey
    from handrail.faces.http.context import HttpContext
    from handrail.faces.http.server import AccessOptions
    from handrail.faces.mcp.streamable import McpEndpoint
    from handrail.kernel.approval import Approver
    from handrail.kernel.feature import Feature
    from handrail.kernel.program import TeamProgram
    from handrail.kernel.settings import AllSettings
    from handrail.ports.identity import Identity
    from handrail.ports.record import RecordStores
    from handrail.ports.stores import Stores

LOCAL_SOCKET = "local.sock"


class Wiring:
    """The program, on this machine. The port is `kernel.program.Program`."""

    def __init__(self, features: Sequence[Feature] | None = None) -> None:
        self.features: Sequence[Feature] = built_in() if features is None else features

    @cached_property
    def machine(self) -> Machine:
        return this_machine()

    def describe(self) -> Registry:
        return Registry([surface_of(feature) for feature in self.features], not_installed=self._not_installed)

    def open_stores(self, state: Path | None) -> Stores:
        from handrail.faces.http import console_key, server_file

        opened = open_state(state)

        def credentials() -> dict[str, str]:
            server, key = server_file.read(opened.path), console_key.read(opened.path)
            token = {} if server is None else {"authorization": f"Bearer {server.token}"}
            return token if key is None else {**token, console_key.HEADER: key}

        agents, node = KnownAgents(opened.path), MembershipFile(opened.path)
        presence = PresenceCheck(
            lambda: settings_file.presence_mode(opened.path),
            PasskeyFile(opened.path),
            ProofFiles(opened.path),
            lambda: person_at_terminal(agents),
            lambda names: agent_above(agents, names),
            lambda: None if (member := node.read()) is None else member.policy,
        )
        prompts = LogPromptQueue(prompt_store(opened.path), presence=presence)
        keyring = OsKeyring()
        secrets = KeyringSecretStore(keyring, SecretFile(opened.path))

        def record() -> RecordStores:
            from handrail.stores.local.record.factory import record_stores

            set_up = settings_file.load_one(settings_file.Settings, opened.path, environ={})
            return record_stores(opened.path, keyring, signer=set_up.audit_signer, told=set_up.audit_witness)

        stores = stores_of(
            opened, prompts, presence, secrets, lambda: server_file.read(opened.path), credentials, record
        )
        return replace(stores, node=node)

    def open_project(
        self,
        folder: Path,
        state: Path | None,
        approver: Approver | AskInQueue,
        *,
        surfaces: Collection[str] | None = None,
        flags: Mapping[str, Any] | None = None,
        is_server: bool = False,
    ) -> Project:
        self._check(surfaces)
        stores = self.open_stores(state)
        kinds = [load(feature.settings) for feature in self.features if feature.settings]
        settings = settings_file.load(stores.path, flags or {}, kinds=kinds)
        audit = Audit(stores.audit, keeper=_keeper(stores, self.open_evidence, is_server=is_server))
        project = self._project(folder, stores, settings, audit, is_server=is_server)
        if is_server and (feature := project.features.get("observability")) is not None:
            project.observer = load(feature.offers["observer"])(project)
        project.set_gate(build_gate(project, approver, surfaces, self._not_installed))
        return project

    def open_beside(self, project: Project, folder: str) -> Project:
        """Another folder, with the stores, settings and audit of an open project. What asks, asks in the queue."""
        other = self._project(Path(folder), project.stores, project.all_settings, project.audit, is_server=False)
        other.observer = project.observer
        other.set_gate(build_gate(other, AskInQueue(), None, self._not_installed))
        return other

    def _project(
        self, folder: Path, stores: Stores, settings: AllSettings, audit: Audit, *, is_server: bool
    ) -> Project:
        closed = ClosedFolders(())
        files = _open_folder(folder, closed)
        own = files.subfolder(HANDRAIL_FOLDER)
        policy = PolicySource(own, stores.path, TrustFile(stores.path), closed, stores.shared_rules, stores.node)
        policy.load()
        return Project(
            files=files,
            stores=stores,
            machine=self.machine,
            all_settings=settings,
            policy=policy,
            audit=audit,
            evidence=self._evidence(own, self._elsewhere(files)),
            features={feature.name: feature for feature in self.features},
            is_server=is_server,
        )

    def _evidence(self, own: EvidenceFolder, elsewhere: Mapping[str, EvidenceFolder]) -> Evidence:
        return Evidence(own, elsewhere)

    def open_evidence(self, folder: str) -> Evidence | None:
        try:
            files = _open_folder(Path(folder), ClosedFolders(()))
        except Failure:
            return None
        return Evidence(files.subfolder(HANDRAIL_FOLDER), self._elsewhere(files))

    def _elsewhere(self, files: LocalFolder) -> dict[str, EvidenceFolder]:
        return {feature.name: files.subfolder(".") for feature in self.features if feature.keeps_evidence_openly}

    def open_for_reading(self, folder: Path, state: Path | None) -> ReadFolder:
        return ReadFolder(folder, state_path(state))

    async def serve_stdio(self, project: Project) -> None:
        from handrail.faces.mcp.stdio import serve

        await asyncio.to_thread(self.machine.register_agent, project.stores.path)
        async with background_work(project):
            await serve(project.gate, self.machine.stdio_identity(), project.settings)

    async def serve_http(
        self,
        project: Project,
        on_ready: Callable[[str, str], None],
        *,
        console: Path | None = None,
        until_unused: tuple[Callable[[], Awaitable[None]], float] | None = None,
        access: AccessOptions | None = None,
    ) -> None:
        from handrail.faces.http.credentials import identity_of
        from handrail.faces.http.server import ServerAddress, UntilUnused, serve

        address = ServerAddress(project.stores.path, project.settings.host, project.settings.port)
        projects = self._projects(project)
        until = UntilUnused(*until_unused) if until_unused is not None else None
        async with background_work(project):
            endpoint = self.mcp_endpoint(project, identity_of)
            await serve(
                project,
                endpoint,
                lambda key: self._http_context(project, key, projects),
                address,
                on_ready,
                console_folder=console,
                until_unused=until,
                access=access,
                alongside=lambda usage: self.serve_local(
                    project, project.stores.path / LOCAL_SOCKET, usage.in_use, projects
                ),
            )

    @asynccontextmanager
    async def serve_local(
        self,
        project: Project,
        path: Path,
        in_use: Callable[[], AbstractContextManager[None]] = nullcontext,
        projects: OpenProjects | None = None,
    ) -> AsyncIterator[None]:
        from handrail.faces.jsonrpc.socket_file import open_socket
        from handrail.faces.local.caller import local_caller
        from handrail.faces.local.server import LocalServer
        from handrail.faces.mcp.local import LocalMcp
        from handrail.faces.mcp.proxy.start import SERVICE

        local_mcp = LocalMcp(lambda project: project.gate.with_approver(approver_for(project, AskInQueue())))
        services: dict[str, Callable[[], Service]] = {
            SERVICE: lambda: local_mcp.serve,
            **{
                name: partial(load, where)
                for feature in project.running_features
                for name, where in feature.services.items()
            },
        }
        projects = projects or self._projects(project)
        known: set[str] = set()
        identify_caller = partial(local_caller, self.machine, project.stores.path, known)
        server = LocalServer(services, projects.find, identify_caller, in_use)
        try:
            async with enter_in_thread(open_socket(path)) as listener, server.listening(listener):
                yield
        finally:
            await projects.close()

    @asynccontextmanager
    async def serve_cage(
        self, project: Project, listener: socket.socket, cage: str, given: Sequence[str] = ()
    ) -> AsyncIterator[None]:
        from handrail.faces.local.caller import local_caller
        from handrail.faces.local.server import LocalServer

        async def own(folder: str | None) -> Project:
            return project

        hooks = project.part("hooks")
        hooks.agent_folders, hooks.is_in_cage = tuple(map(os.path.realpath, given)), True
        services = {"hook": partial(load, project.features["hooks"].services["hook"])}
        server = LocalServer(services, own, partial(local_caller, self.machine, project.stores.path, set()))
        async with server.listening(listener, cage=cage):
            yield

    def mcp_endpoint(self, project: Project, identity_of: Callable[[Any], Identity]) -> McpEndpoint:
        from handrail.faces.mcp.streamable import McpEndpoint

        return McpEndpoint(project.gate, identity_of, project.settings)

    def _projects(self, project: Project) -> OpenProjects:
        return OpenProjects(project, lambda folder: self.open_beside(project, folder))

    def _http_context(self, project: Project, key: ConsoleKey, projects: OpenProjects) -> HttpContext:
        from handrail.faces.http.context import HttpContext
        from handrail.kernel.approval import CommandApprover

        wanted = os.environ.get("HANDRAIL_LANG", "").lower()
        return HttpContext(
            project=project,
            language=next((known for known in ("en", "zh") if wanted.startswith(known)), None),
            person=self.machine.user,
            persons_gate=project.gate.with_approver(CommandApprover()),
            trying_gate=project.gate.with_approver(approver_for(project, AskInQueue())),
            program=self,
            projects=projects,
            console_key=key,
        )

    def team(self) -> TeamProgram:
        from handrail.team_wiring import Team

        return Team(self.features)

    async def serve_lines(
        self, host: Any, socket: Path, on_ready: Callable[[], None], *, unused_seconds: float | None = None
    ) -> None:
        from handrail.faces.jsonrpc.server import serve

        await serve(host, socket, identify, on_ready, unused_seconds=unused_seconds)

    def _check(self, surfaces: Collection[str] | None) -> None:
        features = {feature.name: feature for feature in self.features if feature.tools}
        for name in surfaces or ():
            if name not in features:
                raise InvalidParams(f"There is no surface named {name!r}.", hint=f"Known are: {', '.join(features)}.")
            if (extra := features[name].missing_extra) is not None:
                raise InvalidParams(f"The surface {name!r} isn't installed.", hint=extra.how_to_install)

    @property
    def _not_installed(self) -> dict[str, str]:
        return {
            feature.name: extra.how_to_install
            for feature in self.features
            if (extra := feature.missing_extra) is not None
        }


class ReadFolder:
    """A project that is only read, with the same rules as for its tools."""

    def __init__(self, folder: Path, state: Path) -> None:
        closed = ClosedFolders(())
        files = OverlaidFolder.open(os.path.abspath(folder), closed)
        assert isinstance(files, OverlaidFolder)
        self.files = files
        own = files.subfolder(HANDRAIL_FOLDER)
        self.policy = PolicySource(own, state, TrustFile(state), closed, node=MembershipFile(state))
        self.policy.load()

    def close(self) -> None:
        self.files.close()


def _keeper(stores: Stores, evidence: OpenEvidence, *, is_server: bool) -> CheckpointMaker:
    def is_left_to_server() -> bool:
        server = None if is_server else stores.running_server()
        return server is not None and server.is_running

    return CheckpointMaker(stores.audit, stores.record, evidence=evidence, is_left_to_another=is_left_to_server)


def _open_folder(folder: Path, closed: ClosedFolders) -> LocalFolder:
    with suppress(NotFound):
        return LocalFolder.open(os.path.abspath(folder), closed)
    raise NotFound(f"There is no project folder {folder}.", hint="Name an existing folder with --project.")
