"""The bus of one of a team's servers. Actions for a browser that is connected to another server are forwarded there."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.browser.bus import catalogue
from handrail.features.browser.bus.artifacts import Artifacts
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.outcome import mark_maybe_done
from handrail.features.browser.bus.plugins import Plugin
from handrail.features.browser.bus.shared_tasks import SharedTakeover, SharedTasks
from handrail.ports.browser import ActionResult, Actions, OpenTabs, PluginConnection, PluginRecord, Snapshot, TaskRecord
from handrail.ports.browser_errors import answer_with, result_in
from handrail.ports.browser_store import BrowserStores, SharedBrowsers
from handrail.ports.errors import Failure, InputOutput, Offline

_CHECK_EVERY = 1.0
_ANSWER_TIMEOUT = 2.0
_MAX_UNANSWERED = 3
_MAX_TRIES = 5
"""How many browsers are tried for a new task, if their servers turn out to be gone."""


class SharedBus(LocalBus):
    """A browser's tasks, lanes and actions are handled by the server that it is connected to."""

    def __init__(self, stores: BrowserStores, artifacts: Artifacts, shared: SharedBrowsers) -> None:
        super().__init__(stores.tasks, stores.actions, stores.plugins, artifacts, stores.runs, stores.close)
        self.shared = self._browsers = shared
        self.shared_runs = stores.shared_runs
        self._peers = shared.peers
        self.tasks: SharedTasks = SharedTasks(stores.tasks, self.now)
        self.takeover: SharedTakeover = SharedTakeover(
            self.tasks, self.plugins, self.dispatcher, self.now, self._steer_remotely
        )
        self._running: dict[str, asyncio.Task[ActionResult]] = {}
        self._notifying: set[asyncio.Future[Any]] = set()

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
        catalogue.check(actions)
        record = (await self.tasks.find_or_create(task)).record
        client_id = await self._browser_for(record, begins="task_start" in actions)
        options: dict[str, Any] = {
            "timeout_ms": timeout_ms, "trace_id": trace_id, "action_id": action_id, "denied": denied, "origin": origin
        }  # fmt: skip
        if self._is_here(client_id):
            return await self._act_here(record, client_id, actions, options)
        params = {"task": msgspec.to_builtins(record), "actions": actions, **options}
        limit = timeout_ms / 1000 if timeout_ms is not None else catalogue.seconds_for(actions)
        return await self._act_remotely(client_id, params, actions, limit)

    async def _act_here(
        self, record: TaskRecord, client_id: str, actions: Actions, options: Mapping[str, Any]
    ) -> ActionResult:
        task = self.tasks.refresh(record)
        if task.client_id != client_id:
            await self.takeover.select(task, client_id)
        return await super().act(record.task_id, actions, **options)

    async def _act_remotely(
        self, client_id: str, params: Mapping[str, Any], actions: Actions, limit: float
    ) -> ActionResult:
        request = secrets.token_hex(8)
        asking = asyncio.create_task(
            self._peers.ask(client_id, "act", {**params, "request": request}, 2 * limit + _ANSWER_TIMEOUT)
        )
        try:
            answer = await self._while_live(client_id, request, asking)
        except asyncio.CancelledError:
            self._in_background(self._peers.ask(client_id, "cancel", {"request": request}, _ANSWER_TIMEOUT))
            raise
        except Offline as offline:
            raise (_not_connected(client_id) if "clientId" not in offline.details else offline) from None
        except InputOutput as lost:
            failure: Failure = Offline(f"The browser's server is gone. {lost.message}", clientId=client_id)
            raise (failure if catalogue.are_idempotent(actions) else mark_maybe_done(failure)) from None
        finally:
            asking.cancel()
        return msgspec.convert(result_in(answer), ActionResult)

    async def _while_live(
        self, client_id: str, request: str, asking: asyncio.Task[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Waits for the answer. Raises InputOutput once the other server no longer works on the request."""
        unanswered = 0
        while not (await asyncio.wait({asking}, timeout=_CHECK_EVERY))[0]:
            try:
                answer = await self._peers.ask(client_id, "is_live", {"request": request}, _ANSWER_TIMEOUT)
                unanswered = 0
                if answer.get("data") is True:
                    continue
            except InputOutput:
                unanswered += 1
                if unanswered < _MAX_UNANSWERED:
                    continue
            except Offline:
                pass
            if not asking.done():
                raise InputOutput("It has not answered.")
        return asking.result()

    async def _browser_for(self, record: TaskRecord, *, begins: bool) -> str:
        """The task's browser. A task that begins gets the next available one if it has none or that is offline."""
        own = None if record.selected_client_id is UNSET else record.selected_client_id
        if own is not None and (not begins or await self.is_connected_anywhere(own)):
            return own
        skipped = [] if own is None else [own]
        for _ in range(_MAX_TRIES):
            if (candidate := await self._browsers.plugins.next(skipped)) is None:
                break
            if await self.is_connected_anywhere(candidate):
                return candidate
            skipped.append(candidate)
        raise Offline(
            "No browser is connected.", hint="Pair one with the team on the console's Browser page, and keep it open."
        )

    async def is_connected_anywhere(self, client_id: str) -> bool:
        """Whether the browser is connected to any server. Releases one whose server is gone."""
        if self._is_here(client_id):
            return True
        try:
            await self._peers.ask(client_id, "is_live", {"request": ""}, _ANSWER_TIMEOUT)
        except Failure as failure:
            if isinstance(failure, Offline) and (holder := await self._browsers.plugins.holder_of(client_id)):
                await self._browsers.plugins.release(client_id, holder)
            return False
        return True

    def _is_here(self, client_id: str) -> bool:
        plugin = self.plugins.find(client_id)
        return plugin is not None and plugin.is_connected

    async def snapshot(self, client_id: str | None = None) -> Snapshot:
        if client_id is None or self._is_here(client_id):
            return await super().snapshot(client_id)
        with suppress(Offline, InputOutput):
            answer = await self._peers.ask(client_id, "snapshot", {}, _ANSWER_TIMEOUT)
            return msgspec.convert(result_in(answer), Snapshot)
        return Snapshot(age_ms=self.now(), client_id=client_id)

    async def task_for(self, caller: str, task: str | None) -> TaskRecord:
        if task is not None:
            return (await self.tasks.find_or_create(task)).record
        return (await self.tasks.own_of(caller)).record

    async def open_tabs(self, caller: str, task: str | None) -> OpenTabs:
        record = await self.task_for(caller, task)
        client_id = record.selected_client_id
        if client_id is UNSET:
            return OpenTabs(task=record, tabs=())
        if self._is_here(client_id):
            self.tasks.refresh(record)
            return await super().open_tabs(caller, record.task_id)
        try:
            answer = await self._peers.ask(
                client_id, "open_tabs", {"task": msgspec.to_builtins(record)}, _ANSWER_TIMEOUT
            )
        except Offline:
            raise _not_connected(client_id) from None
        return msgspec.convert(result_in(answer), OpenTabs)

    async def plugin_list(self) -> Sequence[PluginRecord]:
        records = await self._browsers.plugins.all()
        return sorted(records, key=lambda record: -record.last_seen_at)

    async def choose_for_new_tasks(self, client_id: str) -> PluginRecord:
        await self._browsers.plugins.choose(client_id)
        records = {record.client_id: record for record in await self._browsers.plugins.all()}
        return records.get(client_id) or self.plugins.require(client_id).record

    async def drop(self, client_id: str) -> None:
        if self._is_here(client_id):
            self.plugins.drop(client_id)
            return
        with suppress(Offline, InputOutput):
            await self._peers.ask(client_id, "drop", {}, _ANSWER_TIMEOUT)

    def connected(self, plugin: Plugin) -> None:
        """Takes the browser over from the server that had it before."""
        self._in_background(self._browsers.plugins.hold(plugin.record))
        self._in_background(self._peers.hold(plugin.client_id))

    def disconnected(self, client_id: str) -> None:
        self._in_background(self._peers.release(client_id))
        self._in_background(self._browsers.plugins.release(client_id))

    @property
    def is_notifying(self) -> bool:
        """Whether other servers are still being notified of connects and disconnects."""
        return bool(self._notifying)

    async def start(self) -> None:
        self._peers.listen(self._answer, self._on_moved)
        await self.artifacts.start()

    def _on_moved(self, client_id: str) -> None:
        """Called when the browser has reconnected elsewhere before this server noticed that it had disconnected."""
        plugin = self.plugins.find(client_id)
        if plugin is not None and plugin.connection is not None:
            connection: PluginConnection = plugin.connection
            self.plugins.disconnect(client_id, connection)
            connection.drop()
        self._in_background(self._peers.release(client_id))

    async def _answer(self, client_id: str, verb: str, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Answers another server's request for a browser; None if the browser has just moved to another one."""
        if not self._is_here(client_id) and params.get("request") not in self._running:
            return None
        return await answer_with(self._handlers[verb](self, client_id, params))

    async def _handle_act(self, client_id: str, params: Mapping[str, Any]) -> ActionResult:
        record = msgspec.convert(params["task"], TaskRecord)
        options = {name: params[name] for name in ("timeout_ms", "trace_id", "action_id", "denied", "origin")}
        running = asyncio.create_task(self._act_here(record, client_id, params["actions"], options))
        self._running[params["request"]] = running
        try:
            return await running
        except asyncio.CancelledError:
            raise Offline("The call was stopped before the action had ended.") from None
        finally:
            del self._running[params["request"]]

    async def _handle_cancel(self, client_id: str, params: Mapping[str, Any]) -> None:
        if (running := self._running.get(params["request"])) is not None:
            running.cancel()

    async def _handle_is_live(self, client_id: str, params: Mapping[str, Any]) -> bool:
        return params["request"] in self._running

    async def _handle_open_tabs(self, client_id: str, params: Mapping[str, Any]) -> OpenTabs:
        record = msgspec.convert(params["task"], TaskRecord)
        self.tasks.refresh(record)
        return await super().open_tabs("", record.task_id)

    async def _handle_snapshot(self, client_id: str, params: Mapping[str, Any]) -> Snapshot:
        return await super().snapshot(client_id)

    async def _handle_drop(self, client_id: str, params: Mapping[str, Any]) -> None:
        self.plugins.drop(client_id)

    async def _handle_steer(self, client_id: str, params: Mapping[str, Any]) -> TaskRecord:
        task = self.tasks.refresh(msgspec.convert(params["task"], TaskRecord))
        await self.takeover.steer(task, params["control"], params["value"])
        return task.record

    _handlers: Mapping[str, Callable[[SharedBus, str, Mapping[str, Any]], Awaitable[Any]]] = {
        "act": _handle_act,
        "cancel": _handle_cancel,
        "is_live": _handle_is_live,
        "open_tabs": _handle_open_tabs,
        "snapshot": _handle_snapshot,
        "drop": _handle_drop,
        "steer": _handle_steer,
    }

    async def _steer_remotely(self, client_id: str | None, params: Mapping[str, Any]) -> TaskRecord | None:
        """The task after its browser's server has changed it; None if this server has to do that."""
        if client_id is None or self._is_here(client_id):
            return None
        try:
            answer = await self._peers.ask(client_id, "steer", params, _ANSWER_TIMEOUT)
        except Offline:  # it isn't connected anywhere: its next server loads the task from the store
            return None
        return msgspec.convert(result_in(answer), TaskRecord)

    def _in_background(self, notifying: Awaitable[Any]) -> None:
        """Ignores errors: other servers find out when they ask."""
        future = asyncio.ensure_future(notifying)
        self._notifying.add(future)
        future.add_done_callback(self._on_notified)

    def _on_notified(self, future: asyncio.Future[Any]) -> None:
        self._notifying.discard(future)
        if not future.cancelled():
            future.exception()


def _not_connected(client_id: str) -> Offline:
    return Offline(
        f"The browser {client_id} is not connected.",
        hint="It connects automatically when that browser is open. Start again with task_start to use another one.",
        clientId=client_id,
    )
