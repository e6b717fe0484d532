"""Reads many elements at once: first what each one is, then what its interfaces add."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import PATIENCE, AccessibilityBus, Question, Ref, by_app
from handrail.features.desktop.backends.atspi.cache import Cache
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.displacement import NONE as NO_OFFSET
from handrail.features.desktop.backends.atspi.displacement import Offset
from handrail.features.desktop.desktop_port import Element, Rect


class Origin(NamedTuple):
    """What is added to the places that an app tells."""

    x: int
    y: int
    drawn: Offset = NO_OFFSET
    """Further, to those of elements that the app draws itself."""

    def placed(self, told: Rect, *, is_drawn: bool) -> Rect:
        right, down = self.drawn if is_drawn else NO_OFFSET
        return Rect(told.x + self.x + right, told.y + self.y + down, told.width, told.height)


SCREEN = Origin(0, 0)
_OBJECTS = "/org/a11y/atspi/"
_LEAST, _MOST = -(2**20), 2**20
_BASICS = (calls.NAME, calls.ROLE, calls.STATE, calls.INTERFACES)
_LONGEST_TEXT = 4096
"""Characters of a title or value that are kept; a longer text ends in an ellipsis."""
_TEXT = calls.text(0, _LONGEST_TEXT + 1)
_CHECKABLE = frozenset((7, 8, 44, 45, 62, 130))
_NUMERIC = frozenset((15, 42, 48, 51, 52, 103, 114))
_WRITTEN = frozenset((11, 12, 56, 60, 61, 73, 76, 77, 79, 94, 96))


class Basics(NamedTuple):
    """What an element is, before its interfaces are asked."""

    title: str
    role: int
    states: frozenset[str]
    interfaces: frozenset[str]
    further: Mapping[str, Any] | None = None
    """What its interfaces add, where that is known already."""

    @classmethod
    def of(
        cls,
        title: str,
        role: int,
        words: Sequence[int],
        interfaces: Sequence[str],
        further: Mapping[str, Any] | None = None,
    ) -> "Basics":
        return cls(title, role, roles.state_names(words), _shared(tuple(interfaces)), further)


class _Wish(NamedTuple):
    only_values: bool
    is_view: bool


def cached_basics(cache: Cache, ref: Ref) -> Basics | None:
    item = cache.item(ref)
    return Basics.of(item[6], item[7], item[9], item[5], cache.further(ref)) if item else None


class Elements:
    def __init__(self, bus: AccessibilityBus) -> None:
        self._bus = bus
        self._windows: set[Ref] = set()
        self._counts_from_window = False

    def count_from_window(self, *, is_always: bool) -> None:
        """On Wayland no program knows where its windows are; on X11 only GTK 4 doesn't."""
        self._counts_from_window = is_always

    def count_as_windows(self, refs: Iterable[Ref], apps: Collection[str]) -> None:
        """Some toolkits give a top-level window the role of its content. `apps` are those that still run."""
        self._windows = {ref for ref in self._windows if ref.name in apps} | set(refs)

    async def of(
        self,
        refs: Sequence[Ref],
        origin: Origin | None = SCREEN,
        known: Callable[[Ref], Basics | None] = lambda ref: None,
        patience: float = PATIENCE,
        *,
        only_values: bool = False,
        is_view: bool = False,
    ) -> list[Element | None]:
        """None for those that are gone. `origin` is added to their frames; without one they have none.

        In a view nobody acts on what is hidden, so that its actions are not asked for.
        """
        found: list[Element | None] = [None] * len(refs)
        for name, indexes in by_app(refs).items():
            mine = [refs[index] for index in indexes]
            basics = await self._basics(name, mine, known, patience)
            further = await self._further(name, mine, basics, patience, _Wish(only_values, is_view))
            if origin is not None and origin.drawn != NO_OFFSET:
                await self._ask_for_toolkits(name, mine, basics, further, patience)
            for index, ref, one, parts in zip(indexes, mine, basics, further, strict=True):
                found[index] = self._element(ref, one, parts, origin) if one else None
        return found

    def unreadable(self, ref: Ref) -> Element:
        """A stand-in for a child that is listed but can't be read."""
        return Element(self._bus.handle(ref), "AXUnknown", "invalid", states=frozenset(("defunct",)))

    async def _basics(
        self, name: str, refs: Sequence[Ref], known: Callable[[Ref], Basics | None], patience: float
    ) -> list[Basics | None]:
        found = [known(ref) for ref in refs]
        missing = [index for index, basics in enumerate(found) if basics is None]
        questions = [(refs[index].path, call) for index in missing for call in _BASICS]
        answers = iter(await self._bus.ask_all(name, questions, patience))
        for index, *answered in zip(missing, answers, answers, answers, answers, strict=True):
            found[index] = _basics(*answered)
        return found

    async def _further(
        self, name: str, refs: Sequence[Ref], basics: Sequence[Basics | None], patience: float, wish: "_Wish"
    ) -> list[dict[str, Any]]:
        questions: list[Question] = []
        places: list[tuple[int, str]] = []
        for index, (ref, known) in enumerate(zip(refs, basics, strict=True)):
            if known is not None and known.further is None:
                is_named = bool(known.title)
                for part, call in _questions(known.role, known.states, known.interfaces, is_named, wish):
                    # GTK 4.18 gives every element the same place on the screen; before, both were the window's.
                    if call is calls.EXTENTS and (self._counts_from_window or _is_gtk4(ref)):
                        call = calls.EXTENTS_IN_WINDOW
                    questions.append((ref.path, call))
                    places.append((index, part))
        parts = [{} if known is None else dict(known.further or {}) for known in basics]
        for (index, part), answer in zip(places, await self._bus.ask_all(name, questions, patience), strict=True):
            if not isinstance(answer, Refused):
                parts[index][part] = answer[0]
        await self._ask_for_short_texts(name, refs, basics, parts, patience)
        return parts

    async def _ask_for_short_texts(
        self,
        name: str,
        refs: Sequence[Ref],
        basics: Sequence[Basics | None],
        parts: Sequence[dict[str, Any]],
        patience: float,
    ) -> None:
        """LibreOffice and Qt answer with an empty text when more is asked for than there is."""
        empty = [
            index
            for index, (one, found) in enumerate(zip(basics, parts, strict=True))
            if found.get("text") == "" and one is not None and one.further is None
        ]
        lengths = await self._bus.ask_all(name, [(refs[index].path, calls.LENGTH) for index in empty], patience)
        known = [(index, one) for index, one in zip(empty, lengths, strict=True) if not isinstance(one, Refused)]
        written = [(index, length[0].value) for index, length in known if length[0].value > 0]
        questions = [(refs[index].path, calls.text(0, min(length, _LONGEST_TEXT + 1))) for index, length in written]
        for (index, _), answer in zip(written, await self._bus.ask_all(name, questions, patience), strict=True):
            if not isinstance(answer, Refused):
                parts[index]["text"] = answer[0]

    async def _ask_for_toolkits(
        self,
        name: str,
        refs: Sequence[Ref],
        basics: Sequence[Basics | None],
        parts: Sequence[dict[str, Any]],
        patience: float,
    ) -> None:
        """Those of GTK say so; an app's own don't. What is known already is a cell, which is one of these."""
        placed = [
            index
            for index, (one, found) in enumerate(zip(basics, parts, strict=True))
            if "extents" in found and one is not None and one.further is None
        ]
        answers = await self._bus.ask_all(name, [(refs[index].path, calls.ATTRIBUTES) for index in placed], patience)
        for index, answer in zip(placed, answers, strict=True):
            if not isinstance(answer, Refused) and "toolkit" in answer[0]:
                parts[index]["toolkit"] = answer[0]["toolkit"]

    def _element(self, ref: Ref, known: Basics, found: dict[str, Any], origin: Origin | None) -> Element:
        place = _frame(found.get("extents"))
        frame = place and origin and origin.placed(place, is_drawn="toolkit" not in found)
        return Element(
            handle=self._bus.handle(ref),
            role="AXWindow" if ref in self._windows else roles.ax_name(known.role, known.states),
            native_role=roles.native_name(known.role),
            title=_bounded(known.title),
            value=_value(known.role, known.states, known.title, found),
            frame=frame,
            states=_states(ref, known.states, place),
            actions=tuple([action[0] for action in found.get("actions", ()) if action[0]]),
        )


@lru_cache(maxsize=256)
def _shared(interfaces: tuple[str, ...]) -> frozenset[str]:
    return frozenset(interfaces)


def _basics(name: Any, role: Any, state: Any, interfaces: Any) -> Basics | None:
    if isinstance(role, Refused) or isinstance(state, Refused):
        return None
    return Basics.of(
        "" if isinstance(name, Refused) else str(name[0].value),
        int(role[0]),
        state[0],
        () if isinstance(interfaces, Refused) else interfaces[0],
    )


@lru_cache(maxsize=4096)
def _questions(
    role: int, states: frozenset[str], interfaces: frozenset[str], is_named: bool, wish: _Wish
) -> Sequence[tuple[str, Call]]:
    """What else to ask an element of this kind."""
    asked = list(_value_questions(role, states, interfaces, is_named))
    if not wish.only_values:
        if calls.COMPONENT in interfaces and _is_laid_out(role, states):
            asked.append(("extents", calls.EXTENTS))
        if calls.ACTION in interfaces and (not wish.is_view or _is_laid_out(role, states)):
            asked.append(("actions", calls.ACTIONS))
    return asked


def _is_laid_out(role: int, states: frozenset[str]) -> bool:
    """Items of a closed menu are "visible" but have no place."""
    return "showing" in states or ("visible" in states and role not in roles.MENU_ITEMS)


def _states(ref: Ref, told: frozenset[str], frame: Rect | None) -> frozenset[str]:
    """GTK 4 marks only windows as showing."""
    return told | {"showing"} if _is_gtk4(ref) and frame is not None and "visible" in told else told


def _is_gtk4(ref: Ref) -> bool:
    """By the path of its objects."""
    return not ref.path.startswith(_OBJECTS)


def _frame(extents: tuple[int, int, int, int] | None) -> Rect | None:
    """None for what is not laid out: toolkits give the smallest integer or no size."""
    if extents is None:
        return None
    x, y, width, height = extents
    if width <= 0 or height <= 0 or not (_LEAST < x < _MOST and _LEAST < y < _MOST):
        return None
    return Rect(x, y, width, height)


def _value_questions(
    role: int, states: Set[str], interfaces: Collection[str], is_named: bool
) -> Iterator[tuple[str, Call]]:
    # Never the content of a password field.
    if role in _CHECKABLE or role == roles.SECRET:
        return
    if role in _NUMERIC and calls.VALUE in interfaces:
        yield "number", calls.CURRENT_VALUE
    elif calls.TEXT in interfaces and (
        role in _WRITTEN or "editable" in states or (role in roles.LABELS and not is_named)
    ):
        yield "text", _TEXT


def _value(role: int, states: Set[str], title: str, found: dict[str, Any]) -> str | None:
    if role in _CHECKABLE:
        return "2" if "indeterminate" in states else "1" if "checked" in states or "pressed" in states else "0"
    if "number" in found:
        return f"{found['number'].value:.15g}"
    if "text" in found:
        return _bounded(found["text"])
    return _bounded(title) if role in roles.LABELS and title else None


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…"
