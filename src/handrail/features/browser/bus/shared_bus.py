"""The bus of one of a team's servers: what is about a browser that another server holds is passed on to that one."""

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
from handrail.features.browser.bus.outcome import perhaps_done
from handrail.features.browser.bus.plugins import Plugin
from handrail.features.browser.bus.shared_tasks import SharedTakeover, SharedTasks
from handrail.ports.browser import ActionResult, Actions, OpenTabs, PluginConnection, PluginRecord, Snapshot, TaskRecord
from handrail.ports.browser_errors import pack_failure, unpack_failure
from handrail.ports.browser_store import BrowserStores, SharedBrowsers
from handrail.ports.errors import Failure, InputOutput, Offline

_LOOK_EVERY = 1.0
_ANSWER_WITHIN = 2.0
_MOST_UNANSWERED = 3
_MOST_TRIES = 5
"""So many browsers of servers that are gone are passed over for a new task."""


class SharedBus(LocalBus):
    """A browser's tasks, lanes and actions are at the server that holds it. `peers` lead there."""

    def __init__(self, stores: BrowserStores, artifacts: Artifacts, shared: SharedBrowsers) -> None:
        super().__init__(stores.tasks, stores.actions, stores.plugins, artifacts, stores.runs, stores.close)
        self.shared = self._browsers = shared
        self.shared_runs = stores.shared_runs
        self._peers = shared.peers
        self.tasks: SharedTasks = SharedTasks(stores.tasks, self.now)
        self.takeover: SharedTakeover = SharedTakeover(
            self.tasks, self.plugins, self.dispatcher, self.now, self._elsewhere
        )
        self._under_way: dict[str, asyncio.Task[ActionResult]] = {}
        self._telling: set[asyncio.Future[Any]] = set()

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
        record = (await self.tasks.find_or_make(task)).record
        client_id = await self._browser_for(record, begins="task_start" in actions)
        how: dict[str, Any] = {
            "timeout_ms": timeout_ms, "trace_id": trace_id, "action_id": action_id, "denied": denied, "origin": origin
        }  # fmt: skip
        if self._is_here(client_id):
            return await self._act_here(record, client_id, actions, how)
        said = {"task": msgspec.to_builtins(record), "actions": actions, **how}
        limit = timeout_ms / 1000 if timeout_ms is not None else catalogue.seconds_for(actions)
        return await self._act_there(client_id, said, actions, limit)

    async def _act_here(
        self, record: TaskRecord, client_id: str, actions: Actions, how: Mapping[str, Any]
    ) -> ActionResult:
        task = self.tasks.renew(record)
        if task.client_id != client_id:
            await self.takeover.select(task, client_id)
        return await super().act(record.task_id, actions, **how)

    async def _act_there(self, client_id: str, said: Mapping[str, Any], actions: Actions, limit: float) -> ActionResult:
        request = secrets.token_hex(8)
        asking = asyncio.create_task(
            self._peers.ask(client_id, "act", {**said, "request": request}, 2 * limit + _ANSWER_WITHIN)
        )
        try:
            answer = await self._unless_gone(client_id, request, asking)
        except asyncio.CancelledError:
            self._tell(self._peers.ask(client_id, "cancel", {"request": request}, _ANSWER_WITHIN))
            raise
        except Offline as nobody:
            raise (_away(client_id) if "clientId" not in nobody.details else nobody) from None
        except InputOutput as lost:
            failure: Failure = Offline(f"The server that holds the browser is gone. {lost.message}", clientId=client_id)
            raise (failure if catalogue.are_idempotent(actions) else perhaps_done(failure)) from None
        finally:
            asking.cancel()
        return msgspec.convert(_opened(answer), ActionResult)

    async def _unless_gone(
        self, client_id: str, request: str, asking: asyncio.Task[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """InputOutput once the server that has taken the request no longer works on it."""
        unanswered = 0
        while not (await asyncio.wait({asking}, timeout=_LOOK_EVERY))[0]:
            try:
                answer = await self._peers.ask(client_id, "is_live", {"request": request}, _ANSWER_WITHIN)
                unanswered = 0
                if answer.get("data") is True:
                    continue
            except InputOutput:
                unanswered += 1
                if unanswered < _MOST_UNANSWERED:
                    continue
            except Offline:
                pass
            if not asking.done():
                raise InputOutput("It has not answered.")
        return asking.result()

    async def _browser_for(self, record: TaskRecord, *, begins: bool) -> str:
        """The task's own; for a new task, or where its own is away as it begins, the next one."""
        own = None if record.selected_client_id is UNSET else record.selected_client_id
        if own is not None and (not begins or await self.is_somewhere(own)):
            return own
        passed = [] if own is None else [own]
        for _ in range(_MOST_TRIES):
            if (found := await self._browsers.plugins.next(passed)) is None:
                break
            if await self.is_somewhere(found):
                return found
            passed.append(found)
        raise Offline(
            "No browser is connected.", hint="Pair one with the team on the console's Browser page, and keep it open."
        )

    async def is_somewhere(self, client_id: str) -> bool:
        """Whether a server holds it. One whose server is gone is no longer offered."""
        if self._is_here(client_id):
            return True
        try:
            await self._peers.ask(client_id, "is_live", {"request": ""}, _ANSWER_WITHIN)
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
            answer = await self._peers.ask(client_id, "snapshot", {}, _ANSWER_WITHIN)
            return msgspec.convert(_opened(answer), Snapshot)
        return Snapshot(age_ms=self.now(), client_id=client_id)

    async def task_for(self, caller: str, task: str | None) -> TaskRecord:
        if task is not None:
            return (await self.tasks.find_or_make(task)).record
        return (await self.tasks.own_of(caller)).record

    async def open_tabs(self, caller: str, task: str | None) -> OpenTabs:
        record = await self.task_for(caller, task)
        client_id = record.selected_client_id
        if client_id is UNSET:
            return OpenTabs(task=record, tabs=())
        if self._is_here(client_id):
            self.tasks.renew(record)
            return await super().open_tabs(caller, record.task_id)
        try:
            answer = await self._peers.ask(
                client_id, "open_tabs", {"task": msgspec.to_builtins(record)}, _ANSWER_WITHIN
            )
        except Offline:
            raise _away(client_id) from None
        return msgspec.convert(_opened(answer), OpenTabs)

    async def plugin_list(self) -> Sequence[PluginRecord]:
        known = await self._browsers.plugins.all()
        return sorted(known, key=lambda record: -record.last_seen_at)

    async def choose_for_new_tasks(self, client_id: str) -> PluginRecord:
        await self._browsers.plugins.choose(client_id)
        known = {record.client_id: record for record in await self._browsers.plugins.all()}
        return known.get(client_id) or self.plugins.named(client_id).record

    async def drop(self, client_id: str) -> None:
        if self._is_here(client_id):
            self.plugins.drop(client_id)
            return
        with suppress(Offline, InputOutput):
            await self._peers.ask(client_id, "drop", {}, _ANSWER_WITHIN)

    def connected(self, plugin: Plugin) -> None:
        """This server holds it from now on; the one that did before lets it go."""
        self._tell(self._browsers.plugins.hold(plugin.record))
        self._tell(self._peers.hold(plugin.client_id))

    def disconnected(self, client_id: str) -> None:
        self._tell(self._peers.release(client_id))
        self._tell(self._browsers.plugins.release(client_id))

    @property
    def is_telling(self) -> bool:
        """Whether other servers don't know yet what has connected or gone here."""
        return bool(self._telling)

    async def start(self) -> None:
        self._peers.listen(self._answer, self._moved)
        await self.artifacts.start()

    def _moved(self, client_id: str) -> None:
        """The browser has come back at another server before this one knew that it had gone."""
        plugin = self.plugins.find(client_id)
        if plugin is not None and plugin.connection is not None:
            connection: PluginConnection = plugin.connection
            self.plugins.disconnect(client_id, connection)
            connection.drop()
        self._tell(self._peers.release(client_id))

    async def _answer(self, client_id: str, verb: str, said: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What another server asks about a browser that is here; None where it has just moved: then that one says."""
        if not self._is_here(client_id) and said.get("request") not in self._under_way:
            return None
        try:
            return {"data": msgspec.to_builtins(await self._answers[verb](self, client_id, said))}
        except Failure as failure:
            return {"failure": pack_failure(failure)}

    async def _asked_to_act(self, client_id: str, said: Mapping[str, Any]) -> ActionResult:
        record = msgspec.convert(said["task"], TaskRecord)
        how = {name: said[name] for name in ("timeout_ms", "trace_id", "action_id", "denied", "origin")}
        running = asyncio.create_task(self._act_here(record, client_id, said["actions"], how))
        self._under_way[said["request"]] = running
        try:
            return await running
        except asyncio.CancelledError:
            raise Offline("The call was stopped before the action had ended.") from None
        finally:
            del self._under_way[said["request"]]

    async def _asked_to_cancel(self, client_id: str, said: Mapping[str, Any]) -> None:
        if (running := self._under_way.get(said["request"])) is not None:
            running.cancel()

    async def _asked_if_live(self, client_id: str, said: Mapping[str, Any]) -> bool:
        return said["request"] in self._under_way

    async def _asked_for_tabs(self, client_id: str, said: Mapping[str, Any]) -> OpenTabs:
        record = msgspec.convert(said["task"], TaskRecord)
        self.tasks.renew(record)
        return await super().open_tabs("", record.task_id)

    async def _asked_for_snapshot(self, client_id: str, said: Mapping[str, Any]) -> Snapshot:
        return await super().snapshot(client_id)

    async def _asked_to_drop(self, client_id: str, said: Mapping[str, Any]) -> None:
        self.plugins.drop(client_id)

    async def _asked_to_steer(self, client_id: str, said: Mapping[str, Any]) -> TaskRecord:
        task = self.tasks.renew(msgspec.convert(said["task"], TaskRecord))
        await self.takeover.steer(task, said["control"], said["value"])
        return task.record

    _answers: Mapping[str, Callable[[SharedBus, str, Mapping[str, Any]], Awaitable[Any]]] = {
        "act": _asked_to_act,
        "cancel": _asked_to_cancel,
        "is_live": _asked_if_live,
        "open_tabs": _asked_for_tabs,
        "snapshot": _asked_for_snapshot,
        "drop": _asked_to_drop,
        "steer": _asked_to_steer,
    }

    async def _elsewhere(self, client_id: str | None, said: Mapping[str, Any]) -> TaskRecord | None:
        """What the server that holds the browser has made of the task; None where this one is to do it."""
        if client_id is None or self._is_here(client_id):
            return None
        try:
            answer = await self._peers.ask(client_id, "steer", said, _ANSWER_WITHIN)
        except Offline:  # nobody holds it: the next one that does finds the task as it is stored
            return None
        return msgspec.convert(_opened(answer), TaskRecord)

    def _tell(self, telling: Awaitable[Any]) -> None:
        """On the side; what can't be told now is found out by who asks."""
        future = asyncio.ensure_future(telling)
        self._telling.add(future)
        future.add_done_callback(self._told)

    def _told(self, future: asyncio.Future[Any]) -> None:
        self._telling.discard(future)
        if not future.cancelled():
            future.exception()


def _away(client_id: str) -> Offline:
    return Offline(
        f"The browser {client_id} is not connected.",
        hint="It connects by itself when that browser is open. Start again with task_start to use another one.",
        clientId=client_id,
    )


def _opened(answer: Mapping[str, Any]) -> Any:
    if "failure" in answer:
        raise unpack_failure(answer["failure"])
    return answer["data"]
