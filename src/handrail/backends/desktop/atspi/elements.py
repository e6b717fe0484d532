"""Reads many elements of one app at once: first what each one is, then what its interfaces have to tell."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from handrail.backends.desktop.atspi import calls, roles, states, values
from handrail.backends.desktop.atspi.bus import PATIENCE, AccessibilityBus, Question, Ref, by_app
from handrail.backends.desktop.atspi.connection import Refused
from handrail.backends.desktop.atspi.origins import SCREEN, Origin
from handrail.backends.desktop.atspi.wire import Call
from handrail.contract.desktop import Element, Rect

_LEAST, _MOST = -(2**20), 2**20
_BASICS = (calls.NAME, calls.ROLE, calls.STATE, calls.INTERFACES)


@dataclass(frozen=True, slots=True)
class Basics:
    """What an element is, before anything of its interfaces is asked."""

    title: str
    role: int
    states: frozenset[str]
    interfaces: Sequence[str]


class Elements:
    def __init__(self, bus: AccessibilityBus) -> None:
        self._bus = bus

    async def of(
        self,
        refs: Sequence[Ref],
        origin: Origin = SCREEN,
        known: Mapping[Ref, Basics] = MappingProxyType({}),
        patience: float = PATIENCE,
        *,
        only_values: bool = False,
    ) -> list[Element | None]:
        """None for those that are gone. `origin` is where their window is, for apps that count pixels from there."""
        found: list[Element | None] = [None] * len(refs)
        for name, indexes in by_app(refs).items():
            mine = [refs[index] for index in indexes]
            asked = iter(await self._basics(name, [ref.path for ref in mine if ref not in known], patience))
            basics = [known[ref] if ref in known else next(asked) for ref in mine]
            further = await self._further(name, mine, basics, patience, only_values)
            for index, ref, one, parts in zip(indexes, mine, basics, further, strict=True):
                found[index] = self._element(ref, one, parts, origin) if one else None
        return found

    def unreadable(self, ref: Ref) -> Element:
        """Keeps the place of a child that is listed and can't be read."""
        return Element(self._bus.handle(ref), "AXUnknown", "invalid", states=frozenset(("defunct",)))

    async def _basics(self, name: str, paths: Sequence[str], patience: float) -> list[Basics | None]:
        questions = [(path, call) for path in paths for call in _BASICS]
        answers = await self._bus.ask_all(name, questions, patience)
        return [_basics(*answers[start : start + len(_BASICS)]) for start in range(0, len(answers), len(_BASICS))]

    async def _further(
        self, name: str, refs: Sequence[Ref], basics: Sequence[Basics | None], patience: float, only_values: bool
    ) -> list[dict[str, Any]]:
        questions: list[Question] = []
        places: list[tuple[int, str]] = []
        for index, (ref, known) in enumerate(zip(refs, basics, strict=True)):
            for part, call in _further(known, only_values) if known else ():
                questions.append((ref.path, call))
                places.append((index, part))
        parts: list[dict[str, Any]] = [{} for _ in refs]
        for (index, part), answer in zip(places, await self._bus.ask_all(name, questions, patience), strict=True):
            if not isinstance(answer, Refused):
                parts[index][part] = answer[0]
        return parts

    def _element(self, ref: Ref, known: Basics, found: dict[str, Any], origin: Origin) -> Element:
        return Element(
            handle=self._bus.handle(ref),
            role=roles.ax_name(known.role, known.states),
            native_role=roles.native_name(known.role),
            title=values.bounded(known.title),
            value=values.value(known.role, known.states, known.title, found),
            frame=_frame(found.get("extents"), origin),
            states=known.states,
            actions=tuple(name for name, *_ in found.get("actions", ()) if name),
        )


def _basics(name: Any, role: Any, state: Any, interfaces: Any) -> Basics | None:
    if isinstance(role, Refused) or isinstance(state, Refused):
        return None
    return Basics(
        title="" if isinstance(name, Refused) else str(name[0].value),
        role=int(role[0]),
        states=states.named(state[0]),
        interfaces=() if isinstance(interfaces, Refused) else interfaces[0],
    )


def _further(known: Basics, only_values: bool) -> Iterable[tuple[str, Call]]:
    if not only_values:
        if calls.COMPONENT in known.interfaces and ("visible" in known.states or "showing" in known.states):
            yield "extents", calls.EXTENTS
        if calls.ACTION in known.interfaces:
            yield "actions", calls.ACTIONS
    yield from values.questions(known.role, known.states, known.title, known.interfaces)


def _frame(extents: tuple[int, int, int, int] | None, origin: Origin) -> Rect | None:
    """None for what is not laid out: toolkits give the smallest integer or no size then."""
    if extents is None:
        return None
    x, y, width, height = extents
    if width <= 0 or height <= 0 or not (_LEAST < x < _MOST and _LEAST < y < _MOST):
        return None
    return Rect(x + origin[0], y + origin[1], width, height)
