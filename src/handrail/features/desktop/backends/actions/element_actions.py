"""Brings windows to the front, focuses elements, and presses them by their own action or by a click."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

from handrail.features.desktop.backends.actions.accessible import Accessible
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.compositor import Compositor, TopWindow
from handrail.features.desktop.desktop_port import Delivery, Element, Gesture, Place, Rect, Window
from handrail.ports.errors import Conflict, Gone, PermissionMissing

ReadElement = Callable[[str], Awaitable[Element | None]]
FindTopWindows = Callable[[Window], Awaitable[Sequence[TopWindow]]]
"""Returns the windows on the screen that an accessible window may be."""
_PRESS_ACTIONS = ("click", "press", "clicked", "push")
_SELECT_ACTIONS = ("select", "jump", "dodefault", "invoke")
_TOGGLE_ACTIONS = ("toggle", "check", "uncheck", "clickancestor", "activate", "open")
"""Not used for rows, which these deselect or open, or for fields, where they mean the Enter key."""
_EXPAND_ACTIONS = ("expandorcontract", "expand", "collapse", "showmenu", "switch")
_FIELDS = frozenset({"AXTextField", "AXTextArea", "AXSecureTextField", "AXDateField"})
_ROWS = frozenset({"AXRow", "AXCell"})
_ENABLED = frozenset({"enabled", "sensitive"})
_CLIPPING_ROLES = frozenset(
    {"scroll pane", "viewport", "list", "list box", "table", "tree", "tree table", "document web"}
)
_MAX_ANCESTORS = 40
_POPUP_BORDER = 16
_POPOVER = "GtkPopover"
_FOCUS_SECONDS = 0.5
_POLL_SECONDS = 0.01
_SCROLL_SECONDS = 1.0
_SCROLL_POLL_SECONDS = 0.03
_CLICK = Gesture()


def press_action(element: Element, names: Sequence[str]) -> int | None:
    """Returns the index of the action that presses the element, if there is one."""
    plain = [name.lower().replace(" ", "").replace("_", "").replace("-", "") for name in names]
    preferred: tuple[str, ...] = (*_PRESS_ACTIONS, *_SELECT_ACTIONS, *_TOGGLE_ACTIONS, *_EXPAND_ACTIONS)
    if element.role in _FIELDS or "editable" in element.states:
        preferred = _PRESS_ACTIONS
    elif element.role in _ROWS:
        preferred = (*_PRESS_ACTIONS, *_SELECT_ACTIONS)
    return next((plain.index(name) for name in preferred if name in plain), None)


class _ClickPoint(NamedTuple):
    """A point on the screen, and the window that a click there must reach."""

    window_id: int
    x: int
    y: int


class ElementActions:
    def __init__(
        self, bus: AccessibilityBus, compositor: Compositor, read_element: ReadElement, find_top_windows: FindTopWindows
    ) -> None:
        self._bus = bus
        self._compositor = compositor
        self._windows = compositor.windows
        self._read_element = read_element
        self._find_top_windows = find_top_windows
        self._pointer = compositor.pointer

    async def require_top_window(self, window: Window) -> TopWindow:
        """Returns the window on the screen that keys must go to."""
        return await self._top_window(window, "key", "Choose an X11 session.")

    async def bring_to_front(self, window: Window) -> bool:
        """Uses the window manager, or the app if the window manager doesn't know the window."""
        try:
            top = await self._find_top_window(window)
        except PermissionMissing:
            top = None
        if top is not None:
            return await self._windows.activate(top.id)
        accessible = await Accessible.of(self._bus, window.handle)
        await accessible.grab_focus()
        return "active" in await accessible.states()

    async def focus(self, window: Window, element: Element) -> bool:
        # Qt accepts the focus, but gets no keys unless its window is in front.
        await self.bring_to_front(window)
        accessible = await Accessible.of(self._bus, element.handle)
        if "focused" in await accessible.require_states():
            return True
        if await accessible.grab_focus() and await self._wait_for_focus(accessible):
            return True
        if "editable" not in element.states:
            return "focused" in await accessible.states()
        caret = await accessible.caret()
        try:
            await self._click(window, element)
        except (Conflict, PermissionMissing):
            return False
        has_focus = await self._wait_for_focus(accessible)
        if caret is not None:
            await accessible.put_caret(caret)  # the click was meant for the field, not for a position in its text
        return has_focus

    async def press(self, window: Window, element: Element) -> Delivery:
        accessible = await Accessible.of(self._bus, element.handle)
        if not _ENABLED & await accessible.require_states():
            raise Conflict("The element is disabled.", hint="Something else must be done first.")
        names = await accessible.action_names()
        index = press_action(element, names)
        if index is not None and await accessible.do_action(index):
            return Delivery(f"action:{names[index]}")
        await self._click(window, element)
        return Delivery("pointer")

    async def point(self, window: Window, place: Element | Place, gesture: Gesture) -> Delivery:
        by = f"pointer:{gesture.kind}"
        if isinstance(place, Element):
            await self._click(window, place, gesture)
            return Delivery(by)
        top = await self._top_window(window, "pointer", "Choose an X11 session.")
        x, y = place
        await self._perform(gesture, x, y, lambda: self._windows.reaches(top.id, x, y))
        return Delivery(by)

    async def _wait_for_focus(self, accessible: Accessible) -> bool:
        deadline = time.monotonic() + _FOCUS_SECONDS
        while "focused" not in await accessible.states():
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_POLL_SECONDS)
        return True

    async def _top_window(self, window: Window, input_name: str, hint: str) -> TopWindow:
        if (top := await self._find_top_window(window)) is not None:
            return top
        await (await Accessible.of(self._bus, window.handle)).require_states()
        raise PermissionMissing(
            f"The window doesn't belong to an X11 program, so no {input_name} can reach it.", hint=hint
        )

    async def _find_top_window(self, window: Window) -> TopWindow | None:
        """Returns its window on the screen, if there is one. Conflict if several look like it."""
        candidates = await self._find_top_windows(window)
        return (
            await self._identify_by_focus(window, candidates) if len(candidates) > 1 else next(iter(candidates), None)
        )

    async def _identify_by_focus(self, window: Window, candidates: Sequence[TopWindow]) -> TopWindow:
        """Finds the one that makes the window active when it comes to the front, and inactive when another does."""
        accessible = await Accessible.of(self._bus, window.handle)
        for top in candidates:
            other = next(each for each in candidates if each is not top)
            if (
                await self._windows.activate(other.id)
                and await self._becomes_active(accessible, is_active=False)
                and await self._windows.activate(top.id)
                and await self._becomes_active(accessible, is_active=True)
            ):
                return top
        raise Conflict(
            f"{len(candidates)} windows of this program look like {window.title!r}: nothing was sent.",
            hint="Close the others, or ask the person to do this step.",
        )

    async def _becomes_active(self, accessible: Accessible, *, is_active: bool) -> bool:
        deadline = time.monotonic() + _FOCUS_SECONDS
        while ("active" in await accessible.require_states()) != is_active:
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_POLL_SECONDS)
        return True

    async def _click(self, window: Window, element: Element, gesture: Gesture = _CLICK) -> None:
        hint = "Elements that offer an action work; for everything else use an X11 session."
        top = await self._top_window(window, "click", hint)
        await self._windows.activate(top.id)
        accessible = await Accessible.of(self._bus, element.handle)
        click_point = await self._click_point(top, accessible, element)
        reaches = partial(self._windows.is_on_top, click_point.window_id, click_point.x, click_point.y)
        await self._perform(gesture, click_point.x, click_point.y, reaches)

    async def _perform(self, gesture: Gesture, x: int, y: int, reaches: Callable[[], bool]) -> None:
        """The pointer can't go to a place that no monitor shows: it would stay at the nearest edge and click there."""
        for place in ((x, y), gesture.to):
            if place is not None and self._largest_shown_part(Rect(*place, 1, 1)) is None:
                raise Conflict("No monitor shows this point.", hint="Move the window onto a monitor first.")
        await self._pointer.wait_out_double_click(x, y)
        await self._pointer.perform(gesture, x, y, reaches=reaches)

    async def _click_point(self, top: TopWindow, accessible: Accessible, element: Element) -> _ClickPoint:
        """Returns the middle of the element's visible part."""
        ancestors = await self._ancestors(accessible)
        if self._windows.frames_are_relative and any(one.title.startswith(_POPOVER) for one in ancestors):
            raise _unknown_position()  # GTK 4 reports its place as if the list had not been moved below its button
        frame = await self._visible_frame(top, element.handle, ancestors)
        if frame is None and await accessible.scroll_into_view():
            frame = await self._visible_frame_after_scrolling(top, element.handle, ancestors)
        if frame is None:
            raise Conflict("No part of the element is visible.", hint="Scroll to it, or make the window larger.")
        x, y = frame.center
        if (popup_offset := self._popup_of(top, ancestors)) is not None:
            popup, (right, down) = popup_offset
            return _ClickPoint(popup, x + right, y + down)
        return _ClickPoint(top.id, x, y)

    async def _ancestors(self, accessible: Accessible) -> list[Element]:
        """Returns the ancestors, the nearest first."""
        ancestors: list[Element] = []
        while len(ancestors) < _MAX_ANCESTORS and (ref := await accessible.parent()) is not None:
            if (element := await self._read_element(self._bus.handle(ref))) is None or element.role == "AXApplication":
                break
            ancestors.append(element)
            accessible = Accessible(self._bus, ref)
        return ancestors

    async def _visible_frame_after_scrolling(
        self, top: TopWindow, handle: str, ancestors: list[Element]
    ) -> Rect | None:
        """Waits until the element stays in place, because some apps scroll gradually."""
        deadline = time.monotonic() + _SCROLL_SECONDS
        previous, current = None, await self._visible_frame(top, handle, ancestors)
        while (current is None or current != previous) and time.monotonic() < deadline:
            await asyncio.sleep(_SCROLL_POLL_SECONDS)
            previous, current = current, await self._visible_frame(top, handle, ancestors)
        return current

    async def _visible_frame(self, top: TopWindow, handle: str, ancestors: list[Element]) -> Rect | None:
        element = await self._read_element(handle)
        if element is None:
            raise Gone("The element is gone.")
        if element.frame is None and self._windows.frames_are_relative:
            raise _unknown_position()
        visible = element.frame
        for ancestor in ancestors:
            if visible is not None and ancestor.native_role in _CLIPPING_ROLES and ancestor.frame is not None:
                visible = visible.intersection(ancestor.frame)
        window = self._windows.frame(top.id)
        # a drop-down list lies outside of its window; `_click` checks what is above that point
        in_window = (window is not None and visible is not None and visible.intersection(window)) or visible
        return None if in_window is None else self._largest_shown_part(in_window)

    def _largest_shown_part(self, area: Rect) -> Rect | None:
        parts = [part for monitor in self._compositor.monitors() if (part := area.intersection(monitor))]
        return max(parts, key=lambda part: part.width * part.height, default=None)

    def _popup_of(self, top: TopWindow, ancestors: list[Element]) -> tuple[int, tuple[int, int]] | None:
        """Returns the menu or list with the element, and the offset between its real and its reported place."""
        for popup, area in self._windows.popups(top.id):
            for ancestor in ancestors:
                frame = ancestor.frame
                if frame and _is_same_size(area, frame) and area.intersection(frame):
                    (x, y), (app_x, app_y) = area.center, frame.center
                    return popup, (x - app_x, y - app_y)
        return None


def _unknown_position() -> PermissionMissing:
    return PermissionMissing(
        "The position of this element on the screen is unknown, so it can't be pointed at.",
        hint="Elements that offer an action work, and so do keys.",
    )


def _is_same_size(popup: Rect, content: Rect) -> bool:
    return abs(popup.width - content.width) <= _POPUP_BORDER and abs(popup.height - content.height) <= _POPUP_BORDER
