"""Sends actions to plugins: one at a time per task, with two timeouts and at most one retry.

Every action that starts ends exactly once, and its end is stored, even if plugin or caller disconnect.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from handrail.features.browser.bus import catalogue, outcome
from handrail.features.browser.bus.action import Action, Exchange
from handrail.features.browser.bus.outcome import End, failed, with_text_ids
from handrail.features.browser.bus.plugins import Plugin
from handrail.features.browser.bus.tasks import Now, Task, milliseconds
from handrail.kernel.lanes import Lanes
from handrail.kernel.web_address import place_of_page
from handrail.ports.browser_store import ActionStore
from handrail.ports.errors import (
    Aborted,
    BadAnswer,
    Busy,
    Changed,
    Conflict,
    Failure,
    InvalidParams,
    Offline,
    Reported,
    Timeout,
    Unacknowledged,
    Unfinished,
)
from handrail.ports.own_servers import RecentPorts

ACK_WITHIN = 1.5
RETRY_AFTER = 1.0
MAX_WAITING = 64

Observer = Callable[[Action, End | None], None]
"""Called when an action begins, with None, and when it has ended."""

logger = logging.getLogger(__name__)


def ignore_action(action: Action, end: End | None) -> None:
    """The default observer."""


class Dispatcher:
    def __init__(
        self,
        store: ActionStore,
        now: Now = milliseconds,
        *,
        ack_within: float = ACK_WITHIN,
        retry_after: float = RETRY_AFTER,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        self.observer: Observer = ignore_action
        self._store = store
        self._now = now
        self._ack_within = ack_within
        self._retry_after = retry_after
        self._max_waiting = max_waiting
        self._lanes = Lanes()
        self._live: dict[str, Action] = {}
        self._own_ports = RecentPorts()

    def live(self, action_id: str) -> Action | None:
        return self._live.get(action_id)

    async def run(self, task: Task, plugin: Plugin, action: Action) -> End:
        """Returns how the action ended. Conflict, Offline, Busy and errors of the store mean that it never started.

        Only actions that neither change nor upload anything are sent while their start is being stored.
        """
        action_id = action.record.action_id
        if action_id in self._live:
            raise Conflict(f"The action {action_id} is already running.", actionId=action_id)
        if "task_start" not in action.record.actions:
            task.check_is_open()  # it may have been stopped while the action was prepared
        plugin.require_connection()
        if task.actions >= self._max_waiting:
            raise Busy(f"{task.actions} actions of this task are already waiting.", taskId=task.id)
        storing = asyncio.gather(self._store.begin(action.record), *action.storing)
        was_over = task.begin_action()
        self._live[action_id] = action
        try:
            if not action.only_reads or action.slots:
                await storing
            self.observer(action, None)
            await self._drive(task, plugin, action)
            await storing
        except Failure as failure:  # an error of the store: the action never began, or has read for nothing
            action.finish(failed(failure))
            del self._live[action_id]
            task.cancel_action(was_over=was_over)
            raise
        except asyncio.CancelledError:
            action.finish(failed(Aborted("The call was stopped before the action had ended.")))
            self._settle(task, plugin, action)
            raise
        await asyncio.wait({self._settle(task, plugin, action)})
        assert action.end is not None
        return action.end

    def answer(self, plugin: Plugin, message: Mapping[str, Any]) -> None:
        """Accepts a plugin's result. Raises InvalidParams if no action waits for it; BadAnswer also ends the action."""
        wire_id = outcome.action_id(message)
        exchange = plugin.exchanges.get(wire_id)
        if exchange is None:
            raise InvalidParams(f"No action {wire_id[:80]!r} is running here: it has ended, or never existed.")
        record = exchange.action.record
        for name, expected in (("taskId", record.task_id), ("clientId", record.client_id)):
            if message.get(name, expected) != expected:
                raise InvalidParams(f"The action belongs to another `{name}`.")
        try:
            end = outcome.parse_end(message)
        except BadAnswer as bad:
            exchange.end(failed(bad))
            raise
        if not exchange.end(end):
            raise InvalidParams(f"The action {wire_id!r} has ended already.")

    def stop(self, task: Task, why: str) -> None:
        for action in list(self._live.values()):
            if action.record.task_id == task.id:
                action.finish(failed(Aborted(why, taskId=task.id)))

    async def _drive(self, task: Task, plugin: Plugin, action: Action) -> None:
        """Runs the action in its turn. Returns once it has ended, also if it was ended from elsewhere."""
        with suppress(TimeoutError):
            async with action.interruptible(), self._turn(task, action) as has_waited:
                if has_waited and _has_moved(plugin, action):
                    action.finish(failed(_tab_moved()))
                    return
                end = await self._attempt(plugin, action, action.record.action_id)
                if action.is_idempotent and plugin.is_healthy and end.failure is not None and end.failure.retryable:
                    await asyncio.sleep(self._retry_after)
                    await _may_run_event(task, action).wait()
                    # Plugins store answers by id: the same id gets a lost answer again, another id runs it again.
                    suffix = ".2" if isinstance(end.failure, Reported) else ""
                    end = await self._attempt(plugin, action, action.record.action_id + suffix)
                action.finish(end)
                if isinstance(end.failure, Unacknowledged):
                    self._clear(plugin, has_begun=False)

    @asynccontextmanager
    async def _turn(self, task: Task, action: Action) -> AsyncIterator[bool]:
        """Waits for the task's turn and for a takeover to end. Yields whether there was a takeover.

        The turn isn't held during a takeover, because actions that only read may be allowed to continue.
        """
        may_run, has_waited = _may_run_event(task, action), False
        while True:
            has_waited |= not may_run.is_set()
            await may_run.wait()
            async with self._lanes.turn(task.id):
                if may_run.is_set():
                    yield has_waited
                    return

    async def _attempt(self, plugin: Plugin, action: Action, wire_id: str) -> End:
        exchange = Exchange(action)
        try:
            connection = plugin.require_connection()
            plugin.exchanges[wire_id] = exchange
            own = await self._own_ports.find()
            action.is_sent = True
            message = action.message(wire_id, self._now(), own, has_numbers=plugin.has_numbers)
            await connection.send(message, exchange.on_ack)
            async with asyncio.timeout(self._ack_within):
                await exchange.acknowledged.wait()
            async with asyncio.timeout(action.seconds):
                end = await exchange.answer
            plugin.record_answer(end)
            return await action.complete(with_text_ids(end))
        except Offline as offline:
            return failed(offline)
        except TimeoutError:
            return self._timed_out(plugin, exchange)
        finally:
            plugin.exchanges.pop(wire_id, None)

    def _timed_out(self, plugin: Plugin, exchange: Exchange) -> End:
        action = exchange.action
        context = {"taskId": action.record.task_id, "actionId": action.record.action_id, "clientId": plugin.client_id}
        failure: Timeout
        if exchange.acknowledged.is_set():
            failure = Unfinished(f"The browser did not finish the action within {action.seconds:g} s.", **context)
        else:
            failure = Unacknowledged(f"The browser did not accept the action within {self._ack_within:g} s.", **context)
        connection = plugin.connection
        if plugin.record_timeout():
            action.finish(failed(failure))
            self._clear(plugin, has_begun=True)
            if connection is not None:
                connection.drop()
        return failed(failure)

    def _clear(self, plugin: Plugin, *, has_begun: bool) -> None:
        """Ends actions that wait for this plugin; with `has_begun`, also those that it is running."""
        running = {id(exchange.action) for exchange in plugin.exchanges.values()}
        for action in list(self._live.values()):
            if action.record.client_id == plugin.client_id and (has_begun or id(action) not in running):
                action.finish(failed(Offline("The browser no longer answers.", clientId=plugin.client_id)))

    def _settle(self, task: Task, plugin: Plugin, action: Action) -> asyncio.Future[None]:
        """Records the end. Not async, so that writes are in the order in which actions end."""
        end = action.end
        assert end is not None
        del self._live[action.record.action_id]
        stops = end.failure is None and "task_stop" in action.record.actions
        task.end_action(end.failure, stops=stops)
        if end.failure is None:
            plugin.tabs.learn_owner(task.id, end.result)
            plugin.tabs.learn_closed(task.id, action.record.actions, end.result)
        if stops:
            plugin.tabs.let_go(task.id)
        self.observer(action, end)
        storing = self._store.end(action.record_of(end, self._now()), end.failure, task.record)
        storing.add_done_callback(_log_error)
        return storing


def _may_run_event(task: Task, action: Action) -> asyncio.Event:
    return task.may_read if action.only_reads else task.is_free


def _has_moved(plugin: Plugin, action: Action) -> bool:
    """Whether the page has left the place that was decided about, as far as reported. handrail's own extension
    checks this once more; other plugins may not.
    """
    if action.origin is None or action.only_reads:
        return False
    urls = {tab.tab_id: tab.url for tab in plugin.state().tabs}
    expected = place_of_page(action.origin)
    current = [urls.get(tab) for tab in catalogue.tabs_of(action.record.actions)]
    return any(isinstance(url, str) and url and place_of_page(url) != expected for url in current)


def _tab_moved() -> Changed:
    return Changed(
        "The tab is now at another place than the one that was approved: nothing was done.",
        hint="Look at the page again.",
        moved=True,
    )


def _log_error(storing: asyncio.Future[None]) -> None:
    """The action has ended even if its end can't be stored; the next start of the server repairs that."""
    if not storing.cancelled() and (fault := storing.exception()) is not None:
        logger.warning("the end of an action could not be stored: %s", fault)
