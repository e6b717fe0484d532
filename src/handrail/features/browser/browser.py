"""The browser as its tools use it: sends actions, tracks each task's tab, and asks the policy about pages."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.browser.bus.browser_action import BrowserAction, ParamsT, ResultT, TabParams
from handrail.features.browser.bus.protocol import FRAME_ORIGINS
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.kernel.task_ownership import TaskOwnership
from handrail.kernel.web_address import BLANK, is_web_page, place_of_page
from handrail.ports.browser import Bus, OpenTabs, Tab, TaskRecord
from handrail.ports.errors import BadAnswer, Declined, Failure, Reported, WrongTab
from handrail.ports.files import Folder

T = TypeVar("T")
Params = Mapping[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """The page that a call is about. `url` is None if the browser hasn't reported it."""

    task: str
    tab_id: int
    url: str | None

    @property
    def target(self) -> Target:
        return Target(place=place_of_page(self.url))

    @property
    def origin(self) -> str | None:
        """The origin as the browser writes it; None if it isn't known."""
        if self.url is None or self.url == BLANK:
            return self.url
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def address(self) -> str:
        """The URL without its fragment, which a page may change while it stays the same page."""
        return without_fragment(self.url or "")

    def check_is_web(self) -> None:
        """Raises Declined for local files and the browser's own pages."""
        if self.url is not None and not is_web_page(self.url):
            raise Declined(
                f"Tab {self.tab_id} doesn't show a web page.",
                hint="Open one with browser_navigate.",
                reason="scheme",
                tabId=self.tab_id,
            )


class Browser:
    """`files` is the project's folder, from which files can be uploaded."""

    def __init__(self, bus: Bus, files: Folder, ownership: TaskOwnership | None = None) -> None:
        self.bus = bus
        self.files = files
        self._ownership = ownership
        self._claimed: set[tuple[str, str]] = set()
        self._tabs: dict[str, int] = {}
        self._last_urls: dict[int, str] = {}
        """The URL of each tab as the last action reported it: the snapshot may be a moment older."""
        self._reported_urls: dict[str, str] = {}

    async def task(self, call: Call) -> TaskRecord:
        task = await self.bus.task_for(call.caller.identity, call.task)
        call.own_task = task.task_id
        await self._claim(call, task)
        return task

    async def locate(self, call: Call, tab_id: int | UnsetType) -> Page:
        """The page for the policy's decision. It is kept for the preview, which follows at once."""
        call.located = page = await self._find(call, tab_id)
        return page

    async def page(self, call: Call, tab_id: int | UnsetType) -> Page:
        """The page in this tab, or in the task's current one. Raises WrongTab or Offline."""
        located, call.located = call.located, None
        return located if isinstance(located, Page) else await self._find(call, tab_id)

    async def _find(self, call: Call, tab_id: int | UnsetType) -> Page:
        state = await self._open_tabs(call)
        call.own_task = state.task.task_id
        task, tabs = state.task, {tab.tab_id: tab for tab in state.tabs}
        target_id = self._tabs.get(task.task_id) if tab_id is UNSET else tab_id
        tab = tabs.get(target_id) if target_id is not None else None
        if tab is None and (closed := next((each for each in state.closed if each.tab_id == target_id), None)):
            self.forget(task.task_id, closed.tab_id)  # reported once; then the task continues in another tab
            raise closed.failure()
        if tab is None or self._is_stale(tab):
            tab = await self._fetch_tab(call, task.task_id, tab_id, target_id)
            if tab is None and tabs:
                raise WrongTab(f"There is no tab {target_id}.", hint="browser_tabs lists the tabs.", tabId=target_id)
        if tab is None:
            assert target_id is not None
            return Page(task.task_id, target_id, None)
        self._tabs.setdefault(task.task_id, tab.tab_id)
        return Page(task.task_id, tab.tab_id, _url(tab))

    async def run(
        self, call: Call, action: BrowserAction[ParamsT, ResultT], params: ParamsT, task: str | None = None
    ) -> ResultT:
        """Runs an action whose result contains no page content."""
        task = task or (await self.task(call)).task_id
        return decode_result(await self.send(call, task, action.name, action.plugin_params(params)), action.result)

    async def run_on_page(self, call: Call, action: BrowserAction[Any, ResultT], params: TabParams) -> ResultT:
        return decode_result(await self._on_page(call, action, params), action.result)

    async def read(
        self, call: Call, action: BrowserAction[Any, ResultT], params: TabParams, **overrides: Any
    ) -> ResultT:
        """Runs an action that reads a page's content. `overrides` replaces parameters."""
        return decode_result(await self.read_raw(call, action, params, **overrides), action.result)

    async def read_raw(
        self, call: Call, action: BrowserAction[Any, Any], params: TabParams, **overrides: Any
    ) -> Result:
        """The same, undecoded. Fails if the tab changed to another page during the action."""
        result = await self._on_page(call, action, params, **overrides)
        if result.get("pageChanged") is True:
            message = "The tab changed to another page while it was read."
            raise Reported(message, code="PLUGIN_ERROR", retryable=True, hint="Read it again.")
        return result

    async def _on_page(
        self, call: Call, action: BrowserAction[Any, Any], params: TabParams, **overrides: Any
    ) -> Result:
        page = await self.page(call, params.tab_id)
        page.check_is_web()
        return await self.carry_out(call, page, {**action.plugin_params(params), **overrides})

    async def send(self, call: Call, task: str, name: str, params: Params, origin: str | None = None) -> Result:
        """Sends one action and returns its result, without asking the policy about the result's page."""
        done = await self.bus.act(
            task, {name: params}, trace_id=call.trace_id, denied=call.denied_pages(), origin=origin
        )
        result = dict(done.result)
        if done.warnings:
            result["warnings"] = list(done.warnings)
        return result

    async def carry_out(self, call: Call, page: Page, params: Params, *, leaves: bool = False) -> Result:
        """Runs the call's action on a page. Returns the result only if the policy allows the page that it came from.

        With `leaves`, the action opens another page, so the current one isn't checked. Otherwise the action is refused
        if the tab is at another place by then than the one that the policy decided about.
        """
        if not leaves:
            await call.check(page.target)
        origin = None if leaves else page.origin
        try:
            result = await self._send_to_frames(call, page, {**params, "tabId": page.tab_id}, origin)
        except Failure as failure:
            if failure.details.get("moved") is True:
                self._last_urls[page.tab_id] = ""  # its new URL must be fetched from the browser
            raise
        await self.check_arrival(call, page.task, page.tab_id, result)
        return result

    async def _send_to_frames(self, call: Call, page: Page, params: Params, origin: str | None) -> Result:
        """Sends the action. If it is about a frame of another place, the policy decides about that place first."""
        allowed: list[str] = []
        while True:
            try:
                more = {FRAME_ORIGINS: allowed} if allowed else {}
                return await self.send(call, page.task, call.tool, {**params, **more}, origin)
            except Failure as failure:
                reached = [each for each in _texts(failure.details.get(FRAME_ORIGINS)) if each not in allowed]
                if not reached:
                    raise
            for each in reached:
                await call.check(Target(place=place_of_page(each)), acts=True)
            allowed += reached

    async def check_arrival(self, call: Call, task: str, tab_id: int, result: Params) -> None:
        """Asks the policy about every page that an action led to, with redirects. If one is denied, blanks the tab."""
        pages = await self._visited_pages(call, task, tab_id, result)
        self._last_urls.update({tab: url or "" for tab, url in pages})
        for tab, url in [*((tab_id, url) for url in redirects_in(result)), *pages]:
            target = Target(place=place_of_page(url))
            try:
                if target.place is not None:
                    await call.check(target)
            except Declined:
                with suppress(Failure):  # a tab that can't be blanked can't be read either: every read is checked again
                    await self.bus.act(task, {"browser_navigate": {"tabId": tab, "url": BLANK}})
                    self._last_urls[tab] = BLANK
                raise

    def note_url(self, task: str | None, url: str) -> bool:
        """Notes the URL that is shown to the agent. Returns whether it differs from the last one shown in this task."""
        if task is None or self._reported_urls.get(task) == url:
            return task is None
        self._reported_urls[task] = url
        return True

    def set_current_tab(self, task: str, tab_id: int) -> None:
        """The tab for later calls of this task that name none."""
        self._tabs[task] = tab_id

    def forget(self, task: str, tab_id: int | None = None) -> None:
        if tab_id is None or self._tabs.get(task) == tab_id:
            self._tabs.pop(task, None)
        self._reported_urls.pop(task, None)

    async def _visited_pages(self, call: Call, task: str, tab_id: int, result: Params) -> list[tuple[int, str | None]]:
        """The pages now shown in the action's tab and in one that it opened, unless that isn't loaded yet."""
        changes = result.get("changes")
        opened = changes.get("newTab") if isinstance(changes, Mapping) else None
        url = result.get("pageUrl")
        if isinstance(url, str) and type(opened) is not int:
            return [(tab_id, url)]
        tabs = {tab.tab_id: tab for tab in (await self._open_tabs(call)).tabs}
        if not isinstance(url, str):
            url = _url(tabs[tab_id]) if tab_id in tabs else None
        if url is None and isinstance(changes, Mapping) and isinstance(changes.get("navigated"), str):
            url = changes["navigated"]  # the tab has closed since
        pages: list[tuple[int, str | None]] = [(tab_id, url)]
        if type(opened) is int and opened in tabs and _url(tabs[opened]):
            pages.append((opened, _url(tabs[opened])))
        return pages

    async def _open_tabs(self, call: Call) -> OpenTabs:
        state = await self.bus.open_tabs(call.caller.identity, call.task)
        await self._claim(call, state.task)
        return state

    async def _claim(self, call: Call, task: TaskRecord) -> None:
        """Makes the caller the owner of its default task. The gate has checked the owner of a task that was named."""
        claim = call.caller.identity, task.task_id
        if self._ownership is not None and call.task is None and claim not in self._claimed:
            await self._ownership.claim(task.task_id, call.caller)
            self._claimed.add(claim)

    def _is_stale(self, tab: Tab) -> bool:
        last_url = self._last_urls.get(tab.tab_id)
        return last_url is not None and place_of_page(last_url or None) != place_of_page(_url(tab))

    async def _fetch_tab(self, call: Call, task: str, named: int | UnsetType, target_id: int | None) -> Tab | None:
        """The tab's current state from the browser; None if the plugin can't report it, or there is no such tab."""
        try:
            tabs = msgspec.convert((await self.send(call, task, "browser_tabs", {})).get("tabs"), list[Tab])
        except msgspec.ValidationError as wrong:
            raise BadAnswer(f"The browser's list of tabs can't be read: {wrong}.") from None
        except Reported:  # not every plugin knows this action
            if target_id is None:
                raise WrongTab("Name the tab.", hint="task_start opens one and returns its number.") from None
            return None
        self._last_urls.update({tab.tab_id: _url(tab) or "" for tab in tabs})
        tab = next((tab for tab in tabs if tab.tab_id == target_id), None)
        if tab is None and named is UNSET:
            self.forget(task)
            tab = _active_tab(tabs)
            if tab is None:
                raise WrongTab("This task has no tab yet.", hint="Begin with task_start.", taskId=task)
        return tab


def decode_result(result: Params, type: type[T]) -> T:
    """Converts a plugin's answer to the action's declared type, without unknown members. Raises BadAnswer."""
    try:
        return msgspec.convert(result, type)
    except msgspec.ValidationError as wrong:
        raise BadAnswer(f"The browser's answer doesn't fit this action: {wrong}.") from None


def without_fragment(url: str) -> str:
    return url.partition("#")[0]


def redirects_in(result: Params) -> Sequence[str]:
    """The pages on the way to the current one, as far as the plugin reports them."""
    return _texts(result.get("hops"))


def _texts(value: object) -> Sequence[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else ()


def _active_tab(tabs: Sequence[Tab]) -> Tab | None:
    return next((tab for tab in tabs if tab.active), tabs[-1] if tabs else None)


def _url(tab: Tab) -> str | None:
    return tab.url if isinstance(tab.url, str) and tab.url else None
