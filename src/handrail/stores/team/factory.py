"""Opens the stores that a team's servers share, in PostgreSQL, NATS and a bucket."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from pathlib import Path

from handrail.ports.browser_store import BrowserStores, SharedBrowsers, SharedRunStores
from handrail.ports.errors import Failure, InputOutput
from handrail.ports.record import RecordStores
from handrail.ports.team import TeamStores
from handrail.stores.shared.browser_artifacts import ArtifactRows
from handrail.stores.shared.consents import ConsentRows
from handrail.stores.shared.task_grants import TaskGrantRows
from handrail.stores.team import setup
from handrail.stores.team.agents import TeamAgents
from handrail.stores.team.announcements import Listener
from handrail.stores.team.batches import TeamBatches
from handrail.stores.team.blobs import BlobFolder, BlobWitness, open_bucket
from handrail.stores.team.browser_actions import TeamActions, TeamTasks
from handrail.stores.team.browser_artifacts import ArtifactBlobs
from handrail.stores.team.browser_plugins import TeamPlugins
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.journal import TeamJournal
from handrail.stores.team.leases import TeamLeases
from handrail.stores.team.members import TeamMembers
from handrail.stores.team.messages import Messages
from handrail.stores.team.nodes import TeamNodes
from handrail.stores.team.peers import TeamBrowserPeers, TeamPeers
from handrail.stores.team.prompt_store import prompt_store
from handrail.stores.team.push_subscriptions import TeamSubscriptions
from handrail.stores.team.questions import TeamQuestions
from handrail.stores.team.record import KeyFile, KnownKey, record_stores
from handrail.stores.team.rules import TeamRules
from handrail.stores.team.run_leases import SECONDS as RUN_SECONDS
from handrail.stores.team.run_leases import TeamRunLeases, TeamRuns
from handrail.stores.team.sessions import TeamSessions
from handrail.stores.team.task_owners import TeamTaskOwners
from handrail.stores.team.tokens import TeamOnce, TeamTokens
from handrail.stores.team.voting import TeamApprovalRules, TeamVotes

_LOOK_SECONDS = 4
"""A load balancer's health check waits about five."""


@dataclass(frozen=True, slots=True)
class TeamAddress:
    """The addresses of a team's engines. Commands that only use the database need only that one."""

    database: str
    nats: str = ""
    blobs: str = ""
    signing_key: Path | None = None
    public_key: str = ""
    """For commands that only check signatures."""


@dataclass
class OpenTeam:
    """All of a team's stores, for one process. Opening blocks, because it looks up the role's tenant."""

    address: TeamAddress
    tenant: str = ""
    database: TeamDatabase = field(init=False)

    def __post_init__(self) -> None:
        self.tenant = self.tenant or setup.check(self.address.database)
        self.database = database = TeamDatabase(self.address.database)
        self.messages = Messages(self.address.nats, self.tenant, database.engine)
        self.listener = Listener(database)
        self.bucket = open_bucket(self.address.blobs) if self.address.blobs else None
        self.members = TeamMembers(database)
        self.rules = TeamRules(database, self.members)
        self.agents = TeamAgents(self.members)
        self.leases = TeamLeases(database, self.messages.server)
        self.tokens, self.once = TeamTokens(database), TeamOnce(database)
        self.consents, self.grants = ConsentRows(database), TaskGrantRows(database)
        self.questions, self.owners = TeamQuestions(database), TeamTaskOwners(database)
        self.prompts = prompt_store(database, self.listener, self.messages)
        self.audit = TeamJournal(database, "audit")
        self.push = TeamSubscriptions(database)
        self.team = TeamStores(
            self.tenant,
            self.messages.server,
            self.members,
            TeamSessions(database, self.members),
            TeamVotes(database),
            TeamApprovalRules(database),
            self.leases,
            self.parts,
            lambda: self.listener.watching("access"),
            TeamNodes(database, self.listener),
        )

    def browser(self, address: str = "", *, run_seconds: float = RUN_SECONDS) -> BrowserStores:
        """`run_seconds`: how long other servers wait before they take over the runs of a crashed server."""
        batches, server = TeamBatches(self.database), self.messages.server
        plugins = TeamPlugins(self.database, batches, server)
        peers = TeamBrowserPeers(self.messages, self.database, self.members, self.blobs("answers"))
        leases = TeamRunLeases(self.database, self.leases, server, run_seconds)
        return BrowserStores(
            TeamTasks(batches),
            TeamActions(batches, server),
            plugins,
            ArtifactRows(batches),
            ArtifactBlobs(self.blobs("artifacts")),
            TeamRuns(batches, leases),
            batches.close,
            SharedBrowsers(plugins, peers, address),
            SharedRunStores(leases, TeamPeers(self.messages, "run", self.blobs("answers"))),
        )

    def blobs(self, prefix: str) -> BlobFolder:
        if self.bucket is None:
            raise InputOutput("No bucket is configured.", hint="Name one with --blobs.")
        return BlobFolder(self.bucket, self.address.blobs, f"{self.tenant}/{prefix}")

    def record(self) -> RecordStores:
        witness = None if self.bucket is None else BlobWitness(self.blobs("checkpoints"))
        signer = KeyFile(self.address.signing_key) if not self.address.public_key else KnownKey(self.address.public_key)
        return record_stores(self.database, self.leases, self.tenant, signer, witness)

    def parts(self) -> Mapping[str, str | None]:
        """The current fault of each engine, or None. Blocks for a few seconds if an engine doesn't answer."""
        looks: dict[str, Callable[[], object]] = {
            "database": lambda: self.database.run(lambda rows: rows.fetchval("SELECT 1"))
        }
        if self.address.nats:
            looks["nats"] = self.messages.check
        if self.bucket is not None:
            looks["blobs"] = lambda: self.blobs("health").names("")
        return _faults(looks)

    def close(self) -> None:
        self.listener.close()
        self.messages.close()
        self.database.close()


def _faults(looks: Mapping[str, Callable[[], object]]) -> Mapping[str, str | None]:
    """Looks at all at once. A frozen engine keeps its thread waiting, but not the caller."""
    faults: dict[str, str | None] = {name: f"No answer from {name} within {_LOOK_SECONDS} s." for name in looks}

    def look_at(name: str, look: Callable[[], object]) -> None:
        try:
            look()
            faults[name] = None
        except Failure as failure:
            faults[name] = failure.message
        except CancelledError:
            return  # the stores were closed in the meantime

    threads = [threading.Thread(target=look_at, args=each, daemon=True) for each in looks.items()]
    end = time.monotonic() + _LOOK_SECONDS
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return dict(faults)
