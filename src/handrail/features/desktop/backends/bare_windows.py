"""Windows of programs that tell nothing of themselves, such as xterm, GTK 2 and games.

Keys, text, pointer and pictures reach them. The compositor knows title, place and process. What is inside can be seen
only in a picture.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from handrail.features.desktop.backends.atspi.documents import is_browser
from handrail.features.desktop.backends.atspi.identity import Identities
from handrail.features.desktop.backends.compositor import TopWindow, TopWindows
from handrail.features.desktop.platform import Changes, Element, Node, Query, Tree, Window
from handrail.ports.errors import Gone

_PREFIX = "window:"
_WEB_ENGINES = ("webkit", "webengine", "libcef", "libxul", "/chrom", "electron", "msedge", "servo")
_STATES = frozenset({"visible", "showing", "enabled", "sensitive", "focusable"})


class BareWindows:
    def __init__(self, top_windows: TopWindows) -> None:
        self._top_windows = top_windows
        self._identities = Identities()

    def is_one(self, handle: str) -> bool:
        return handle.startswith(_PREFIX)

    def all(self, known: Collection[int], silent: Collection[int], matched: Collection[int]) -> list[Window]:
        """Of processes that are neither `known` from elsewhere nor hanging; `matched` are windows that are known."""
        active = self._top_windows.active()
        return [
            self._window(top, is_front=top.id == active)
            for top in self._top_windows.all()
            if top.id not in matched and top.pid not in known and top.pid not in silent and top.is_for_people
        ]

    def top(self, window: Window) -> TopWindow | None:
        return self._top_windows.read(int(window.handle.removeprefix(_PREFIX)))

    def look(self, handle: str) -> Element | None:
        """The window itself; None when it is gone."""
        top = self._top_windows.read(int(handle.removeprefix(_PREFIX)))
        if top is None:
            return None
        return Element(handle, "AXWindow", "window", top.title, None, top.visible_frame, _STATES)

    def tree(self, window: Window) -> Tree:
        if (element := self.look(window.handle)) is None:
            raise Gone(f"The window {window.title!r} is gone.")
        return Tree(Node(element), 1, is_cut=False)

    def fits(self, element: Element, query: Query) -> bool:
        has_role = query.role is None or query.role.casefold() in ("axwindow", "window")
        return has_role and not query.value_contains and (query.title_contains or "").lower() in element.title.lower()

    def addresses(self, window: Window) -> Sequence[str] | None:
        """None for what may show web pages: which, it doesn't tell."""
        return None if is_browser(window) or window.pid == 0 or _has_web_engine(window.pid) else ()

    @asynccontextmanager
    async def changes(self) -> AsyncIterator[Changes]:
        """Nothing is reported."""
        yield _Unreported()

    def _window(self, top: TopWindow, *, is_front: bool) -> Window:
        name = next(iter(reversed(top.classes)), "") or top.title
        app_id, ids = self._identities.of(top.pid, name, top.classes)
        return Window(
            handle=f"{_PREFIX}{top.id}",
            title=top.title,
            app_name=name,
            app_id=app_id,
            ids=ids,
            pid=top.pid,
            frame=top.visible_frame,
            is_front=is_front,
            is_modal=top.is_modal,
            is_readable=False,
        )


class _Unreported:
    async def next(self, within: float) -> bool:
        await asyncio.sleep(within)
        return False


def _has_web_engine(pid: int) -> bool:
    """By the libraries that it has loaded; also where that can't be known."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            loaded = {line.rpartition(" ")[2].casefold() for line in maps}
    except OSError:
        return True
    return any(engine in path for path in loaded for engine in _WEB_ENGINES)
