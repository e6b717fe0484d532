"""An accessible object that is acted on: its actions, focus and text."""

import contextlib
from typing import Any

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import PATIENCE, AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.ports.errors import Gone, Timeout

EDITABLE_TEXT = "org.a11y.atspi.EditableText"
_SCROLL_ANYWHERE = 6
_ACTION_SECONDS = 1.5
_ALIVE_SECONDS = 1.0
_SELECTION_SECONDS = 0.5


class Accessible:
    """Calls that the object refuses return nothing. Calls that change something are sent only once."""

    def __init__(self, bus: AccessibilityBus, ref: Ref) -> None:
        self._bus = bus
        self._ref = ref

    @classmethod
    async def of(cls, bus: AccessibilityBus, handle: str) -> "Accessible":
        if (ref := await bus.ref(handle)) is None:
            raise Gone("The element is gone: the accessibility bus was restarted.")
        return cls(bus, ref)

    async def action_names(self) -> list[str]:
        """Returns English names: the list itself is translated, and has no names in some apps."""
        actions = await self._ask(calls.ACTIONS) or ()
        questions = [(self._ref.path, Call(calls.ACTION, "GetName", "i", index)) for index in range(len(actions))]
        answers = await self._bus.ask_all(self._ref.name, questions)
        return [
            str(name) if isinstance(answer, Refused) or not answer[0] else str(answer[0])
            for (name, *_), answer in zip(actions, answers, strict=True)
        ]

    async def do_action(self, index: int) -> bool:
        """Returns whether the app accepted it. An action that opens a dialog may answer only when that is closed."""
        call = Call(calls.ACTION, "DoAction", "i", index)
        try:
            answer = await self._bus.act_once(self._ref, call, _ACTION_SECONDS)
        except Timeout:
            await self._bus.ask(self._ref, calls.ROLE, _ALIVE_SECONDS)
            return True
        return not isinstance(answer, Refused) and bool(answer[0])

    async def grab_focus(self) -> bool:
        return bool(await self._send_once(Call(calls.COMPONENT, "GrabFocus")))

    async def scroll_into_view(self) -> bool:
        return bool(await self._send_once(Call(calls.COMPONENT, "ScrollTo", "u", _SCROLL_ANYWHERE)))

    async def states(self) -> frozenset[str]:
        answer = await self._ask(calls.STATE)
        return roles.state_names(answer) if answer else frozenset()

    async def require_states(self) -> frozenset[str]:
        """Raises Gone if it has no states: GTK 3 keeps an empty shell of removed widgets."""
        if not (answer := await self.states()):
            raise Gone("It is gone.")
        return answer

    async def interfaces(self) -> frozenset[str]:
        return frozenset(await self._ask(calls.INTERFACES) or ())

    async def parent(self) -> Ref | None:
        answer = await self._ask(calls.PARENT)
        ref = Ref(*answer.value) if answer else None
        return ref if ref is not None and ref.name and ref.path != calls.NULL_PATH else None

    async def length(self) -> int | None:
        """Returns the number of characters, or None if it has no text."""
        answer = await self._ask(calls.LENGTH)
        return int(answer.value) if answer is not None else None

    async def text(self) -> tuple[str, int, int] | None:
        """Returns the text, and where its selection (or caret) starts and ends."""
        if (length := await self.length()) is None:
            return None
        # Not every toolkit understands -1 as the end.
        text = await self._ask(calls.text(0, length)) if length else ""
        if text is None:
            return None
        if (selected := await self.selection()) is not None and selected[0] < selected[1]:
            return str(text), *selected
        caret = await self.caret()
        at = min(max(caret, 0), len(text)) if caret is not None else len(text)
        return str(text), at, at

    async def caret(self) -> int | None:
        answer = await self._ask(calls.CARET)
        return int(answer.value) if answer is not None else None

    async def put_caret(self, offset: int) -> None:
        with contextlib.suppress(Timeout):
            await self._send_once(Call(calls.TEXT, "SetCaretOffset", "i", offset), _SELECTION_SECONDS)

    async def selection(self) -> tuple[int, int] | None:
        if not await self._ask(Call(calls.TEXT, "GetNSelections")):
            return None
        answer = await self._bus.ask(self._ref, Call(calls.TEXT, "GetSelection", "i", 0))
        if isinstance(answer, Refused):
            return None
        start, end = sorted((int(answer[0]), int(answer[1])))
        return start, end

    async def select(self, start: int, end: int) -> bool:
        """Selects a range and returns whether exactly that is selected afterwards."""
        set_selection = Call(calls.TEXT, "SetSelection", "iii", 0, start, end)
        # GTK 4 doesn't answer if it can't select.
        with contextlib.suppress(Timeout):
            if await self.selection() is None or not await self._send_once(set_selection, _SELECTION_SECONDS):
                await self._send_once(Call(calls.TEXT, "AddSelection", "ii", start, end), _SELECTION_SECONDS)
        return await self.selection() == (start, end)

    async def name(self) -> str:
        answer = await self._ask(calls.NAME)
        return "" if answer is None else str(answer.value)

    async def number(self) -> float | None:
        answer = await self._ask(calls.CURRENT_VALUE)
        return float(answer.value) if answer is not None else None

    async def set_number(self, number: float) -> bool:
        """Returns whether the app accepted it."""
        return not isinstance(await self._bus.send_once(self._ref, calls.set_value(number), PATIENCE), Refused)

    async def select_child(self, index: int) -> bool:
        return bool(await self._send_once(Call(calls.SELECTION, "SelectChild", "i", index)))

    async def set_contents(self, text: str) -> bool:
        return bool(await self._send_once(Call(EDITABLE_TEXT, "SetTextContents", "s", text)))

    async def _ask(self, call: Call) -> Any:
        answer = await self._bus.ask(self._ref, call)
        return None if isinstance(answer, Refused) or not answer else answer[0]

    async def _send_once(self, call: Call, patience: float = PATIENCE) -> Any:
        answer = await self._bus.send_once(self._ref, call, patience)
        return None if isinstance(answer, Refused) or not answer else answer[0]
