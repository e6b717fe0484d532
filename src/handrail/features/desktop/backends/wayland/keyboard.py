"""A virtual keyboard, whose keymap is extended with whatever must be typed."""

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
        self._current_keymap: tuple[Session, tuple[int, ...]] | None = None
        """The session and extra keysyms of the keymap that the compositor has."""

    async def send(self, combinations: Sequence[KeyCombination], *, before_each: Check, delay_ms: int = 0) -> None:
        keysym_lists = [keysyms(combination) for combination in combinations]
        extra_keysyms = keymap.missing_keysyms(
            keysym for combination_keysyms in keysym_lists for keysym in combination_keysyms
        )
        if len(extra_keysyms) > keymap.MAX_EXTRA:
            raise Unsupported("Too many unusual keys for one keyboard.")
        for index, combination_keysyms in enumerate(keysym_lists):
            if index:
                await asyncio.sleep(delay_ms / 1000)
            await before_each()
            self._strike(combination_keysyms, extra_keysyms)

    async def write(
        self, text: str, *, before_each: Check, arrived: Callable[[], Awaitable[bool | None]]
    ) -> bool | None:
        for part in _parts(text):
            text_keysyms = [character(char) for char in part]
            extra_keysyms = keymap.missing_keysyms(text_keysyms)
            for keysym in text_keysyms:
                await before_each()
                self._strike([keysym], extra_keysyms)
                await asyncio.sleep(0)
        return await arrived()

    def _strike(self, keysyms: Sequence[int], extra_keysyms: Sequence[int]) -> None:
        """Presses and releases keys without awaiting in between, so that no key stays pressed."""
        device, stroke_of = self._device(extra_keysyms), keymap.strokes(extra_keysyms)
        strokes = [stroke_of[keysym] for keysym in keysyms if keysym not in keymap.MODIFIERS]
        modifiers = [keymap.MODIFIERS[keysym] for keysym in keysyms if keysym in keymap.MODIFIERS]
        if any(stroke.is_shifted for stroke in strokes) and keymap.SHIFT not in modifiers:
            modifiers.insert(0, keymap.SHIFT)
        mask = sum(bit for _, bit in modifiers)
        for code, _ in modifiers:
            device.send("key", _now(), code, 1)
        device.send("modifiers", mask, 0, 0, 0)
        for is_down in (1, 0):
            for stroke in strokes:
                device.send("key", _now(), stroke.code, is_down)
        for code, _ in reversed(modifiers):
            device.send("key", _now(), code, 0)
        device.send("modifiers", 0, 0, 0, 0)
        self._wayland.session().connection.roundtrip()

    def _device(self, extra_keysyms: Sequence[int]) -> Proxy:
        session = self._wayland.session()
        if (device := session.keyboard) is None:
            raise PermissionMissing("This Wayland compositor doesn't let programs press keys.")
        if self._current_keymap != (session, tuple(extra_keysyms)):
            content = keymap.keymap_text(extra_keysyms).encode() + b"\0"
            descriptor = os.memfd_create("keymap", os.MFD_CLOEXEC)
            try:
                os.write(descriptor, content)
                device.send("keymap", _XKB_V1, descriptor, len(content))
                session.connection.roundtrip()
            finally:
                os.close(descriptor)
            self._current_keymap = (session, tuple(extra_keysyms))
        return device


def _parts(text: str) -> Iterator[str]:
    """Splits a text so that there are enough extra keys for each part."""
    part, extra_keysyms = "", set[int]()
    for char in text:
        new = set(keymap.missing_keysyms([character(char)])) - extra_keysyms
        if new and len(extra_keysyms) == keymap.MAX_EXTRA:
            yield part
            part, extra_keysyms = "", set()
        part += char
        extra_keysyms |= new
    if part:
        yield part


def _now() -> int:
    return time.monotonic_ns() // 1_000_000 & 0xFFFFFFFF
