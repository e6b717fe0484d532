"""Gives an element a value: a number, a tick, a text, or one of its own choices."""

import asyncio
import time
from collections.abc import Iterator
from typing import Protocol

from handrail.features.desktop.backends.acting.accessible import Accessible
from handrail.features.desktop.backends.acting.element_actions import ElementActions
from handrail.features.desktop.backends.acting.keyboard_input import KeyboardInput
from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.platform import Delivery, Element, Node, Tree, Window
from handrail.ports.errors import Conflict, InvalidParams, NotFound

_DEPTH, _NODES = 6, 2_000
_WAIT_SECONDS = 1.5
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
        """By the selection of what contains the choice, or else by the choice's own action, opened if it must be."""
        options = await self._options(element.handle)
        is_opened = False
        if not (found := [option for option in options if _is_named(option[1], title)]):
            await self._actions.press(window, element)
            is_opened = True
            deadline = time.monotonic() + _WAIT_SECONDS
            while not found:
                if time.monotonic() > deadline:
                    names = ", ".join(dict.fromkeys(repr(node.element.title) for _, node, _ in options))
                    raise NotFound(f"There is no choice {title!r}.", hint=names[:500] or None)
                await asyncio.sleep(_LOOK_EVERY)
                options = await self._options(element.handle)
                found = [option for option in options if _is_named(option[1], title)]
        holder, node, index = found[0]
        if not is_opened:
            for handle in (element.handle, holder):
                one = await Accessible.of(self._bus, handle)
                if calls.SELECTION in await one.interfaces() and await one.select_child(index):
                    return Delivery("selection", await self._shows(accessible, node.element, title))
        pressed = await self._actions.press(window, node.element)
        return Delivery(pressed.by, await self._shows(accessible, node.element, title))

    async def _options(self, handle: str) -> list[tuple[str, Node, int]]:
        """What holds each named element below, the element, and its place there."""
        tree = await self._below(handle, max_depth=_DEPTH, max_nodes=_NODES)
        return [one for one in _pairs(tree.root) if one[1].element.title]

    async def _shows(self, accessible: Accessible, option: Element, title: str) -> bool | None:
        """Whether the choice is selected, or what offers it shows its title; None if neither can be told."""
        deadline = time.monotonic() + _WAIT_SECONDS
        chosen = await Accessible.of(self._bus, option.handle)
        while time.monotonic() < deadline:
            if "selected" in await chosen.states() or await accessible.name() == title:
                return True
            await asyncio.sleep(_LOOK_EVERY)
        return None


def _pairs(node: Node) -> Iterator[tuple[str, Node, int]]:
    for place, child in enumerate(node.children):
        yield node.element.handle, child, place if child.index is None else child.index
        yield from _pairs(child)


def _is_named(node: Node, title: str) -> bool:
    return node.element.title.strip().casefold() == title.strip().casefold()


def _is_ticked(states: frozenset[str]) -> bool:
    return not states.isdisjoint({"checked", "pressed"})
