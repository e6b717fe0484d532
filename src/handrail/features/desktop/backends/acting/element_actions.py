"""Brings windows to the front, focuses elements, and presses them by their own action or by a click."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

from handrail.features.desktop.backends.acting.accessible import Accessible
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.compositor import Compositor, TopWindow
from handrail.features.desktop.platform import Delivery, Element, Gesture, Place, Rect, Window
from handrail.ports.errors import Conflict, Gone, PermissionMissing

Look = Callable[[str], Awaitable[Element | None]]
OnScreen = Callable[[Window], Awaitable[Sequence[TopWindow]]]
"""The windows on the screen that an accessible window can be."""
_PRESSES = ("click", "press", "clicked", "push")
_CHOICES = ("select", "jump", "dodefault", "invoke")
_SWITCHES = ("toggle", "check", "uncheck", "clickancestor", "activate", "open")
"""Not for rows, where these deselect or open them, and not for fields, where they mean the Enter key."""
_WEAK = ("expandorcontract", "expand", "collapse", "showmenu", "switch")
_FIELDS = frozenset({"AXTextField", "AXTextArea", "AXSecureTextField", "AXDateField"})
_ROWS = frozenset({"AXRow", "AXCell"})
_ENABLED = frozenset({"enabled", "sensitive"})
_CLIPPING = frozenset({"scroll pane", "viewport", "list", "list box", "table", "tree", "tree table", "document web"})
_MOST_ANCESTORS = 40
_POPUP_BORDER = 16
_POPOVER = "GtkPopover"
_FOCUS_SECONDS = 0.5
_LOOK_EVERY = 0.01
_SCROLL_SECONDS = 1.0
_LOOK_EVERY_WHILE_SCROLLING = 0.03
_CLICK = Gesture()


def press_action(element: Element, names: Sequence[str]) -> int | None:
    """The index of the action that presses the element, if there is one."""
    plain = [name.lower().replace(" ", "").replace("_", "").replace("-", "") for name in names]
    wanted: tuple[str, ...] = (*_PRESSES, *_CHOICES, *_SWITCHES, *_WEAK)
    if element.role in _FIELDS or "editable" in element.states:
        wanted = _PRESSES
    elif element.role in _ROWS:
        wanted = (*_PRESSES, *_CHOICES)
    return next((plain.index(name) for name in wanted if name in plain), None)


class _Spot(NamedTuple):
    """A point of the screen, and the window that a click there must reach."""

    window_id: int
    x: int
    y: int


class ElementActions:
    def __init__(self, bus: AccessibilityBus, compositor: Compositor, look: Look, on_screen: OnScreen) -> None:
        self._bus = bus
        self._compositor = compositor
        self._windows = compositor.windows
        self._look = look
        self._on_screen = on_screen
        self._pointer = compositor.pointer

    async def key_window(self, window: Window) -> TopWindow:
        """The window on the screen that keys must go to."""
        return await self._top_window(window, "key", "Choose an X11 session.")

    async def bring_to_front(self, window: Window) -> bool:
        """Through the window manager, or through the app if that doesn't know the window."""
        try:
            top = await self._clearly(window)
        except PermissionMissing:
            top = None
        if top is not None:
            return await self._windows.activate(top.id)
        accessible = await Accessible.of(self._bus, window.handle)
        await accessible.grab_focus()
        return "active" in await accessible.states()

    async def focus(self, window: Window, element: Element) -> bool:
        # Qt accepts the focus, but takes no keys unless its window is in front.
        await self.bring_to_front(window)
        accessible = await Accessible.of(self._bus, element.handle)
        if "focused" in await accessible.living_states():
            return True
        if await accessible.grab_focus() and await self._gets_focus(accessible):
            return True
        if "editable" not in element.states:
            return "focused" in await accessible.states()
        caret = await accessible.caret()
        try:
            await self._click(window, element)
        except (Conflict, PermissionMissing):
            return False
        has_focus = await self._gets_focus(accessible)
        if caret is not None:
            await accessible.put_caret(caret)  # The click was meant for the field, not for a place in its text.
        return has_focus

    async def press(self, window: Window, element: Element) -> Delivery:
        accessible = await Accessible.of(self._bus, element.handle)
        if not _ENABLED & await accessible.living_states():
            raise Conflict("The element is switched off.", hint="Something else must be done first.")
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
        await self._pointer.until_single(x, y)
        await self._pointer.do(gesture, x, y, reaches=lambda: self._windows.reaches(top.id, x, y))
        return Delivery(by)

    async def _gets_focus(self, accessible: Accessible) -> bool:
        deadline = time.monotonic() + _FOCUS_SECONDS
        while "focused" not in await accessible.states():
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_LOOK_EVERY)
        return True

    async def _top_window(self, window: Window, input_name: str, hint: str) -> TopWindow:
        if (top := await self._clearly(window)) is not None:
            return top
        await (await Accessible.of(self._bus, window.handle)).living_states()
        raise PermissionMissing(f"The window belongs to no X11 program, so no {input_name} can reach it.", hint=hint)

    async def _clearly(self, window: Window) -> TopWindow | None:
        """Its window on the screen, if it has one. Conflict where several could be it and none shows that it is."""
        possible = await self._on_screen(window)
        return await self._shown_by_focus(window, possible) if len(possible) > 1 else next(iter(possible), None)

    async def _shown_by_focus(self, window: Window, possible: Sequence[TopWindow]) -> TopWindow:
        """The one that makes the window active when it comes to the front, and inactive when another does."""
        accessible = await Accessible.of(self._bus, window.handle)
        for top in possible:
            other = next(each for each in possible if each is not top)
            if (
                await self._windows.activate(other.id)
                and await self._comes_to_be(accessible, is_active=False)
                and await self._windows.activate(top.id)
                and await self._comes_to_be(accessible, is_active=True)
            ):
                return top
        raise Conflict(
            f"{len(possible)} windows of this program look like {window.title!r}: nothing was sent.",
            hint="Close the others, or let a person do this step.",
        )

    async def _comes_to_be(self, accessible: Accessible, *, is_active: bool) -> bool:
        deadline = time.monotonic() + _FOCUS_SECONDS
        while ("active" in await accessible.living_states()) != is_active:
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_LOOK_EVERY)
        return True

    async def _click(self, window: Window, element: Element, gesture: Gesture = _CLICK) -> None:
        hint = "Elements that offer an action work; for everything else use an X11 session."
        top = await self._top_window(window, "click", hint)
        await self._windows.activate(top.id)
        accessible = await Accessible.of(self._bus, element.handle)
        spot = await self._spot(top, accessible, element)
        await self._pointer.until_single(spot.x, spot.y)
        await self._point_at(gesture, spot)

    async def _point_at(self, gesture: Gesture, spot: _Spot) -> None:
        reaches = partial(self._windows.is_on_top, spot.window_id, spot.x, spot.y)
        await self._pointer.do(gesture, spot.x, spot.y, reaches=reaches)

    async def _spot(self, top: TopWindow, accessible: Accessible, element: Element) -> _Spot:
        """The middle of what can be seen of it."""
        ancestors = await self._ancestors(accessible)
        if self._windows.counts_from_window and any(one.title.startswith(_POPOVER) for one in ancestors):
            raise _unknown_place()  # GTK 4 tells it as if the list were not moved to below its button
        seen = await self._visible(top, element.handle, ancestors)
        if seen is None and await accessible.scroll_into_view():
            seen = await self._visible_after_scrolling(top, element.handle, ancestors)
        if seen is None:
            raise Conflict("Nothing of the element is visible.", hint="Scroll to it, or make the window larger.")
        x, y = seen.center
        if (shown := self._popup_of(top, ancestors)) is not None:
            popup, (right, down) = shown
            return _Spot(popup, x + right, y + down)
        return _Spot(top.id, x, y)

    async def _ancestors(self, accessible: Accessible) -> list[Element]:
        """The nearest first."""
        found: list[Element] = []
        while len(found) < _MOST_ANCESTORS and (ref := await accessible.parent()) is not None:
            if (element := await self._look(self._bus.handle(ref))) is None or element.role == "AXApplication":
                break
            found.append(element)
            accessible = Accessible(self._bus, ref)
        return found

    async def _visible_after_scrolling(self, top: TopWindow, handle: str, ancestors: list[Element]) -> Rect | None:
        """Some apps scroll gradually: waits until the element stays in place."""
        deadline = time.monotonic() + _SCROLL_SECONDS
        before, seen = None, await self._visible(top, handle, ancestors)
        while (seen is None or seen != before) and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK_EVERY_WHILE_SCROLLING)
            before, seen = seen, await self._visible(top, handle, ancestors)
        return seen

    async def _visible(self, top: TopWindow, handle: str, ancestors: list[Element]) -> Rect | None:
        element = await self._look(handle)
        if element is None:
            raise Gone("The element is gone.")
        if element.frame is None and self._windows.counts_from_window:
            raise _unknown_place()
        seen = element.frame.meets(self._compositor.area()) if element.frame is not None else None
        for ancestor in ancestors:
            if seen is not None and ancestor.native_role in _CLIPPING and ancestor.frame is not None:
                seen = seen.meets(ancestor.frame)
        window = self._windows.frame(top.id)
        # A drop-down list lies outside of its window; `_click` checks what is above that point.
        return (window is not None and seen is not None and seen.meets(window)) or seen

    def _popup_of(self, top: TopWindow, ancestors: list[Element]) -> tuple[int, tuple[int, int]] | None:
        """The menu or list that contains the element, and how far off its app places it."""
        for popup, area in self._windows.popups(top.id):
            for ancestor in ancestors:
                frame = ancestor.frame
                if frame and _is_same_size(area, frame) and area.meets(frame):
                    (x, y), (app_x, app_y) = area.center, frame.center
                    return popup, (x - app_x, y - app_y)
        return None


def _unknown_place() -> PermissionMissing:
    return PermissionMissing(
        "The position of this element on the screen is unknown, so it can't be pointed at.",
        hint="Elements that offer an action work, and so do keys.",
    )


def _is_same_size(popup: Rect, content: Rect) -> bool:
    return abs(popup.width - content.width) <= _POPUP_BORDER and abs(popup.height - content.height) <= _POPUP_BORDER
