"""A scripted in-memory desktop with one app and a few windows, for tests of the host rather than of a toolkit.

It keeps what a real one keeps: elements change when they are pressed or typed into, handles stay, what hangs can be
let go, and everything that was sent is written down in the order in which it went out.
"""

import asyncio
import struct
import zlib
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from handrail.features.desktop.desktop_port import (
    CoveredArea,
    Delivery,
    Element,
    Gesture,
    KeyCombination,
    LocatedElement,
    Mark,
    Node,
    Place,
    Query,
    Readiness,
    Rect,
    Screenshot,
    Tree,
    Window,
    WindowChange,
)
from handrail.ports.errors import Conflict, NotFound, PermissionMissing

READY = frozenset({"showing", "visible", "enabled", "sensitive"})
SCREEN = Rect(0, 0, 320, 200)


@dataclass
class Widget:
    handle: str
    role: str
    title: str = ""
    value: str | None = None
    frame: Rect | None = None
    states: frozenset[str] = READY
    actions: tuple[str, ...] = ()
    children: list["Widget"] = field(default_factory=list)
    on_press: Callable[[], None] | None = None

    @property
    def element(self) -> Element:
        native = self.role.removeprefix("AX").lower()
        return Element(self.handle, self.role, native, self.title, self.value, self.frame, self.states, self.actions)


class ScriptedDesktop:
    """At first, `notes` is the front window: a text, a field, and buttons with effects."""

    def __init__(self) -> None:
        self.copied: str | None = None
        self.sent: list[str] = []
        self.readiness_now = Readiness(True, True, True, "Linux test", "x11")
        self.hanging: asyncio.Event | None = None
        self.hanging_calls = 0
        self.windows_read = 0
        self.on_keys: Callable[[], None] | None = None
        """What each key combination does."""
        self.front: str | None = None
        """The window in front, if it isn't the newest one."""
        self.silenced: set[int] = set()
        """Processes that don't respond, so their windows can't be listed."""
        self.shows_pictures = True
        self._typing_permits: asyncio.Semaphore | None = None
        self.is_held = False
        """Set when a character is waiting to be allowed."""
        self._changed: set[asyncio.Event] = set()
        self._windows: dict[str, tuple[Window, Widget]] = {}
        self.label = Widget("h:label", "AXStaticText", "Name:", frame=Rect(10, 40, 40, 20))
        self.name = Widget(
            "h:name", "AXTextField", "", "", Rect(60, 40, 100, 20), READY | {"editable", "focusable"}, ("activate",)
        )
        self.save = Widget("h:save", "AXButton", "Save", None, Rect(10, 100, 60, 20), actions=("Click",))
        self.save_as = Widget("h:save-as", "AXButton", "Save as…", None, Rect(80, 100, 60, 20), actions=("Click",))
        self.ask = Widget("h:ask", "AXButton", "Ask", None, Rect(150, 100, 60, 20), actions=("Click",))
        self.picture = Widget("h:picture", "AXImage", "Picture", None, Rect(10, 130, 50, 50))
        self.hidden = Widget(
            "h:hidden", "AXButton", "Save", None, Rect(0, 0, 0, 0), frozenset({"enabled", "sensitive"}), ("Click",)
        )
        box = Widget("h:box", "AXGroup", "", None, Rect(0, 20, 300, 170))
        box.children = [self.hidden, self.label, self.name, self.save_as, self.save, self.ask, self.picture]
        self.notes = Widget("h:notes", "AXWindow", "notes.txt – Notes", None, Rect(0, 0, 300, 190), children=[box])
        self.save.on_press = lambda: self.change(self.save, title="Saved")
        self.ask.on_press = self.open_dialog
        self.add("w:notes", self.notes, is_front=True)
        other = Widget("h:other", "AXWindow", "Other", None, Rect(0, 0, 100, 100))
        self.add("w:other", other, app="org.example.Other", pid=77)

    # Called by tests.

    def add(self, handle: str, root: Widget, *, app: str = "org.example.Notes", pid: int = 42, **more: bool) -> None:
        short = app.rpartition(".")[2].lower()
        window = Window(handle, root.title, short, app, frozenset({app, short}), pid, root.frame, **more)
        self._windows = (
            {handle: (window, root), **self._windows}
            if more.get("is_front")
            else self._windows | {handle: (window, root)}
        )
        self.report()

    def remove(self, handle: str) -> None:
        self._windows.pop(handle, None)
        self.report()

    def change(self, widget: Widget, **members: object) -> None:
        for name, value in members.items():
            setattr(widget, name, value)
        self.report()

    def report(self) -> None:
        for event in self._changed:
            event.set()

    def open_dialog(self) -> None:
        ok = Widget("h:ok", "AXButton", "OK", None, Rect(120, 90, 40, 20), READY | {"is-default"}, ("Click",))
        no = Widget("h:cancel", "AXButton", "Cancel", None, Rect(170, 90, 40, 20), actions=("Click",))
        ok.on_press = no.on_press = lambda: self.remove("w:dialog")
        root = Widget("h:dialog", "AXWindow", "Really?", None, Rect(100, 60, 120, 60), READY | {"modal"}, (), [ok, no])
        self.add("w:dialog", root, is_front=True, is_modal=True)

    def hang(self) -> asyncio.Event:
        """From now on the app doesn't respond until the event is set."""
        self.hanging = asyncio.Event()
        return self.hanging

    def hold_typing(self) -> None:
        """From now on every character waits for permission."""
        self._typing_permits, self.is_held = asyncio.Semaphore(0), False

    def let_type(self, count: int) -> None:
        assert self._typing_permits is not None
        for _ in range(count):
            self._typing_permits.release()

    # Called by the host.

    async def windows(self) -> Sequence[Window]:
        self.windows_read += 1
        front = self._front()
        return [
            replace(window, title=root.title, is_front=handle == front)
            for handle, (window, root) in self._windows.items()
            if window.pid not in self.silenced
        ]

    def unresponsive_pids(self) -> Collection[int]:
        return self.silenced

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        await self._answering()
        remaining = [max_nodes]

        def node(widget: Widget, depth: int) -> Node:
            remaining[0] -= 1
            if depth >= max_depth:
                return Node(widget.element, is_cut=bool(widget.children))
            children: list[Node] = []
            for child in widget.children:
                if remaining[0] <= 0:
                    return Node(widget.element, tuple(children), is_cut=True)
                children.append(node(child, depth + 1))
            return Node(widget.element, tuple(children))

        root = node(self._root(window), 1)
        everything = sum(1 for _ in _walk(self._root(window)))
        return Tree(root, max_nodes - remaining[0], everything > max_nodes - remaining[0])

    async def find(self, window: Window, query: Query) -> Sequence[LocatedElement]:
        await self._answering()
        return [each for each in _walk(self._root(window)) if _is_wanted(each.element, query)]

    async def page_addresses(self, window: Window) -> Sequence[str] | None:
        return ()

    async def element_at_path(self, window: Window, path: Sequence[int]) -> LocatedElement | None:
        await self._answering()
        return next((each for each in _walk(self._root(window)) if each.path == tuple(path)), None)

    async def read_element(self, handle: str) -> Element | None:
        await self._answering()
        widget = self._widget(handle)
        return widget.element if widget is not None else None

    @asynccontextmanager
    async def changes(self, window: Window) -> AsyncIterator["_Changes"]:
        event = asyncio.Event()
        self._changed.add(event)
        try:
            yield _Changes(event)
        finally:
            self._changed.discard(event)

    async def bring_to_front(self, window: Window) -> bool:
        if window.handle == self._front():
            return True
        self.sent.append(f"front {window.title}")
        self.front = None
        self._windows = {window.handle: self._windows[window.handle], **self._windows}
        return True

    async def press(self, window: Window, element: Element) -> Delivery:
        await self._answering()
        self.sent.append(f"press {element.handle}")
        widget = self._widget(element.handle)
        if widget is not None and widget.on_press is not None:
            widget.on_press()
        return Delivery(f"action:{element.actions[0]}" if element.actions else "pointer")

    async def window_at(self, x: int, y: int) -> Window | None:
        there = Rect(x, y, 1, 1)
        return next(
            (one for one in await self.windows() if one.frame is not None and one.frame.intersection(there)), None
        )

    async def point(self, window: Window, place: Element | Place, gesture: Gesture) -> Delivery:
        at = place.title if isinstance(place, Element) else f"{place[0]},{place[1]}"
        self.sent.append(f"{gesture.kind} {gesture.button} {at}")
        return Delivery(f"pointer:{gesture.kind}")

    async def arrange(self, window: Window, change: WindowChange) -> None:
        self.sent.append(f"{change.kind} {window.title}")
        window, root = self._windows[window.handle]
        frame, is_minimized = window.frame or Rect(0, 0, 1, 1), change.kind == "minimize"
        if change.kind == "move":
            frame = replace(frame, x=change.x, y=change.y)
        elif change.kind == "resize":
            frame = replace(frame, width=change.width, height=change.height)
        self._windows[window.handle] = replace(window, frame=frame, is_minimized=is_minimized), root

    async def focus(self, window: Window, element: Element) -> bool:
        return "focusable" in element.states

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        widget = self._widget(element.handle) if element is not None else self.name
        assert widget is not None
        if clear_before:
            widget.value = ""
        for piece in text if len(text) < 100 else [text]:
            if self._typing_permits is not None:
                self.is_held = True
                await self._typing_permits.acquire()
            self.sent.append(f"type {piece}")
            widget.value = (widget.value or "") + piece
        self.report()
        return Delivery("keys", is_verified=True)

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        self.sent.append(f"set {element.title} {value}")
        return Delivery("value", True)

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        self.sent.append(f"menu {'/'.join(path)}")
        return Delivery("action:click")

    async def clipboard(self) -> str | None:
        return self.copied

    async def put_on_clipboard(self, text: str) -> None:
        self.copied = text

    async def launch(self, app: str, file: str | None) -> int:
        self.sent.append(f"launch {app} {file or ''}".strip())
        return 1

    async def send_keys(self, window: Window, combinations: Sequence[KeyCombination], *, delay_ms: int) -> None:
        for one in combinations:
            if self._front() != window.handle:
                raise Conflict("Another window has the keys.")
            self.sent.append("keys " + "+".join([*one.modifiers, *([one.key] if one.key else [])]))
            if self.on_keys is not None:
                self.on_keys()
            if one.key == "escape":
                self.remove("w:dialog")
            await asyncio.sleep(delay_ms / 1000)

    async def screenshot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        marked: Sequence[Mark] = (),
        hidden: Sequence[Window] = (),
        covered: Sequence[CoveredArea] = (),
    ) -> Screenshot:
        if not self.shows_pictures:
            raise PermissionMissing("This session shows no picture.")
        captured = SCREEN if area is None else area.intersection(SCREEN) or SCREEN
        return Screenshot(_png(captured.width, captured.height, 1 if outlined is None else 2), captured)

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        self.sent.append(f"highlight {frame.x},{frame.y} {duration_ms}")

    async def readiness(self) -> Readiness:
        return self.readiness_now

    async def close(self) -> None:
        pass

    def _front(self) -> str | None:
        return self.front or next(iter(self._windows), None)

    async def _answering(self) -> None:
        if self.hanging is not None:
            self.hanging_calls += 1
            await self.hanging.wait()

    def _root(self, window: Window) -> Widget:
        if window.handle not in self._windows:
            raise NotFound("The window is gone.")
        return self._windows[window.handle][1]

    def _widget(self, handle: str) -> Widget | None:
        waiting = [root for _, root in self._windows.values()]
        while waiting:
            widget = waiting.pop()
            if widget.handle == handle:
                return widget
            waiting += widget.children
        return None


class _Changes:
    def __init__(self, event: asyncio.Event) -> None:
        self._event = event

    async def next(self, within: float) -> bool:
        try:
            async with asyncio.timeout(within):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True


def _walk(root: Widget) -> list[LocatedElement]:
    matches: list[LocatedElement] = []

    def visit(widget: Widget, ancestors: tuple[Element, ...], path: tuple[int, ...]) -> None:
        matches.append(LocatedElement(widget.element, ancestors, path))
        for at, child in enumerate(widget.children):
            visit(child, (*ancestors, widget.element), (*path, at))

    visit(root, (), ())
    return matches


def _is_wanted(element: Element, query: Query) -> bool:
    role = query.role is None or query.role.lower() in (element.role.lower(), element.native_role)
    title = query.title_contains is None or query.title_contains.casefold() in element.title.casefold()
    value = query.value_contains is None or query.value_contains.casefold() in (element.value or "").casefold()
    return role and title and value


def _png(width: int, height: int, shade: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes([shade]) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
