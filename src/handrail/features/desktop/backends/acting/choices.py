"""Gives an element a value: a number, a tick, a text, or one of its own choices."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from handrail.features.desktop.backends.acting.accessible import Accessible
from handrail.features.desktop.backends.acting.element_actions import ElementActions
from handrail.features.desktop.backends.acting.keyboard_input import KeyboardInput
from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.platform import Combination, Delivery, Element, Node, Tree, Window
from handrail.ports.errors import Conflict, InvalidParams, NotFound, PermissionMissing

_DEPTH, _NODES = 10, 2_000
_WAIT_SECONDS = 1.5
_OPENING_SECONDS = 5.0
_LOOK_EVERY = 0.03
_CHECKABLE = frozenset({"AXCheckBox", "AXRadioButton", "AXSwitch", "AXMenuItem"})


class Below(Protocol):
    async def __call__(self, handle: str, *, max_depth: int, max_nodes: int) -> Tree: ...


class Choices:
    def __init__(self, bus: AccessibilityBus, below: Below, actions: ElementActions, keyboard: KeyboardInput) -> None:
        self._bus = bus
        self._below = below
        self._actions = actions
        self._keyboard = keyboard

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        accessible = await Accessible.of(self._bus, element.handle)
        states = await accessible.living_states()
        if isinstance(value, bool):
            return await self._tick(window, element, accessible, is_wanted=value)
        if not isinstance(value, str):
            return await self._set_number(accessible, float(value))
        if "editable" in states:
            return await self._keyboard.type_text(window, element, value, clear_before=True)
        return await self._choose(window, element, accessible, value)

    async def _tick(self, window: Window, element: Element, accessible: Accessible, *, is_wanted: bool) -> Delivery:
        if element.role not in _CHECKABLE and "checkable" not in element.states:
            raise InvalidParams("This element can't be ticked.", field="value")
        if _is_ticked(await accessible.states()) is is_wanted:
            return Delivery("none", True)
        pressed = await self._actions.press(window, element)
        deadline = time.monotonic() + _WAIT_SECONDS
        while _is_ticked(await accessible.states()) is not is_wanted:
            if time.monotonic() > deadline:
                return Delivery(pressed.by, False)
            await asyncio.sleep(_LOOK_EVERY)
        return Delivery(pressed.by, True)

    async def _set_number(self, accessible: Accessible, number: float) -> Delivery:
        if calls.VALUE not in await accessible.interfaces():
            raise InvalidParams("This element has no number.", field="value")
        if not await accessible.set_number(number):
            raise Conflict("The app did not take the number.")
        deadline = time.monotonic() + _WAIT_SECONDS
        while (found := await accessible.number()) != number:
            if time.monotonic() > deadline:
                # Sliders round to their steps and stop at their ends.
                return Delivery("value", None if found is None else False)
            await asyncio.sleep(_LOOK_EVERY)
        return Delivery("value", True)

    async def _choose(self, window: Window, element: Element, accessible: Accessible, title: str) -> Delivery:
        """By the selection of what contains the choice, or else as a person does: in the list, opened if it must be."""
        option = _named(await self._options(element), title)
        if option is not None:
            for handle in (element.handle, option.holder):
                one = await Accessible.of(self._bus, handle)
                if calls.SELECTION in await one.interfaces() and await one.select_child(option.place):
                    return Delivery("selection", await self._shows(accessible, option.element, title))
        if option is None or not option.is_shown:
            option = await self._opened(window, element, title)
        try:
            pressed = await self._actions.press(window, option.element)
        except PermissionMissing:  # nobody tells where the list is on the screen
            pressed = await self._reach_with_keys(window, element, option.row)
        return Delivery(pressed.by, await self._shows(accessible, option.row, title))

    async def _opened(self, window: Window, element: Element, title: str) -> "_Option":
        await self._actions.press(window, element)
        deadline = time.monotonic() + _OPENING_SECONDS
        while (option := _named(options := await self._options(element), title)) is None or not option.is_shown:
            if time.monotonic() > deadline:
                names = ", ".join(dict.fromkeys(repr(one.element.title) for one in options))
                raise NotFound(f"There is no choice {title!r}.", hint=names[:500] or None)
            await asyncio.sleep(_LOOK_EVERY)
        return option

    async def _reach_with_keys(self, window: Window, element: Element, row: Element) -> Delivery:
        """With the arrow keys, from the row that has the focus."""
        rows = list({one.row.handle: one.row for one in await self._options(element) if one.is_shown}.values())
        at = next((place for place, one in enumerate(rows) if "focused" in one.states), None)
        wanted = next((place for place, one in enumerate(rows) if one.handle == row.handle), None)
        if at is None or wanted is None:
            raise Conflict("The choice can be reached neither by the pointer nor by keys.")
        arrow = Combination((), "down" if wanted > at else "up")
        await self._keyboard.send_keys(window, [arrow] * abs(wanted - at), delay_ms=0)
        reached, deadline = await Accessible.of(self._bus, row.handle), time.monotonic() + _WAIT_SECONDS
        while "focused" not in await reached.states():
            if time.monotonic() > deadline:
                raise Conflict("The choice can't be reached with the arrow keys.")
            await asyncio.sleep(_LOOK_EVERY)
        await self._keyboard.send_keys(window, [Combination((), "return")], delay_ms=0)
        return Delivery("keys")

    async def _options(self, element: Element) -> list["_Option"]:
        """The named elements below it, without the button on which a drop-down list shows what is chosen."""
        tree = await self._below(element.handle, max_depth=_DEPTH, max_nodes=_NODES)
        left_out = "AXButton" if element.role == "AXComboBox" else None
        return [one for one in _all_options(tree.root, left_out) if one.element.title]

    async def _shows(self, accessible: Accessible, option: Element, title: str) -> bool | None:
        """Whether the choice is selected, or what offers it shows its title; None if neither can be told."""
        deadline = time.monotonic() + _WAIT_SECONDS
        chosen = await Accessible.of(self._bus, option.handle)
        while time.monotonic() < deadline:
            if "selected" in await chosen.states() or await accessible.name() == title:
                return True
            await asyncio.sleep(_LOOK_EVERY)
        return None


class _Option(NamedTuple):
    holder: str
    element: Element
    place: int
    is_shown: bool
    """Also all that it lies in: rows of a closed list say that they are."""
    row: Element
    """What has the focus when the arrow keys come to it."""


def _all_options(
    node: Node, left_out: str | None, *, is_shown: bool = True, row: Element | None = None
) -> Iterator[_Option]:
    for at, child in enumerate(node.children):
        if child.element.role == left_out:
            continue
        shown = is_shown and child.element.frame is not None and "showing" in child.element.states
        own = child.element if child.element.role == "AXRow" or row is None else row
        place = at if child.index is None else child.index
        yield _Option(node.element.handle, child.element, place, shown, own)
        yield from _all_options(child, left_out, is_shown=shown, row=own if own.role == "AXRow" else None)


def _named(options: Sequence[_Option], title: str) -> _Option | None:
    wanted = title.strip().casefold()
    return next((one for one in options if one.element.title.strip().casefold() == wanted), None)


def _is_ticked(states: frozenset[str]) -> bool:
    return not states.isdisjoint({"checked", "pressed"})
