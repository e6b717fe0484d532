"""The bus of this process: joins tasks, plugins, artifacts and the dispatcher."""

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
"""Bytes. A plugin's Socket.IO engine accepts 1,000,000 in one message, with its envelope."""

logger = logging.getLogger(__name__)


class LocalBus:
    """`actions`, `plugin_records` and `runs` are stores; `close` closes them."""

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
        """With an `action_id`, repeated requests run the actions only once."""
        catalogue.check(actions)
        if timeout_ms is not None:
            catalogue.check_timeout(timeout_ms)
        if action_id is not None and (end := await self._earlier_end(action_id, task, actions)) is not None:
            return _result(end)
        async with self._arrivals.turn(task):  # actions begin in order of arrival
            ensured = await self.tasks.ensure(task)
            before = ensured.client_id
            plugin, action = await self._prepare(ensured, actions, action_id or new_action_id(), timeout_ms, trace_id)
            action.denied, action.origin = denied, origin
        try:
            done = _result(await self.dispatcher.run(ensured, plugin, action))
        except Conflict:  # the same request may have arrived twice at the same time
            if action_id is None or (end := await self._earlier_end(action_id, task, actions)) is None:
                raise
            return _result(end)
        if before in (None, plugin.client_id):
            return done
        moved = f"The browser of this task, {before}, is offline: it continues in {plugin.client_id}."
        return msgspec.structs.replace(done, warnings=(*done.warnings, moved))

    async def _prepare(
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
        action.artifacts = await self._upload_references(actions)
        if len(msgspec.json.encode(action.message(action_id, self.now()))) > MAX_ACTION:
            raise TooLarge(f"The actions are longer than {MAX_ACTION} bytes.")
        reserved = [
            (declared, *self.artifacts.reserve(task.id, declared.kind, declared.content_type))
            for declared in catalogue.slots_of(actions)
        ]
        action.slots = [(declared, slot) for declared, slot, _ in reserved]
        action.storing = [storing for _, _, storing in reserved]
        if action.slots:
            action.complete = partial(self._with_artifact, action)
        return plugin, action

    async def _with_artifact(self, action: Action, end: End) -> End:
        """Adds the artifact's id, which a plugin that filled its slot may leave out (contract 2 §3.5)."""
        result = end.result
        is_inline = result.get("text") and not result.get("screenshotUploaded")
        if end.failure is not None or result.get("artifactId") is not None or is_inline:
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
        ensured = await (self.tasks.own_of(caller) if task is None else self.tasks.ensure(task))
        return ensured.record

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
        """The task's last picture. Raises NotFound if there is no such task."""
        task = await self.tasks.find(task_id)
        pictures = await self.actions.last_with(task.id, task_view.PICTURE, task_view.MAX_PICTURES)
        indexes = await self.actions.last_with(task.id, task_view.INDEX, task_view.MAX_INDEXES) if pictures else ()
        latest = await self.actions.latest(task.id, task_view.MAX_ACTIONS) if pictures else ()
        view = task_view.view_of(task.id, pictures, indexes, latest)
        try:
            if view.artifact_id is not UNSET:
                await self.artifacts.find(view.artifact_id)
        except NotFound:
            return TaskView(task_id=task.id)
        return view

    async def plugin_list(self) -> Sequence[PluginRecord]:
        """The most recently seen first."""
        return self.plugins.records()

    async def choose_for_new_tasks(self, client_id: str) -> PluginRecord:
        """A person's choice, valid until the next one."""
        return await self.plugins.choose_for_new_tasks(client_id)

    async def drop(self, client_id: str) -> None:
        """Disconnects a plugin whose token is no longer valid."""
        self.plugins.drop(client_id)

    def connected(self, plugin: Plugin) -> None:
        """Called when a plugin has connected to this server."""

    def disconnected(self, client_id: str) -> None:
        """Called when a plugin has disconnected."""

    def listen(self, listener: BusListener) -> None:
        self.dispatcher.observer = listener.action_changed
        self.plugins.listener = listener

    async def start(self) -> None:
        """Ends actions that the last server left running, and loads known plugins."""
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
                logger.warning("expired artifacts and actions can't be deleted: %s", failure.message)
            await asyncio.sleep(every)

    async def _upload_references(self, actions: Actions) -> list[Mapping[str, Any]]:
        """The files of `browser_upload`, with URLs where the plugin can fetch them."""
        ids = actions.get("browser_upload", {}).get("artifactIds", ())
        if not isinstance(ids, list | tuple) or not all(isinstance(id, str) for id in ids):
            message = "must be a list of artifact ids"
            field = "actions.browser_upload.artifactIds"
            raise InvalidParams(f"`{field}` {message}.", fieldErrors=[{"field": field, "message": message}])
        records = [await self.artifacts.find(id) for id in ids]
        return [
            {
                "artifactId": record.artifact_id,
                "url": self.artifacts.url(record.artifact_id),
                "name": record.name or record.artifact_id,
                "contentType": record.content_type,
            }
            for record in records
        ]

    async def _earlier_end(self, action_id: str, task: str, actions: Actions) -> End | None:
        """How an action with this id ended; waits for one that is running. None if there is none."""
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
            raise Conflict(f"The result of action {action_id} is being stored.", actionId=action_id)
        return End(record.status, record.result)


def _check_same(record: ActionRecord, task: str, actions: Actions) -> None:
    if record.task_id != task or list(record.actions.items()) != [(name, dict(p)) for name, p in actions.items()]:
        raise Conflict(f"The action {record.action_id} was a different one.", actionId=record.action_id)


def _result(end: End) -> ActionResult:
    if end.failure is not None:
        raise end.failure
    assert end.status != "error"
    return ActionResult(status=end.status, result=dict(end.result), warnings=end.warnings)
