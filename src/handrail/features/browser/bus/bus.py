"""The bus of this process: tasks, plugins, artifacts and the dispatcher, behind the browser feature's port."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.browser.bus import catalogue, task_view
from handrail.features.browser.bus.action import Action, new_action_id
from handrail.features.browser.bus.artifacts import Artifacts
from handrail.features.browser.bus.dispatcher import Dispatcher
from handrail.features.browser.bus.outcome import End, failed
from handrail.features.browser.bus.plugins import BusListener, Plugin, Plugins
from handrail.features.browser.bus.takeover import Takeover
from handrail.features.browser.bus.tasks import Now, Task, Tasks, milliseconds
from handrail.kernel.lanes import Lanes
from handrail.ports.agent import RunStore
from handrail.ports.browser import (
    ActionRecord,
    ActionResult,
    Actions,
    Artifact,
    OpenTabs,
    PluginRecord,
    Snapshot,
    TaskRecord,
    TaskView,
)
from handrail.ports.browser_store import ActionStore, PluginStore, SharedBrowsers, SharedRunStores, TaskStore
from handrail.ports.errors import Conflict, Failure, InvalidParams, NotFound, TooLarge

CLEAN_EVERY = 6 * 3600.0
_KEEP_ACTIONS_MS = 30 * 24 * 3600 * 1000
MAX_ACTION = 900_000
"""What a plugin's own engine takes in one message is 1,000,000 bytes, envelope included."""

logger = logging.getLogger(__name__)


class LocalBus:
    """`actions`, `plugin_records` and `runs` are the stores; `close` closes them."""

    def __init__(
        self,
        tasks: TaskStore,
        actions: ActionStore,
        plugin_records: PluginStore,
        artifacts: Artifacts,
        runs: RunStore,
        close: Callable[[], Awaitable[None]],
        now: Now = milliseconds,
        dispatcher: Dispatcher | None = None,
    ) -> None:
        self.tasks = Tasks(tasks, now)
        self.plugins = Plugins(plugin_records, now)
        self.artifacts = artifacts
        self.dispatcher = dispatcher or Dispatcher(actions, now)
        self.plugin_records = plugin_records
        self.actions = actions
        self.takeover = Takeover(self.tasks, self.plugins, self.dispatcher, now)
        self.runs = runs
        self.close = close
        self.shared: SharedBrowsers | None = None
        self.shared_runs: SharedRunStores | None = None
        self._arrivals = Lanes()
        self.now = now

    async def act(
        self,
        task: str,
        actions: Actions,
        *,
        timeout_ms: int | None = None,
        trace_id: str | None = None,
        action_id: str | None = None,
        denied: Sequence[str] = (),
        origin: str | None = None,
    ) -> ActionResult:
        """With an `action_id`, the same actions run once, however often they are requested."""
        catalogue.check(actions)
        if timeout_ms is not None:
            catalogue.checked_timeout(timeout_ms)
        if action_id is not None and (known := await self._known_end(action_id, task, actions)) is not None:
            return _result(known)
        async with self._arrivals.turn(task):  # what comes first is begun first
            found = await self.tasks.ensure(task)
            before = found.client_id
            plugin, action = await self._prepared(found, actions, action_id or new_action_id(), timeout_ms, trace_id)
            action.denied, action.origin = denied, origin
        try:
            done = _result(await self.dispatcher.carry_out(found, plugin, action))
        except Conflict:  # who asked for the same at the same time may have been first
            if action_id is None or (known := await self._known_end(action_id, task, actions)) is None:
                raise
            return _result(known)
        if before in (None, plugin.client_id):
            return done
        moved = f"The browser of this task, {before}, is offline: it continues in {plugin.client_id}."
        return msgspec.structs.replace(done, warnings=(*done.warnings, moved))

    async def _prepared(
        self, task: Task, actions: Actions, action_id: str, timeout_ms: int | None, trace_id: str | None
    ) -> tuple[Plugin, Action]:
        if "task_start" not in actions:
            task.check_is_open()
        plugin = self.plugins.of_task(task.client_id, begins="task_start" in actions)
        if plugin.client_id != task.client_id:
            await self.takeover.select(task, plugin.client_id)
        for tab in catalogue.tabs_of(actions):
            plugin.tabs.check(tab, task.id)
        record = ActionRecord(
            action_id=action_id,
            task_id=task.id,
            client_id=plugin.client_id,
            actions={name: dict(params) for name, params in actions.items()},
            created_at=self.now(),
            trace_id=trace_id or UNSET,
        )
        action = Action(record, timeout_ms=timeout_ms)
        action.slots = [
            (wanted, await self.artifacts.presign(task.id, wanted.kind, wanted.content_type))
            for wanted in catalogue.slots_of(actions)
        ]
        if action.slots:
            action.completed = partial(self._with_artifact, action)
        action.artifacts = await self._references(actions)
        if len(msgspec.json.encode(action.message(action_id, self.now()))) > MAX_ACTION:
            raise TooLarge(f"The actions are longer than {MAX_ACTION} bytes.")
        return plugin, action

    async def _with_artifact(self, action: Action, end: End) -> End:
        """Contract 2 §3.5: a plugin that has filled its slot need not say which one that was."""
        if end.failure is not None or end.result.get("artifactId") is not None:
            return end
        for _, slot in action.slots:
            with suppress(NotFound):
                await self.artifacts.find(slot.artifact_id)
                own = {"artifactId": slot.artifact_id, "url": slot.download_url}
                return End(end.status, {**end.result, **own})
        return end

    async def snapshot(self, client_id: str | None = None) -> Snapshot:
        plugin = self.plugins.preferred() if client_id is None else self.plugins.find(client_id)
        if plugin is not None:
            return plugin.snapshot(self.now())
        return Snapshot(age_ms=self.now())

    async def task_for(self, caller: str, task: str | None) -> TaskRecord:
        found = await (self.tasks.own_of(caller) if task is None else self.tasks.ensure(task))
        return found.record

    async def open_tabs(self, caller: str, task: str | None) -> OpenTabs:
        record = await self.task_for(caller, task)
        client = None if record.selected_client_id is UNSET else record.selected_client_id
        plugin = None if client is None else self.plugins.find(client)
        closed = () if plugin is None else plugin.tabs.closed_of(record.task_id)
        return OpenTabs(task=record, tabs=(await self.snapshot(client)).tabs, closed=closed)

    async def artifact(self, artifact_id: str) -> Artifact:
        return await self.artifacts.fetch(artifact_id)

    async def store_artifact(self, task: str, kind: str, content_type: str, data: bytes, name: str = "") -> str:
        return await self.artifacts.add((await self.tasks.ensure(task)).id, kind, content_type, data, name)

    async def view(self, task_id: str) -> TaskView:
        """What the task looked like last. NotFound if there is no such task."""
        task = await self.tasks.find(task_id)
        pictures = await self.actions.last_with(task.id, task_view.PICTURE, task_view.MOST_PICTURES)
        indexes = await self.actions.last_with(task.id, task_view.INDEX, task_view.MOST_INDEXES) if pictures else ()
        latest = await self.actions.latest(task.id, task_view.MOST_ACTIONS) if pictures else ()
        seen = task_view.view_of(task.id, pictures, indexes, latest)
        try:
            if seen.artifact_id is not UNSET:
                await self.artifacts.find(seen.artifact_id)
        except NotFound:
            return TaskView(task_id=task.id)
        return seen

    async def plugin_list(self) -> Sequence[PluginRecord]:
        """The most recently seen first."""
        return self.plugins.told()

    async def choose_for_new_tasks(self, client_id: str) -> PluginRecord:
        """A person's choice, valid until the next one."""
        return await self.plugins.choose_for_new_tasks(client_id)

    async def drop(self, client_id: str) -> None:
        """Disconnects a plugin whose token is no longer valid."""
        self.plugins.drop(client_id)

    def connected(self, plugin: Plugin) -> None:
        """It has joined here."""

    def disconnected(self, client_id: str) -> None:
        """It has left."""

    def listen(self, listener: BusListener) -> None:
        self.dispatcher.observer = listener.action_changed
        self.plugins.listener = listener

    async def start(self) -> None:
        """Ends what the last server left running, and loads known plugins."""
        await self.tasks.end_interrupted()
        await self.actions.end_interrupted(self.now())
        await self.artifacts.start()
        await self.plugins.load()

    async def clean_up(self, every: float = CLEAN_EVERY) -> None:
        """Deletes expired artifacts and actions while the server runs."""
        while True:
            try:
                await self.artifacts.sweep()
                await self.actions.forget(self.now() - _KEEP_ACTIONS_MS)
            except Failure as failure:
                logger.warning("what has expired stays: %s", failure.message)
            await asyncio.sleep(every)

    async def _references(self, actions: Actions) -> list[Mapping[str, Any]]:
        """The files of `browser_upload`, as URLs that the plugin can fetch."""
        ids = actions.get("browser_upload", {}).get("artifactIds", ())
        if not isinstance(ids, list | tuple) or not all(isinstance(id, str) for id in ids):
            message = "must be a list of artifact ids"
            field = "actions.browser_upload.artifactIds"
            raise InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])
        found = [await self.artifacts.find(id) for id in ids]
        return [
            {
                "artifactId": record.artifact_id,
                "url": self.artifacts.url(record.artifact_id),
                "name": record.name or record.artifact_id,
                "contentType": record.content_type,
            }
            for record in found
        ]

    async def _known_end(self, action_id: str, task: str, actions: Actions) -> End | None:
        """The future or past end of the action with this id; None if there is none."""
        if (live := self.dispatcher.live(action_id)) is not None:
            _check_same(live.record, task, actions)
            return await live.wait()
        stored = await self.actions.find(action_id)
        if stored is None:
            return None
        record = stored.record
        _check_same(record, task, actions)
        if stored.failure is not None:
            return failed(stored.failure)
        if record.status is UNSET or record.result is UNSET:
            raise Conflict(f"The action {action_id} is being written down.", actionId=action_id)
        return End(record.status, record.result)


def _check_same(record: ActionRecord, task: str, actions: Actions) -> None:
    if record.task_id != task or list(record.actions.items()) != [(name, dict(p)) for name, p in actions.items()]:
        raise Conflict(f"The action {record.action_id} was another one.", actionId=record.action_id)


def _result(end: End) -> ActionResult:
    if end.failure is not None:
        raise end.failure
    assert end.status != "error"
    return ActionResult(status=end.status, result=dict(end.result), warnings=end.warnings)
