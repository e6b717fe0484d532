"""Presses keys on a virtual keyboard, whose keymap has whatever is to be typed."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence

from handrail.features.desktop.backends.compositor import Check
from handrail.features.desktop.backends.keysyms import character, keysyms
from handrail.features.desktop.backends.wayland import keymap
from handrail.features.desktop.backends.wayland.connection import Proxy
from handrail.features.desktop.backends.wayland.session import Session, Wayland
from handrail.features.desktop.desktop_port import KeyCombination
from handrail.ports.errors import PermissionMissing, Unsupported

_XKB_V1 = 1


class VirtualKeyboard:
    def __init__(self, wayland: Wayland) -> None:
        self._wayland = wayland
        self._told: tuple[Session, tuple[int, ...]] | None = None
        """The keymap that the compositor has of us."""

    async def send(self, combinations: Sequence[KeyCombination], *, before_each: Check, delay_ms: int = 0) -> None:
        wanted = [keysyms(combination) for combination in combinations]
        spare = keymap.lacking(keysym for one in wanted for keysym in one)
        if len(spare) > keymap.MOST_SPARE:
            raise Unsupported("These are more unusual keys than fit on one keyboard.")
        for index, one in enumerate(wanted):
            if index:
                await asyncio.sleep(delay_ms / 1000)
            await before_each()
            self._strike(one, spare)

    async def write(
        self, text: str, *, before_each: Check, arrived: Callable[[], Awaitable[bool | None]]
    ) -> bool | None:
        for part in _parts(text):
            typed = [character(sign) for sign in part]
            spare = keymap.lacking(typed)
            for keysym in typed:
                await before_each()
                self._strike([keysym], spare)
                await asyncio.sleep(0)
        return await arrived()

    def _strike(self, keysyms: Sequence[int], spare: Sequence[int]) -> None:
        """Without an await between, so that nothing stays pressed."""
        device, known = self._device(spare), keymap.strokes(spare)
        strokes = [known[keysym] for keysym in keysyms if keysym not in keymap.MODIFIERS]
        held = [keymap.MODIFIERS[keysym] for keysym in keysyms if keysym in keymap.MODIFIERS]
        if any(stroke.is_shifted for stroke in strokes) and keymap.SHIFT not in held:
            held.insert(0, keymap.SHIFT)
        mask = sum(bit for _, bit in held)
        for code, _ in held:
            device.send("key", _now(), code, 1)
        device.send("modifiers", mask, 0, 0, 0)
        for is_down in (1, 0):
            for stroke in strokes:
                device.send("key", _now(), stroke.code, is_down)
        for code, _ in reversed(held):
            device.send("key", _now(), code, 0)
        device.send("modifiers", 0, 0, 0, 0)
        self._wayland.session().connection.roundtrip()

    def _device(self, spare: Sequence[int]) -> Proxy:
        session = self._wayland.session()
        if (device := session.keyboard) is None:
            raise PermissionMissing("This Wayland compositor lets no program press keys.")
        if self._told != (session, tuple(spare)):
            content = keymap.written(spare).encode() + b"\0"
            descriptor = os.memfd_create("keymap", os.MFD_CLOEXEC)
            try:
                os.write(descriptor, content)
                device.send("keymap", _XKB_V1, descriptor, len(content))
                session.connection.roundtrip()
            finally:
                os.close(descriptor)
            self._told = (session, tuple(spare))
        return device


def _parts(text: str) -> Iterator[str]:
    """Split so that there are enough spare keys for each part."""
    part, spare = "", set[int]()
    for sign in text:
        new = set(keymap.lacking([character(sign)])) - spare
        if new and len(spare) == keymap.MOST_SPARE:
            yield part
            part, spare = "", set()
        part += sign
        spare |= new
    if part:
        yield part


def _now() -> int:
    return time.monotonic_ns() // 1_000_000 & 0xFFFFFFFF
