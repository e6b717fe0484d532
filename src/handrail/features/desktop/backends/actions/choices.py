"""Sets an element's value: a number, a check mark, a text, or one of its options."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from handrail.features.desktop.backends.actions.accessible import Accessible
from handrail.features.desktop.backends.actions.element_actions import ElementActions
from handrail.features.desktop.backends.actions.keyboard_input import KeyboardInput
from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.desktop_port import Delivery, Element, KeyCombination, Node, Tree, Window
from handrail.ports.errors import Conflict, InvalidParams, NotFound, PermissionMissing

_MAX_DEPTH, _MAX_NODES = 10, 2_000
_WAIT_SECONDS = 1.5
_OPENING_SECONDS = 5.0
_POLL_SECONDS = 0.03
_CHECKABLE = frozenset({"AXCheckBox", "AXRadioButton", "AXSwitch", "AXMenuItem"})


class ReadSubtree(Protocol):
    async def __call__(self, handle: str, *, max_depth: int, max_nodes: int) -> Tree: ...


class ValueSetter:
    def __init__(
        self, bus: AccessibilityBus, read_subtree: ReadSubtree, actions: ElementActions, keyboard: KeyboardInput
    ) -> None:
        self._bus = bus
        self._read_subtree = read_subtree
        self._actions = actions
        self._keyboard = keyboard

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        accessible = await Accessible.of(self._bus, element.handle)
        states = await accessible.require_states()
        if isinstance(value, bool):
            return await self._set_checked(window, element, accessible, is_checked=value)
        if not isinstance(value, str):
            return await self._set_number(accessible, float(value))
        if "editable" in states:
            return await self._keyboard.type_text(window, element, value, clear_before=True)
        return await self._choose_option(window, element, accessible, value)

    async def _set_checked(
        self, window: Window, element: Element, accessible: Accessible, *, is_checked: bool
    ) -> Delivery:
        if element.role not in _CHECKABLE and "checkable" not in element.states:
            raise InvalidParams("This element can't be checked.", field="value")
        if _is_checked(await accessible.states()) is is_checked:
            return Delivery("none", True)
        pressed = await self._actions.press(window, element)
        deadline = time.monotonic() + _WAIT_SECONDS
        while _is_checked(await accessible.states()) is not is_checked:
            if time.monotonic() > deadline:
                return Delivery(pressed.by, False)
            await asyncio.sleep(_POLL_SECONDS)
        return Delivery(pressed.by, True)

    async def _set_number(self, accessible: Accessible, number: float) -> Delivery:
        if calls.VALUE not in await accessible.interfaces():
            raise InvalidParams("This element has no number.", field="value")
        if not await accessible.set_number(number):
            raise Conflict("The app did not accept the number.")
        deadline = time.monotonic() + _WAIT_SECONDS
        while (current := await accessible.number()) != number:
            if time.monotonic() > deadline:
                # sliders round to their steps and stop at their ends
                return Delivery("value", None if current is None else False)
            await asyncio.sleep(_POLL_SECONDS)
        return Delivery("value", True)

    async def _choose_option(self, window: Window, element: Element, accessible: Accessible, title: str) -> Delivery:
        """Selects the option through its container, or else as a person would: in the list, opening it if necessary."""
        option = _find_option(await self._options(element), title)
        if option is not None:
            for handle in (element.handle, option.holder):
                accessible_holder = await Accessible.of(self._bus, handle)
                if calls.SELECTION in await accessible_holder.interfaces() and await accessible_holder.select_child(
                    option.place
                ):
                    return Delivery("selection", await self._is_chosen(accessible, option.element, title))
        if option is None or not option.is_shown:
            option = await self._open_until_shown(window, element, title)
        try:
            pressed = await self._actions.press(window, option.element)
        except PermissionMissing:  # the list's place on the screen is unknown
            pressed = await self._reach_with_keys(window, element, option.row)
        return Delivery(pressed.by, await self._is_chosen(accessible, option.row, title))

    async def _open_until_shown(self, window: Window, element: Element, title: str) -> "_Option":
        await self._actions.press(window, element)
        deadline = time.monotonic() + _OPENING_SECONDS
        while (option := _find_option(options := await self._options(element), title)) is None or not option.is_shown:
            if time.monotonic() > deadline:
                names = ", ".join(dict.fromkeys(repr(one.element.title) for one in options))
                raise NotFound(f"Unknown option {title!r}.", hint=names[:500] or None)
            await asyncio.sleep(_POLL_SECONDS)
        return option

    async def _reach_with_keys(self, window: Window, element: Element, row: Element) -> Delivery:
        """Uses the arrow keys, starting at the focused row."""
        rows = list(
            {option.row.handle: option.row for option in await self._options(element) if option.is_shown}.values()
        )
        focused_index = next((place for place, option in enumerate(rows) if "focused" in option.states), None)
        target_index = next((place for place, option in enumerate(rows) if option.handle == row.handle), None)
        if focused_index is None or target_index is None:
            raise Conflict("The choice can be reached neither by the pointer nor by keys.")
        arrow = KeyCombination((), "down" if target_index > focused_index else "up")
        await self._keyboard.send_keys(window, [arrow] * abs(target_index - focused_index), delay_ms=0)
        target, deadline = await Accessible.of(self._bus, row.handle), time.monotonic() + _WAIT_SECONDS
        while "focused" not in await target.states():
            if time.monotonic() > deadline:
                raise Conflict("The choice can't be reached with the arrow keys.")
            await asyncio.sleep(_POLL_SECONDS)
        await self._keyboard.send_keys(window, [KeyCombination((), "return")], delay_ms=0)
        return Delivery("keys")

    async def _options(self, element: Element) -> list["_Option"]:
        """Returns the named elements below it, except the button of a drop-down list that shows the current choice."""
        tree = await self._read_subtree(element.handle, max_depth=_MAX_DEPTH, max_nodes=_MAX_NODES)
        excluded_role = "AXButton" if element.role == "AXComboBox" else None
        return [one for one in _all_options(tree.root, excluded_role) if one.element.title]

    async def _is_chosen(self, accessible: Accessible, option: Element, title: str) -> bool | None:
        """Returns True once the option is selected or its list shows its title; None if neither can be observed."""
        deadline = time.monotonic() + _WAIT_SECONDS
        chosen = await Accessible.of(self._bus, option.handle)
        while time.monotonic() < deadline:
            if "selected" in await chosen.states() or await accessible.name() == title:
                return True
            await asyncio.sleep(_POLL_SECONDS)
        return None


class _Option(NamedTuple):
    holder: str
    element: Element
    place: int
    is_shown: bool
    """It and everything around it is shown: rows of a closed list claim to be shown."""
    row: Element
    """The element that gets the focus when the arrow keys reach the option."""


def _all_options(
    node: Node, excluded_role: str | None, *, is_shown: bool = True, row: Element | None = None
) -> Iterator[_Option]:
    for index, child in enumerate(node.children):
        if child.element.role == excluded_role:
            continue
        is_child_shown = is_shown and child.element.frame is not None and "showing" in child.element.states
        option_row = child.element if child.element.role == "AXRow" or row is None else row
        child_index = index if child.index is None else child.index
        yield _Option(node.element.handle, child.element, child_index, is_child_shown, option_row)
        yield from _all_options(
            child, excluded_role, is_shown=is_child_shown, row=option_row if option_row.role == "AXRow" else None
        )


def _find_option(options: Sequence[_Option], title: str) -> _Option | None:
    normalized = title.strip().casefold()
    return next((one for one in options if one.element.title.strip().casefold() == normalized), None)


def _is_checked(states: frozenset[str]) -> bool:
    return not states.isdisjoint({"checked", "pressed"})
