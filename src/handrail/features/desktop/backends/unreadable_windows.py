"""Windows of programs without accessibility, such as xterm, GTK 2 programs and games.

The compositor knows their title, place and process, and keys, text and pointer reach them. Only a picture shows what
they contain.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from handrail.features.desktop.backends.atspi.documents import is_browser
from handrail.features.desktop.backends.atspi.identity import Identities
from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.desktop_port import Changes, Element, Node, Query, Tree, Window
from handrail.ports.errors import Gone

_HANDLE_PREFIX = "window:"
_WEB_ENGINES = ("webkit", "webengine", "libcef", "libxul", "/chrom", "electron", "msedge", "servo")
_STATES = frozenset({"visible", "showing", "enabled", "sensitive", "focusable"})


class UnreadableWindows:
    def __init__(self, top_windows: TopWindows) -> None:
        self._top_windows = top_windows
        self._identities = Identities()

    def owns(self, handle: str) -> bool:
        return handle.startswith(_HANDLE_PREFIX)

    def all(
        self, readable_pids: Collection[int], unresponsive_pids: Collection[int], matched_ids: Collection[int]
    ) -> list[Window]:
        """Lists windows whose processes are neither readable nor unresponsive, except those matched already."""
        active = self._top_windows.active()
        return [
            self._window(top, is_front=top.id == active)
            for top in self._top_windows.all()
            if top.id not in matched_ids
            and top.pid not in readable_pids
            and top.pid not in unresponsive_pids
            and top.is_for_people
        ]

    def top(self, window: Window) -> TopWindow | None:
        return self._top_windows.read(int(window.handle.removeprefix(_HANDLE_PREFIX)))

    def read_element(self, handle: str) -> Element | None:
        """Returns the window itself as an element; None if it is gone."""
        top = self._top_windows.read(int(handle.removeprefix(_HANDLE_PREFIX)))
        if top is None:
            return None
        return Element(handle, "AXWindow", "window", top.title, None, top.visible_frame, _STATES)

    def tree(self, window: Window) -> Tree:
        if (element := self.read_element(window.handle)) is None:
            raise Gone(f"The window {window.title!r} is gone.")
        return Tree(Node(element), 1, is_cut=False)

    def matches(self, element: Element, query: Query) -> bool:
        has_role = query.role is None or query.role.casefold() in ("axwindow", "window")
        return has_role and not query.value_contains and (query.title_contains or "").lower() in element.title.lower()

    def page_addresses(self, window: Window) -> Sequence[str] | None:
        """Returns None for a program that may show web pages, because it doesn't report which."""
        return None if is_browser(window) or window.pid == 0 or _has_web_engine(window.pid) else ()

    @asynccontextmanager
    async def changes(self) -> AsyncIterator[Changes]:
        """Such programs report no changes."""
        yield _NoReports()

    def _window(self, top: TopWindow, *, is_front: bool) -> Window:
        name = next(iter(reversed(top.classes)), "") or top.title
        app_id, ids = self._identities.of(top.pid, name, top.classes)
        return Window(
            handle=f"{_HANDLE_PREFIX}{top.id}",
            title=top.title,
            app_name=name,
            app_id=app_id,
            ids=ids,
            pid=top.pid,
            frame=top.visible_frame,
            is_front=is_front,
            is_modal=top.is_modal,
            is_minimized=top.is_minimized,
            is_readable=False,
        )


class _NoReports:
    async def next(self, within: float) -> bool:
        await asyncio.sleep(within)
        return False


def _has_web_engine(pid: int) -> bool:
    """Checks the libraries that the process has loaded. Returns True if they can't be read."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            loaded = {line.rpartition(" ")[2].casefold() for line in maps}
    except OSError:
        return True
    return any(engine in path for path in loaded for engine in _WEB_ENGINES)
