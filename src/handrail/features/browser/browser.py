"""The port of this surface: the bus, which tab each task is at, and the policy's word on every page that it reaches."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.browser.bus.browser_action import BrowserAction, ParamsT, ResultT, TabParams
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
    """The page that a call is about. `url` is None when the browser has not told it."""

    task: str
    tab_id: int
    url: str | None

    @property
    def target(self) -> Target:
        return Target(place=place_of_page(self.url))

    @property
    def origin(self) -> str | None:
        """As its browser spells it; None where nobody knows."""
        if self.url is None or self.url == BLANK:
            return self.url
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def address(self) -> str:
        """Without the fragment, which a page may change at will without becoming another."""
        return without_fragment(self.url or "")

    def check_is_web(self) -> None:
        """Local files and the browser's own pages are no places for an agent."""
        if self.url is not None and not is_web_page(self.url):
            raise Declined(
                f"Tab {self.tab_id} shows no web page.",
                hint="browser_navigate takes it to one.",
                reason="scheme",
                tabId=self.tab_id,
            )


class Browser:
    """`files` is the project, from which files can be uploaded."""

    def __init__(self, bus: Bus, files: Folder, ownership: TaskOwnership | None = None) -> None:
        self.bus = bus
        self.files = files
        self._ownership = ownership
        self._claimed: set[tuple[str, str]] = set()
        self._tabs: dict[str, int] = {}
        self._seen: dict[int, str] = {}
        """Where a tab was when we last heard of it ourselves: the snapshot may be a moment behind."""
        self._told: dict[str, str] = {}

    async def task(self, call: Call) -> TaskRecord:
        task = await self.bus.task_for(call.caller.identity, call.task)
        call.own_task = task.task_id
        await self._claim(call, task)
        return task

    async def locate(self, call: Call, tab_id: int | UnsetType) -> Page:
        """The page, before the policy decides; what follows at once needs not look for it again."""
        call.located = page = await self._find(call, tab_id)
        return page

    async def page(self, call: Call, tab_id: int | UnsetType) -> Page:
        """That tab's page, or that of the tab which the task is at. WrongTab, Offline."""
        located, call.located = call.located, None
        return located if isinstance(located, Page) else await self._find(call, tab_id)

    async def _find(self, call: Call, tab_id: int | UnsetType) -> Page:
        there = await self._open_tabs(call)
        call.own_task = there.task.task_id
        task, known = there.task, {tab.tab_id: tab for tab in there.tabs}
        wanted = self._tabs.get(task.task_id) if tab_id is UNSET else tab_id
        tab = known.get(wanted) if wanted is not None else None
        if tab is None and (closed := next((each for each in there.closed if each.tab_id == wanted), None)):
            self.forget(task.task_id, closed.tab_id)  # said once; then the task goes on in another tab
            raise closed.failure()
        if tab is None or self._is_behind(tab):
            tab = await self._asked_for(call, task.task_id, tab_id, wanted)
            if tab is None and known:
                raise WrongTab(f"Tab {wanted} is not there.", hint="browser_tabs lists the tabs.", tabId=wanted)
        if tab is None:
            assert wanted is not None
            return Page(task.task_id, wanted, None)
        self._tabs.setdefault(task.task_id, tab.tab_id)
        return Page(task.task_id, tab.tab_id, _url(tab))

    async def run(
        self, call: Call, action: BrowserAction[ParamsT, ResultT], params: ParamsT, task: str | None = None
    ) -> ResultT:
        """An action that tells no page's content."""
        task = task or (await self.task(call)).task_id
        return read(await self.send(call, task, action.name, action.plugin_params(params)), action.result)

    async def run_on_page(self, call: Call, action: BrowserAction[Any, ResultT], params: TabParams) -> ResultT:
        return read(await self._on_page(call, action, params), action.result)

    async def read(self, call: Call, action: BrowserAction[Any, ResultT], params: TabParams, **given: Any) -> ResultT:
        """What an action tells of a page's content. `given` takes a parameter's place."""
        return read(await self.read_raw(call, action, params, **given), action.result)

    async def read_raw(self, call: Call, action: BrowserAction[Any, Any], params: TabParams, **given: Any) -> Result:
        """The same as the plugin spelled it. It must be that of one page from beginning to end."""
        result = await self._on_page(call, action, params, **given)
        if result.get("pageChanged") is True:
            message = "The page changed to another one while it was read."
            raise Reported(message, code="PLUGIN_ERROR", retryable=True, hint="Read it again.")
        return result

    async def _on_page(self, call: Call, action: BrowserAction[Any, Any], params: TabParams, **given: Any) -> Result:
        page = await self.page(call, params.tab_id)
        page.check_is_web()
        return await self.carry_out(call, page, {**action.plugin_params(params), **given})

    async def send(self, call: Call, task: str, name: str, params: Params, origin: str | None = None) -> Result:
        """One action and its result; the policy has not been asked about what it tells."""
        done = await self.bus.act(
            task, {name: params}, trace_id=call.trace_id, denied=call.denied_pages(), origin=origin
        )
        result = dict(done.result)
        if done.warnings:
            result["warnings"] = list(done.warnings)
        return result

    async def carry_out(self, call: Call, page: Page, params: Params, *, leaves: bool = False) -> Result:
        """The call's action on a page. What it tells is returned only where the policy agrees with where it came from.

        `leaves`: it goes elsewhere, so nothing is asked about the page as it was. Otherwise nothing is done to a page
        of another place than that which was decided about.
        """
        if not leaves:
            await call.check(page.target)
        origin = None if leaves else page.origin
        try:
            result = await self.send(call, page.task, call.tool, {**params, "tabId": page.tab_id}, origin)
        except Failure as failure:
            if failure.details.get("moved") is True:
                self._seen[page.tab_id] = ""  # where it is now, the browser itself says
            raise
        await self.arrived(call, page.task, page.tab_id, result)
        return result

    async def arrived(self, call: Call, task: str, tab_id: int, result: Params) -> None:
        """Asks the policy about every page that an action has led to or by. Where it says no, the tab is emptied."""
        places = await self._places(call, task, tab_id, result)
        self._seen.update({tab: url or "" for tab, url in places})
        for tab, url in [*((tab_id, hop) for hop in hops_of(result)), *places]:
            target = Target(place=place_of_page(url))
            try:
                if target.place is not None:
                    await call.check(target)
            except Declined:
                with suppress(Failure):  # what can't be emptied can't be read either: every read is checked again
                    await self.bus.act(task, {"browser_navigate": {"tabId": tab, "url": BLANK}})
                    self._seen[tab] = BLANK
                raise

    def tell(self, task: str | None, url: str) -> bool:
        """Notes where the agent is told to be; whether that is news in its task."""
        if task is None or self._told.get(task) == url:
            return task is None
        self._told[task] = url
        return True

    def stay_at(self, task: str, tab_id: int) -> None:
        """From now on a call of this task that names no tab means this one."""
        self._tabs[task] = tab_id

    def forget(self, task: str, tab_id: int | None = None) -> None:
        if tab_id is None or self._tabs.get(task) == tab_id:
            self._tabs.pop(task, None)
        self._told.pop(task, None)

    async def _places(self, call: Call, task: str, tab_id: int, result: Params) -> list[tuple[int, str | None]]:
        """Of a tab that has just been opened nothing is told here: it is checked once it is looked at."""
        changes = result.get("changes")
        opened = changes.get("newTab") if isinstance(changes, Mapping) else None
        now = result.get("pageUrl")
        if isinstance(now, str) and type(opened) is not int:
            return [(tab_id, now)]
        known = {tab.tab_id: tab for tab in (await self._open_tabs(call)).tabs}
        if not isinstance(now, str):
            now = _url(known[tab_id]) if tab_id in known else None
        if now is None and isinstance(changes, Mapping) and isinstance(changes.get("navigated"), str):
            now = changes["navigated"]  # the tab is closed, and this is where it went
        places: list[tuple[int, str | None]] = [(tab_id, now)]
        if type(opened) is int and opened in known and _url(known[opened]):
            places.append((opened, _url(known[opened])))
        return places

    async def _open_tabs(self, call: Call) -> OpenTabs:
        there = await self.bus.open_tabs(call.caller.identity, call.task)
        await self._claim(call, there.task)
        return there

    async def _claim(self, call: Call, task: TaskRecord) -> None:
        """A task that was made for this caller is the caller's alone. Those that are named, the gate has checked."""
        mine = call.caller.identity, task.task_id
        if self._ownership is not None and call.task is None and mine not in self._claimed:
            await self._ownership.claim(task.task_id, call.caller)
            self._claimed.add(mine)

    def _is_behind(self, tab: Tab) -> bool:
        seen = self._seen.get(tab.tab_id)
        return seen is not None and place_of_page(seen or None) != place_of_page(_url(tab))

    async def _asked_for(self, call: Call, task: str, named: int | UnsetType, wanted: int | None) -> Tab | None:
        """The tab as the browser itself tells it now; None where it does not tell, or does not have it."""
        try:
            told = (await self.send(call, task, "browser_tabs", {})).get("tabs")
            tabs = msgspec.convert(told, list[Tab])
        except msgspec.ValidationError as wrong:
            raise BadAnswer(f"The browser's list of tabs can't be read: {wrong}.") from None
        except Reported:  # a plugin need not know this action
            if wanted is None:
                raise WrongTab("Name the tab.", hint="task_start opens one and tells its number.") from None
            return None
        self._seen.update({tab.tab_id: _url(tab) or "" for tab in tabs})
        found = next((tab for tab in tabs if tab.tab_id == wanted), None)
        if found is None and named is UNSET:
            self.forget(task)
            found = _at_front(tabs)
            if found is None:
                raise WrongTab("This task has no tab yet.", hint="Begin with task_start.", taskId=task)
        return found


def read(result: Params, type: type[T]) -> T:
    """What the plugin answered, as the catalogue has it; what that does not know is left out. BadAnswer."""
    try:
        return msgspec.convert(result, type)
    except msgspec.ValidationError as wrong:
        raise BadAnswer(f"The browser's answer is not what this action promises: {wrong}.") from None


def without_fragment(url: str) -> str:
    return url.partition("#")[0]


def hops_of(result: Params) -> Sequence[str]:
    """The pages on the way to the page, as far as the plugin tells them."""
    told = result.get("hops")
    return [hop for hop in told if isinstance(hop, str)] if isinstance(told, list) else ()


def _at_front(tabs: Sequence[Tab]) -> Tab | None:
    return next((tab for tab in tabs if tab.active), tabs[-1] if tabs else None)


def _url(tab: Tab) -> str | None:
    return tab.url if isinstance(tab.url, str) and tab.url else None
