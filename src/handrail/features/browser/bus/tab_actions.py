"""Browser actions that start and end tasks, open and close tabs, and navigate."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from handrail.features.browser.bus.browser_action import (
    ActionParams,
    BrowserAction,
    Colour,
    OneTabParams,
    Result,
    TabParams,
    Url,
    VisitResult,
)
from handrail.ports.browser import Tab
from handrail.ports.effect import Effect

_Title = Annotated[str, Meta(min_length=1, max_length=80)]


class TaskStartParams(ActionParams, frozen=True, kw_only=True):
    url: Url | UnsetType = UNSET
    reuse_existing_tab: Annotated[bool, Meta(description="Take over an open tab that shows this page.")] = False
    group_title: _Title | UnsetType = UNSET
    group_color: Colour | UnsetType = UNSET


class TaskStartResult(VisitResult, frozen=True, kw_only=True):
    tab_id: int
    window_id: int
    url: str
    group_id: int | UnsetType = UNSET
    title: str | UnsetType = UNSET


TASK_START = BrowserAction("task_start", "Begin a task", TaskStartParams, TaskStartResult, 20, Effect.UI_CONTROL)


class TaskStopParams(ActionParams, frozen=True, kw_only=True):
    close_tab: bool = False


class TaskStopResult(Result, frozen=True, kw_only=True):
    stopped: Literal[True]


TASK_STOP = BrowserAction(
    "task_stop", "End a task", TaskStopParams, TaskStopResult, 5, Effect.PROCESS_CONTROL, is_idempotent=True
)


class TaskGroupUpdateParams(ActionParams, frozen=True, kw_only=True):
    color: Colour | UnsetType = UNSET
    title: _Title | UnsetType = UNSET


class TaskGroupUpdateResult(Result, frozen=True, kw_only=True):
    updated: Literal[True]


TASK_GROUP_UPDATE = BrowserAction(
    "task_group_update",
    "Name the group of tabs",
    TaskGroupUpdateParams,
    TaskGroupUpdateResult,
    5,
    Effect.UI_CONTROL,
    is_idempotent=True,
    schema={"anyOf": [{"required": ["color"]}, {"required": ["title"]}]},
)


class NavigateParams(TabParams, frozen=True, kw_only=True):
    url: Url


class NavigateResult(VisitResult, frozen=True, kw_only=True):
    navigated: Literal[True]
    tab_id: int
    url: str


NAVIGATE = BrowserAction("browser_navigate", "Go to a page", NavigateParams, NavigateResult, 30, Effect.UI_CONTROL)
GO_BACK = BrowserAction("browser_go_back", "Go back", TabParams, NavigateResult, 30, Effect.UI_CONTROL)
GO_FORWARD = BrowserAction("browser_go_forward", "Go forward", TabParams, NavigateResult, 30, Effect.UI_CONTROL)
RELOAD = BrowserAction("browser_reload", "Reload", TabParams, NavigateResult, 30, Effect.UI_CONTROL)


class TabsResult(Result, frozen=True, kw_only=True):
    tabs: list[Tab]


TABS = BrowserAction("browser_tabs", "List tabs", ActionParams, TabsResult, 5, Effect.READ, is_idempotent=True)


class TabOpenParams(ActionParams, frozen=True, kw_only=True):
    url: Url | UnsetType = UNSET


class TabOpenResult(VisitResult, frozen=True, kw_only=True):
    tab_id: int
    window_id: int
    url: str


TAB_OPEN = BrowserAction("browser_tab_open", "Open a tab", TabOpenParams, TabOpenResult, 30, Effect.UI_CONTROL)


class TabCloseResult(Result, frozen=True, kw_only=True):
    closed: Literal[True]


TAB_CLOSE = BrowserAction("browser_tab_close", "Close a tab", OneTabParams, TabCloseResult, 5, Effect.UI_CONTROL)


class TabSwitchResult(Result, frozen=True, kw_only=True):
    switched: Literal[True]
    tab_id: int


TAB_SWITCH = BrowserAction(
    "browser_tab_switch", "Switch to a tab", OneTabParams, TabSwitchResult, 5, Effect.UI_CONTROL, is_idempotent=True
)
