"""Wires a team's server: the same kernel, features and faces as for one person, with a team's stores."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvloop

from handrail.faces.http.server import AccessOptions
from handrail.features.team.routes.credentials import TeamCredentials
from handrail.features.team.routes.guard import TeamGuard
from handrail.features.team.voting import VotingQueue
from handrail.kernel.audit import Audit
from handrail.kernel.evidence import Evidence
from handrail.kernel.project_gate import approver_for
from handrail.kernel.queue_approver import AskInQueue
from handrail.stores.team import setup
from handrail.stores.team.factory import OpenTeam, TeamAddress
from handrail.stores.team.record import make_key
from handrail.stores.team.startup_secrets import StartupSecrets
from handrail.wiring import Wiring

if TYPE_CHECKING:
    from handrail.faces.http.console_key import ConsoleKey
    from handrail.faces.http.context import HttpContext
    from handrail.faces.mcp.streamable import McpEndpoint
    from handrail.kernel.feature import Feature
    from handrail.kernel.open_projects import OpenProjects
    from handrail.kernel.project import Project
    from handrail.ports.files import EvidenceFolder
    from handrail.ports.identity import Identity
    from handrail.ports.secrets import Secret
    from handrail.ports.stores import Stores
    from handrail.ports.team import IdentityProvider


class Team:
    """Implements `kernel.program.TeamProgram`."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self._features = features

    def set_up(self, owner: str, tenant: str, *, has_new_password: bool) -> tuple[int, int, str | None]:
        old_version, new_version = setup.migrate(owner)
        return old_version, new_version, setup.add_tenant(owner, tenant, has_new_password=has_new_password)

    def faults(self, database: str) -> tuple[str, Sequence[str]]:
        condition = setup.look(database)
        return (
            f"PostgreSQL {condition.server}, tables version {condition.version}, tenant {condition.tenant}",
            condition.faults,
        )

    def make_key(self, file: Path) -> str:
        return make_key(file)

    def open(
        self,
        database: str,
        *,
        nats: str = "",
        blobs: str = "",
        signing_key: Path | None = None,
        public_key: str = "",
    ) -> OpenTeam:
        return OpenTeam(TeamAddress(database, nats, blobs, signing_key, public_key))

    def serve(
        self,
        team: Any,
        project: Path,
        state: Path,
        *,
        host: str,
        port: int,
        url: str,
        provider: IdentityProvider | None,
        secrets: Mapping[str, Secret],
        on_ready: Callable[[str], None],
    ) -> None:
        team.team = replace(team.team, provider=provider, url=url.rstrip("/"))
        wiring = TeamWiring(team, [feature for feature in self._features if feature.works_in_teams], secrets)
        team.messages.check()
        team.members.load()
        flags = {"host": host, "port": port, "open_console": False, "call_person": False}
        opened_project = wiring.open_project(project, state, AskInQueue(), flags=flags, is_server=True)
        access = AccessOptions(
            credentials=partial(TeamCredentials, team.team, url.startswith("https:")),
            guard=partial(TeamGuard, team.team, url),
            is_for_all=True,
        )
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(wiring.serve_http(opened_project, lambda address, console: on_ready(address), access=access))
        finally:
            opened_project.close()


class TeamWiring(Wiring):
    """The wiring of a team's server: settings in its own state directory, shared data in the team's stores."""

    def __init__(self, team: OpenTeam, features: Sequence[Feature], secrets: Mapping[str, Secret]) -> None:
        super().__init__(features)
        self._team = team
        self._secrets = secrets

    def open_stores(self, state: Path | None) -> Stores:
        local, team = super().open_stores(state), self._team
        local.close()
        audit = Audit(team.audit)
        prompts = VotingQueue(team.prompts, team.team, audit)

        def close() -> None:
            audit.close()
            local.close()
            team.close()

        return replace(
            local,
            tokens=team.tokens,
            once=team.once,
            consents=team.consents,
            agents=team.agents,
            task_owners=team.owners,
            questions=team.questions,
            prompts=prompts,
            secrets=StartupSecrets(self._secrets, local.secrets),
            push=team.push,
            audit=team.audit,
            record=team.record,
            watching=nullcontext,
            is_watched=lambda: True,
            allow=team.rules.allow,
            rules=team.rules.all,
            remove_rule=team.rules.remove,
            grants=team.grants,
            browser=lambda: team.browser(team.team.url),
            watch_audit=lambda: team.listener.watching("audit", look_every=1.0),
            close=close,
            node=None,
            shared_rules=team.rules,
            team=team.team,
        )

    def _evidence(self, folder: EvidenceFolder, elsewhere: Mapping[str, EvidenceFolder]) -> Evidence:
        return Evidence(self._team.blobs("evidence"))

    def open_evidence(self, folder: str) -> Evidence | None:
        return Evidence(self._team.blobs("evidence"))

    def mcp_endpoint(self, project: Project, identity_of: Callable[[Any], Identity]) -> McpEndpoint:
        from handrail.faces.http.credentials import agent_of
        from handrail.faces.mcp.streamable import McpEndpoint

        def name_of(scope: Any) -> str:
            """The agent's name as an administrator has registered it; a client may call itself anything."""
            agent = agent_of(scope)
            return "unknown" if agent is None else agent.name

        return McpEndpoint(project.gate, identity_of, project.settings, is_stateless=True, name_of=name_of)

    def _http_context(self, project: Project, key: ConsoleKey, projects: OpenProjects) -> HttpContext:
        """A person's command doesn't count as approval here; approvals are asked in the queue."""
        context = super()._http_context(project, key, projects)
        return replace(context, persons_gate=project.gate.with_approver(approver_for(project, AskInQueue())))

    @asynccontextmanager
    async def serve_local(self, *args: Any, **kwargs: Any) -> AsyncIterator[None]:
        """Serves no local socket: a team's server has no callers on its own machine."""
        yield
