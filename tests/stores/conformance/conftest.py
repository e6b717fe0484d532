"""Runs the same tests on every kind of store: two processes' views of one state directory or one tenant's database."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.consents import Consents
from handrail.ports.grants import TaskGrants
from handrail.ports.journal import Journal
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.questions import QuestionCounter
from handrail.ports.task_owners import TaskOwners
from handrail.ports.tokens import OneTimeClaims, TokenStore
from handrail.stores.local.journal import JournalFile
from handrail.stores.local.prompt_store import prompt_store
from handrail.stores.local.questions import SqliteQuestions
from handrail.stores.local.rows import PermissionRows
from handrail.stores.local.state_tables import state_database
from handrail.stores.local.task_owners import SqliteTaskOwners
from handrail.stores.local.tokens import SqliteOnce, SqliteTokens
from handrail.stores.shared.consents import ConsentRows
from handrail.stores.shared.task_grants import TaskGrantRows
from handrail.stores.team.announcements import Listener
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.journal import TeamJournal
from handrail.stores.team.messages import Messages
from handrail.stores.team.prompt_store import prompt_store as team_prompt_store
from handrail.stores.team.questions import TeamQuestions
from handrail.stores.team.task_owners import TeamTaskOwners
from handrail.stores.team.tokens import TeamOnce, TeamTokens
from tests.team_engines import Nats, Postgres, nats, postgres

__all__ = ["nats", "postgres"]


@dataclass(frozen=True, slots=True)
class ProcessStores:
    """The stores that one process has open."""

    tokens: TokenStore
    once: OneTimeClaims
    consents: Consents
    grants: TaskGrants
    questions: QuestionCounter
    owners: TaskOwners
    journal: Journal
    prompts: PromptQueue


OpenStores = Callable[[], AbstractContextManager[ProcessStores]]


@contextmanager
def local_stores(state: Path) -> Iterator[ProcessStores]:
    database = state_database(state / "handrail.db")
    journal = JournalFile(state / "log.jsonl", state / "head")
    yield ProcessStores(
        SqliteTokens(database),
        SqliteOnce(database),
        ConsentRows(PermissionRows(database)),
        TaskGrantRows(PermissionRows(database)),
        SqliteQuestions(database),
        SqliteTaskOwners(database),
        journal,
        LogPromptQueue(prompt_store(state)),
    )
    journal.close()
    database.close()


@contextmanager
def team_stores(url: str, nats_url: str) -> Iterator[ProcessStores]:
    database = TeamDatabase(url)
    listener, messages = (
        Listener(database),
        Messages(nats_url, url.partition("handrail_")[2].partition(":")[0], database.engine),
    )
    yield ProcessStores(
        TeamTokens(database),
        TeamOnce(database),
        ConsentRows(database),
        TaskGrantRows(database),
        TeamQuestions(database),
        TeamTaskOwners(database),
        TeamJournal(database, "log"),
        LogPromptQueue(team_prompt_store(database, listener, messages)),
    )
    listener.close()
    messages.close()
    database.close()


@pytest.fixture(params=["local", "team"])
def open_stores(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStores:
    if request.param == "local":
        return lambda: local_stores(tmp_path / "state")
    server: Postgres = request.getfixturevalue("postgres")
    messages: Nats = request.getfixturevalue("nats")
    url = server.tenant()
    return lambda: team_stores(url, messages.url)


@pytest.fixture
def stores(open_stores: OpenStores) -> Iterator[ProcessStores]:
    with open_stores() as stores_of_node:
        yield stores_of_node
        asyncio.run(stores_of_node.prompts.close())


@pytest.fixture
def other(open_stores: OpenStores) -> Iterator[ProcessStores]:
    """The same stores, opened by another process."""
    with open_stores() as stores_of_node:
        yield stores_of_node
        asyncio.run(stores_of_node.prompts.close())
