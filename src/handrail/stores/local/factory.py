"""Opens all stores of a state directory on this machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.ports.stores import RunningServer, Stores
from handrail.stores.local import locks
from handrail.stores.local.agents import AgentsFile
from handrail.stores.local.config_file import allow, choose, remove_rule, rules
from handrail.stores.local.file_watch import FollowedFile
from handrail.stores.local.private_file import make_private_folder
from handrail.stores.local.push_subscriptions import SecretSubscriptions
from handrail.stores.local.questions import SqliteQuestions
from handrail.stores.local.rows import PermissionRows
from handrail.stores.local.state import STEPS, State
from handrail.stores.local.task_owners import SqliteTaskOwners
from handrail.stores.local.tokens import SqliteOnce, SqliteTokens
from handrail.stores.local.viewers import is_watched, watching
from handrail.stores.shared.consents import ConsentRows
from handrail.stores.shared.task_grants import TaskGrantRows

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager, AbstractContextManager
    from typing import Any

    from handrail.ports.browser_store import BrowserStores
    from handrail.ports.presence import Presence
    from handrail.ports.prompt_queue import PromptQueue
    from handrail.ports.record import RecordStores
    from handrail.ports.secrets import SecretStore


def stores_of(
    state: State,
    prompts: PromptQueue,
    presence: Presence,
    secrets: SecretStore,
    running_server: Callable[[], RunningServer | None],
    credentials: Callable[[], dict[str, str]],
    record: Callable[[], RecordStores],
) -> Stores:
    path, journal, permissions = state.path, state.journal("audit"), PermissionRows(state.database)

    def lock(name: str, patience: float) -> AbstractContextManager[None]:
        return locks.exclusive(path / f"{name}.lock", patience=patience)

    def watch_audit() -> AbstractAsyncContextManager[Any]:
        make_private_folder(Path(journal.location).parent)  # only an existing folder can be watched
        return FollowedFile(Path(journal.location)).watching()

    return Stores(
        path=path,
        tokens=SqliteTokens(state.database),
        once=SqliteOnce(state.database),
        consents=ConsentRows(permissions),
        agents=AgentsFile(path),
        task_owners=SqliteTaskOwners(state.database),
        questions=SqliteQuestions(state.database),
        prompts=prompts,
        presence=presence,
        secrets=secrets,
        push=SecretSubscriptions(secrets),
        audit=journal,
        record=record,
        browser=lambda: open_browser_stores(path),
        lock=lock,
        watching=lambda: watching(path),
        is_watched=lambda: is_watched(path),
        running_server=running_server,
        credentials=credentials,
        set_choice=partial(choose, path),
        allow=partial(allow, path),
        rules=partial(rules, path),
        remove_rule=partial(remove_rule, path),
        grants=TaskGrantRows(permissions),
        watch_audit=watch_audit,
        format=len(STEPS),
        close=state.close,
    )


def open_browser_stores(state: Path) -> BrowserStores:
    from handrail.ports.browser_store import BrowserStores
    from handrail.stores.local.batches import SqliteBatches
    from handrail.stores.local.browser_actions import SqliteActions
    from handrail.stores.local.browser_artifacts import ArtifactFolder, artifacts_folder
    from handrail.stores.local.browser_tables import browser_database
    from handrail.stores.shared.agent_runs import RunRows
    from handrail.stores.shared.browser_artifacts import ArtifactRows
    from handrail.stores.shared.browser_plugins import PluginRows
    from handrail.stores.shared.browser_tasks import TaskRows

    batches = SqliteBatches(browser_database(state))
    return BrowserStores(
        TaskRows(batches),
        SqliteActions(batches),
        PluginRows(batches),
        ArtifactRows(batches),
        ArtifactFolder(artifacts_folder(state)),
        RunRows(batches),
        batches.close,
    )
