"""One accessible object that is acted on: its actions, focus and text."""

import contextlib
from typing import Any

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import PATIENCE, AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.ports.errors import Gone, Timeout

EDITABLE_TEXT = "org.a11y.atspi.EditableText"
_ANYWHERE = 6
_ACTION_PATIENCE = 1.5
_ALIVE_PATIENCE = 1.0
_SELECTION_PATIENCE = 0.5


class Accessible:
    """What the object refuses counts as missing. Calls that change something are sent only once."""

    def __init__(self, bus: AccessibilityBus, ref: Ref) -> None:
        self._bus = bus
        self._ref = ref

    @classmethod
    async def of(cls, bus: AccessibilityBus, handle: str) -> "Accessible":
        if (ref := await bus.ref(handle)) is None:
            raise Gone("The element is gone: the accessibility bus was restarted.")
        return cls(bus, ref)

    async def action_names(self) -> list[str]:
        """In English: the list is translated, and has no names in some apps."""
        listed = await self._answer(calls.ACTIONS) or ()
        questions = [(self._ref.path, Call(calls.ACTION, "GetName", "i", index)) for index in range(len(listed))]
        answers = await self._bus.ask_all(self._ref.name, questions)
        return [
            str(name) if isinstance(answer, Refused) or not answer[0] else str(answer[0])
            for (name, *_), answer in zip(listed, answers, strict=True)
        ]

    async def do_action(self, index: int) -> bool:
        """Whether the app accepted it. If it opens a dialog, it may answer only after that is closed."""
        call = Call(calls.ACTION, "DoAction", "i", index)
        try:
            answer = await self._bus.tell(self._ref, call, _ACTION_PATIENCE)
        except Timeout:
            await self._bus.ask(self._ref, calls.ROLE, _ALIVE_PATIENCE)
            return True
        return not isinstance(answer, Refused) and bool(answer[0])

    async def grab_focus(self) -> bool:
        return bool(await self._tell(Call(calls.COMPONENT, "GrabFocus")))

    async def scroll_into_view(self) -> bool:
        return bool(await self._tell(Call(calls.COMPONENT, "ScrollTo", "u", _ANYWHERE)))

    async def states(self) -> frozenset[str]:
        found = await self._answer(calls.STATE)
        return roles.state_names(found) if found else frozenset()

    async def living_states(self) -> frozenset[str]:
        """Gone if it has no states: GTK 3 keeps an empty shell of removed widgets."""
        if not (found := await self.states()):
            raise Gone("It is gone.")
        return found

    async def interfaces(self) -> frozenset[str]:
        return frozenset(await self._answer(calls.INTERFACES) or ())

    async def parent(self) -> Ref | None:
        found = await self._answer(calls.PARENT)
        ref = Ref(*found.value) if found else None
        return ref if ref is not None and ref.name and ref.path != calls.NULL_PATH else None

    async def length(self) -> int | None:
        """The number of characters, or None if it has no text."""
        found = await self._answer(calls.LENGTH)
        return int(found.value) if found is not None else None

    async def text(self) -> tuple[str, int, int] | None:
        """The text, and where its selection or caret begins and ends."""
        if (length := await self.length()) is None:
            return None
        # Not every toolkit understands -1 as the end.
        text = await self._answer(calls.text(0, length)) if length else ""
        if text is None:
            return None
        if (selected := await self.selection()) is not None and selected[0] < selected[1]:
            return str(text), *selected
        caret = await self.caret()
        at = min(max(caret, 0), len(text)) if caret is not None else len(text)
        return str(text), at, at

    async def caret(self) -> int | None:
        found = await self._answer(calls.CARET)
        return int(found.value) if found is not None else None

    async def put_caret(self, offset: int) -> None:
        with contextlib.suppress(Timeout):
            await self._tell(Call(calls.TEXT, "SetCaretOffset", "i", offset), _SELECTION_PATIENCE)

    async def selection(self) -> tuple[int, int] | None:
        if not await self._answer(Call(calls.TEXT, "GetNSelections")):
            return None
        answer = await self._bus.ask(self._ref, Call(calls.TEXT, "GetSelection", "i", 0))
        if isinstance(answer, Refused):
            return None
        start, end = sorted((int(answer[0]), int(answer[1])))
        return start, end

    async def select(self, start: int, end: int) -> bool:
        """Whether exactly that is selected afterwards."""
        changed = Call(calls.TEXT, "SetSelection", "iii", 0, start, end)
        # GTK 4 does not answer if it can't.
        with contextlib.suppress(Timeout):
            if await self.selection() is None or not await self._tell(changed, _SELECTION_PATIENCE):
                await self._tell(Call(calls.TEXT, "AddSelection", "ii", start, end), _SELECTION_PATIENCE)
        return await self.selection() == (start, end)

    async def name(self) -> str:
        found = await self._answer(calls.NAME)
        return "" if found is None else str(found.value)

    async def number(self) -> float | None:
        found = await self._answer(calls.CURRENT_VALUE)
        return float(found.value) if found is not None else None

    async def set_number(self, number: float) -> bool:
        """Whether the app accepted it."""
        return not isinstance(await self._bus.tell(self._ref, calls.set_value(number), PATIENCE), Refused)

    async def select_child(self, index: int) -> bool:
        return bool(await self._tell(Call(calls.SELECTION, "SelectChild", "i", index)))

    async def set_contents(self, text: str) -> bool:
        return bool(await self._tell(Call(EDITABLE_TEXT, "SetTextContents", "s", text)))

    async def _answer(self, call: Call) -> Any:
        answer = await self._bus.ask(self._ref, call)
        return None if isinstance(answer, Refused) or not answer else answer[0]

    async def _tell(self, call: Call, patience: float = PATIENCE) -> Any:
        answer = await self._bus.tell(self._ref, call, patience)
        return None if isinstance(answer, Refused) or not answer else answer[0]
