"""The messages between handrail, browser extensions (plugins) and web pages, as contract 2 spells them, and the ports.

`features/browser/bus` knows what an action may contain and how long it may take.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from handrail.ports.errors import TabClosed

PROTOCOL = 1
EXTENSION_ID = "baoanimhflihpgcnepaoljokhdpilplm"
"""Chrome derives it from the `key` of the extension's manifest, so it is the same on every machine."""
EXTENSION_ORIGIN = f"chrome-extension://{EXTENSION_ID}"

EXPECTED_ORIGIN = "expectedOrigin"
"""In a `browser_action`: the origin of the page that was approved. If the tab is elsewhere by then, the plugin refuses
with INVALID_TARGET. An addition to the contract."""

Actions = Mapping[str, Mapping[str, Any]]
"""An action by its name, or several that the plugin runs in order: `{"browser_click": {"tabId": 1, …}}`."""
TaskStatus = Literal["created", "running", "ongoing", "takeover", "completed", "error"]
ResultStatus = Literal["success", "partial"]
EndStatus = Literal["success", "partial", "error"]
Role = Literal["user", "assistant"]
ClosedBy = Literal["person", "agent", "page"]
TakeoverReason = Literal["user_input", "popup", "badge", "console"]
PluginMessageType = Literal[
    "activate_extension", "full_state_sync", "tab_event", "debugger_event",
    "task_takeover", "task_handback", "task_stopped", "browser_action_result", "confirm_answer",
]  # fmt: skip
ServerMessageType = Literal["browser_action", "task_status", "confirm_ask", "confirm_close"]
FrontendEventType = Literal[
    "chatDelta", "thinkingDelta", "structuredOutput", "snapshotSync", "toolUsed", "runStatus", "taskStatus"
]


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=False):
    """An object on the wire: camelCase, and what is unset is left out."""


class Tab(Wire, frozen=True, kw_only=True):
    tab_id: int
    window_id: int
    group_id: int | UnsetType = UNSET
    url: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    fav_icon_url: str | UnsetType = UNSET
    status: str | UnsetType = UNSET
    active: bool = False
    pinned: bool = False
    hidden: bool = False
    index: int = 0
    opener_tab_id: int | UnsetType = UNSET


class OpenTab(Tab, frozen=True, kw_only=True):
    """A tab of a snapshot, with the task that it belongs to, if any (an addition to the contract)."""

    task_id: str | UnsetType = UNSET


class Window(Wire, frozen=True, kw_only=True):
    window_id: int
    focused: bool = False
    top: int | UnsetType = UNSET
    left: int | UnsetType = UNSET
    width: int | UnsetType = UNSET
    height: int | UnsetType = UNSET
    type: str = "normal"


class TabGroup(Wire, frozen=True, kw_only=True):
    id: int
    collapsed: bool = False
    color: str = "grey"
    title: str | UnsetType = UNSET
    window_id: int


class BrowserState(Wire, frozen=True, kw_only=True):
    """What a browser has open: the `state` of a `snapshotSync`."""

    windows: tuple[Window, ...] = ()
    tabs: tuple[OpenTab, ...] = ()
    tab_groups: tuple[TabGroup, ...] = ()
    active_window_id: int | None = None
    active_tab_id: int | None = None
    last_updated: int = 0


class Snapshot(BrowserState, frozen=True, kw_only=True):
    """`stale`: its plugin is disconnected, or has sent nothing for half a minute."""

    connected: bool = False
    age_ms: int = 0
    stale: bool = True
    client_id: str | UnsetType = UNSET


class TaskRecord(Wire, frozen=True, kw_only=True):
    task_id: str
    title: str
    status: TaskStatus
    created_at: int
    updated_at: int
    selected_client_id: str | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    """An addition to the contract: a person has archived it."""
    reading: bool | UnsetType = UNSET
    """An addition to the contract, set while a person has taken it over: whether actions that only read may run."""


LATEST_MS = 253_402_300_799_999
"""The last moment of the last year that has four digits."""


class Message(Wire, frozen=True, kw_only=True):
    id: str
    role: Role
    content: str
    timestamp: int
    """Milliseconds since 1970, up to `LATEST_MS`."""


class PluginRecord(Wire, frozen=True, kw_only=True):
    """A browser extension that has announced itself, as in `extension-list`.

    `selected`: a new task would use this one. `chosen`: a person prefers it whenever it is connected.
    """

    client_id: str
    extension_id: str = ""
    extension_name: str = ""
    ua: str = ""
    version: str = ""
    browser_name: str = ""
    allow_other_client: bool = False
    socket_connected: bool = False
    healthy: bool = True
    selected: bool = False
    chosen: bool = False
    last_seen_at: int = 0


class ActionResult(Wire, frozen=True, kw_only=True):
    """The result of actions that were carried out; others end in a Failure."""

    status: ResultStatus
    result: dict[str, Any]
    warnings: tuple[str, ...] = ()


class ActionRecord(Wire, frozen=True, kw_only=True):
    """One call of the bus. It has ended once `status` is set."""

    action_id: str
    task_id: str
    client_id: str
    actions: dict[str, dict[str, Any]]
    created_at: int
    trace_id: str | UnsetType = UNSET
    status: EndStatus | UnsetType = UNSET
    result: dict[str, Any] | UnsetType = UNSET
    ended_at: int | UnsetType = UNSET


class UploadSlot(Wire, frozen=True, kw_only=True):
    """Where an artifact may be uploaded until `expires_at`, and where it can be downloaded afterwards."""

    artifact_id: str
    upload_url: str
    download_url: str
    expires_at: int


class Box(Wire, frozen=True, kw_only=True):
    x: float
    y: float
    w: float
    h: float


class IndexedElement(Wire, frozen=True, kw_only=True):
    """An element that was numbered on a picture; `bbox` is in pixels of the picture."""

    click_id: str
    tag: str
    role: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    bbox: Box


class TaskView(Wire, frozen=True, kw_only=True):
    """The last picture of a task with its numbered elements; without an artifact there is no picture yet."""

    task_id: str
    artifact_id: str | UnsetType = UNSET
    tab_id: int | UnsetType = UNSET
    width: int | UnsetType = UNSET
    height: int | UnsetType = UNSET
    taken_at: int | UnsetType = UNSET
    url: str | UnsetType = UNSET
    indexed_at: int | UnsetType = UNSET
    acted_at: int | UnsetType = UNSET
    """When an action last ran in the task; an earlier picture is outdated."""
    elements: tuple[IndexedElement, ...] = ()


class ClosedTab(Wire, frozen=True, kw_only=True):
    """A closed tab of a task. If no action closed it, the person did."""

    tab_id: int
    by: ClosedBy

    def failure(self) -> TabClosed:
        who = {"person": "the person", "agent": "browser_tab_close", "page": "its own page"}[self.by]
        hint = "browser_tabs lists the tabs that are left; browser_tab_open opens one."
        return TabClosed(f"Tab {self.tab_id} was closed by {who}.", hint=hint, tabId=self.tab_id, by=self.by)


class OpenTabs(Wire, frozen=True, kw_only=True):
    """A task, the known tabs of its browser, and tabs of the task that were closed."""

    task: TaskRecord
    tabs: tuple[Tab, ...]
    closed: tuple[ClosedTab, ...] = ()


@dataclass(frozen=True, slots=True)
class Artifact:
    artifact_id: str
    kind: str
    content_type: str
    data: bytes


class Bus(Protocol):
    """What the browser tools need of the bus, which runs in this process or in a running `handrail up`."""

    async def act(
        self,
        task: str,
        actions: Actions,
        *,
        timeout_ms: int | None = None,
        trace_id: str | None = None,
        denied: Sequence[str] = (),
        origin: str | None = None,
    ) -> ActionResult:
        """Runs actions and waits until they have ended. Cancelling the call ends them too.

        `denied` are regular expressions for addresses that the task's tabs must not request. `origin` is the place of
        the page that was approved: nothing is done to a page of another place.

        Offline, Unacknowledged, Unfinished: the plugin doesn't answer; WrongTab; Reported: the plugin's own error;
        Aborted: the task was stopped; Conflict: the task is over.
        """
        ...

    async def task_for(self, caller: str, task: str | None) -> TaskRecord:
        """The task with this id, created if it is new; without an id, the caller's own task. InvalidParams."""
        ...

    async def open_tabs(self, caller: str, task: str | None) -> OpenTabs:
        """The same task, and the tabs of its browser, or of the browser that a new task would use."""
        ...

    async def artifact(self, artifact_id: str) -> Artifact:
        """NotFound: it doesn't exist, has expired, or was never uploaded."""
        ...

    async def store_artifact(self, task: str, kind: str, content_type: str, data: bytes, name: str = "") -> str:
        """Stores an artifact for `browser_upload`; returns its id. TooLarge."""
        ...


Acknowledge = Callable[[Any], None]


class PluginConnection(Protocol):
    """The connection to a plugin."""

    def send(self, message: Mapping[str, Any], on_ack: Acknowledge) -> Awaitable[None]:
        """Sends a message; `on_ack` gets the plugin's acknowledgement, if it sends one."""
        ...

    def drop(self) -> None:
        """Closes the connection so that the plugin reconnects automatically."""
        ...
