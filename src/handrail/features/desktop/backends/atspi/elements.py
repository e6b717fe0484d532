"""Reads many elements at once: first what each one is, then what its interfaces add."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple

from handrail.features.desktop.backends.atspi import calls, roles
from handrail.features.desktop.backends.atspi.bus import PATIENCE, AccessibilityBus, Question, Ref, indexes_by_app
from handrail.features.desktop.backends.atspi.cache import Cache
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import Refused
from handrail.features.desktop.backends.atspi.drawing_offset import NO_OFFSET, Offset
from handrail.features.desktop.desktop_port import Element, Rect


class Origin(NamedTuple):
    """What is added to the places that an app reports."""

    x: int
    y: int
    drawn_offset: Offset = NO_OFFSET
    """Also added to the places of elements that the app draws itself."""

    def move(self, reported: Rect, *, is_drawn_by_app: bool) -> Rect:
        right, down = self.drawn_offset if is_drawn_by_app else NO_OFFSET
        return Rect(reported.x + self.x + right, reported.y + self.y + down, reported.width, reported.height)


SCREEN = Origin(0, 0)
_OBJECTS = "/org/a11y/atspi/"
_MIN_COORDINATE, _MAX_COORDINATE = -(2**20), 2**20
_BASICS = (calls.NAME, calls.ROLE, calls.STATE, calls.INTERFACES)
_MAX_TEXT = 4096
"""Maximum length of titles and values; a longer text ends in an ellipsis."""
_TEXT = calls.text(0, _MAX_TEXT + 1)
_CHECKABLE_ROLES = frozenset((7, 8, 44, 45, 62, 130))
_NUMERIC_ROLES = frozenset((15, 42, 48, 51, 52, 103, 114))
_TEXT_ROLES = frozenset((11, 12, 56, 60, 61, 73, 76, 77, 79, 94, 96))


class Basics(NamedTuple):
    """What an element is, before its interfaces are read."""

    title: str
    role: int
    states: frozenset[str]
    interfaces: frozenset[str]
    details: Mapping[str, Any] | None = None
    """What its interfaces report, if that is known already."""

    @classmethod
    def of(
        cls,
        title: str,
        role: int,
        words: Sequence[int],
        interfaces: Sequence[str],
        details: Mapping[str, Any] | None = None,
    ) -> "Basics":
        return cls(title, role, roles.state_names(words), _shared_interfaces(tuple(interfaces)), details)


class _Scope(NamedTuple):
    only_values: bool
    is_view: bool


def cached_basics(cache: Cache, ref: Ref) -> Basics | None:
    item = cache.item(ref)
    return Basics.of(item[6], item[7], item[9], item[5], cache.details(ref)) if item else None


class Elements:
    def __init__(self, bus: AccessibilityBus) -> None:
        self._bus = bus
        self._windows: set[Ref] = set()
        self._frames_are_relative = False

    def use_relative_frames(self, *, is_always: bool) -> None:
        """On Wayland no program knows where its windows are; on X11 that is true only of GTK 4."""
        self._frames_are_relative = is_always

    def treat_as_windows(self, refs: Iterable[Ref], apps: Collection[str]) -> None:
        """Some toolkits give a top-level window the role of its content. `apps` are those that are still running."""
        self._windows = {ref for ref in self._windows if ref.name in apps} | set(refs)

    async def of(
        self,
        refs: Sequence[Ref],
        origin: Origin | None = SCREEN,
        cached: Callable[[Ref], Basics | None] = lambda ref: None,
        patience: float = PATIENCE,
        *,
        only_values: bool = False,
        is_view: bool = False,
    ) -> list[Element | None]:
        """Reads elements; None for those that are gone. `origin` is added to their frames; without one they have none.

        A view is only looked at, so the actions of hidden elements are not read.
        """
        elements: list[Element | None] = [None] * len(refs)
        for name, indexes in indexes_by_app(refs).items():
            app_refs = [refs[index] for index in indexes]
            basics = await self._basics(name, app_refs, cached, patience)
            details = await self._read_details(name, app_refs, basics, patience, _Scope(only_values, is_view))
            if origin is not None and origin.drawn_offset != NO_OFFSET:
                await self._ask_for_toolkits(name, app_refs, basics, details, patience)
            for index, ref, element_basics, parts in zip(indexes, app_refs, basics, details, strict=True):
                elements[index] = self._element(ref, element_basics, parts, origin) if element_basics else None
        return elements

    def unreadable(self, ref: Ref) -> Element:
        """Returns a placeholder for a child that is listed but can't be read."""
        return Element(self._bus.handle(ref), "AXUnknown", "invalid", states=frozenset(("defunct",)))

    async def _basics(
        self, name: str, refs: Sequence[Ref], cached: Callable[[Ref], Basics | None], patience: float
    ) -> list[Basics | None]:
        basics_of = [cached(ref) for ref in refs]
        uncached = [index for index, basics in enumerate(basics_of) if basics is None]
        questions = [(refs[index].path, call) for index in uncached for call in _BASICS]
        answers = iter(await self._bus.ask_all(name, questions, patience))
        for index, *answered in zip(uncached, answers, answers, answers, answers, strict=True):
            basics_of[index] = _basics(*answered)
        return basics_of

    async def _read_details(
        self, name: str, refs: Sequence[Ref], basics: Sequence[Basics | None], patience: float, scope: "_Scope"
    ) -> list[dict[str, Any]]:
        questions: list[Question] = []
        places: list[tuple[int, str]] = []
        for index, (ref, cached) in enumerate(zip(refs, basics, strict=True)):
            if cached is not None and cached.details is None:
                is_named = bool(cached.title)
                for part, call in _questions(cached.role, cached.states, cached.interfaces, is_named, scope):
                    # GTK 4.18 reports one screen position for all elements; earlier ones report window positions.
                    if call is calls.EXTENTS and (self._frames_are_relative or _is_gtk4(ref)):
                        call = calls.EXTENTS_IN_WINDOW
                    questions.append((ref.path, call))
                    places.append((index, part))
        parts = [{} if cached is None else dict(cached.details or {}) for cached in basics]
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
        """LibreOffice and Qt return an empty text if more characters are requested than there are."""
        empty = [
            index
            for index, (one, element_parts) in enumerate(zip(basics, parts, strict=True))
            if element_parts.get("text") == "" and one is not None and one.details is None
        ]
        lengths = await self._bus.ask_all(name, [(refs[index].path, calls.LENGTH) for index in empty], patience)
        cached = [(index, one) for index, one in zip(empty, lengths, strict=True) if not isinstance(one, Refused)]
        written = [(index, length[0].value) for index, length in cached if length[0].value > 0]
        questions = [(refs[index].path, calls.text(0, min(length, _MAX_TEXT + 1))) for index, length in written]
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
        """GTK's elements name their toolkit; elements that the app draws don't. Cached cells are of the latter kind."""
        move = [
            index
            for index, (one, element_parts) in enumerate(zip(basics, parts, strict=True))
            if "extents" in element_parts and one is not None and one.details is None
        ]
        answers = await self._bus.ask_all(name, [(refs[index].path, calls.ATTRIBUTES) for index in move], patience)
        for index, answer in zip(move, answers, strict=True):
            if not isinstance(answer, Refused) and "toolkit" in answer[0]:
                parts[index]["toolkit"] = answer[0]["toolkit"]

    def _element(self, ref: Ref, cached: Basics, parts: dict[str, Any], origin: Origin | None) -> Element:
        place = _frame(parts.get("extents"))
        frame = place and origin and origin.move(place, is_drawn_by_app="toolkit" not in parts)
        return Element(
            handle=self._bus.handle(ref),
            role="AXWindow" if ref in self._windows else roles.ax_name(cached.role, cached.states),
            native_role=roles.native_name(cached.role),
            title=_shorten(cached.title),
            value=_value(cached.role, cached.states, cached.title, parts),
            frame=frame,
            states=_states(ref, cached.states, place),
            actions=tuple([action[0] for action in parts.get("actions", ()) if action[0]]),
        )


@lru_cache(maxsize=256)
def _shared_interfaces(interfaces: tuple[str, ...]) -> frozenset[str]:
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
    role: int, states: frozenset[str], interfaces: frozenset[str], is_named: bool, scope: _Scope
) -> Sequence[tuple[str, Call]]:
    """Returns the calls that read the rest of an element of this kind."""
    questions = list(_value_questions(role, states, interfaces, is_named))
    if not scope.only_values:
        if calls.COMPONENT in interfaces and _is_laid_out(role, states):
            questions.append(("extents", calls.EXTENTS))
        if calls.ACTION in interfaces and (not scope.is_view or _is_laid_out(role, states)):
            questions.append(("actions", calls.ACTIONS))
    return questions


def _is_laid_out(role: int, states: frozenset[str]) -> bool:
    """Items of a closed menu are "visible" but not laid out."""
    return "showing" in states or ("visible" in states and role not in roles.MENU_ITEMS)


def _states(ref: Ref, reported: frozenset[str], frame: Rect | None) -> frozenset[str]:
    """Adds "showing" in GTK 4, which sets it only for windows."""
    return reported | {"showing"} if _is_gtk4(ref) and frame is not None and "visible" in reported else reported


def _is_gtk4(ref: Ref) -> bool:
    """Recognizes GTK 4 by its object paths."""
    return not ref.path.startswith(_OBJECTS)


def _frame(extents: tuple[int, int, int, int] | None) -> Rect | None:
    """Returns None for an element that is not laid out: toolkits report the smallest integer, or no size."""
    if extents is None:
        return None
    x, y, width, height = extents
    if (
        width <= 0
        or height <= 0
        or not (_MIN_COORDINATE < x < _MAX_COORDINATE and _MIN_COORDINATE < y < _MAX_COORDINATE)
    ):
        return None
    return Rect(x, y, width, height)


def _value_questions(
    role: int, states: Set[str], interfaces: Collection[str], is_named: bool
) -> Iterator[tuple[str, Call]]:
    # never the content of a password field
    if role in _CHECKABLE_ROLES or role == roles.PASSWORD:
        return
    if role in _NUMERIC_ROLES and calls.VALUE in interfaces:
        yield "number", calls.CURRENT_VALUE
    elif calls.TEXT in interfaces and (
        role in _TEXT_ROLES or "editable" in states or (role in roles.LABELS and not is_named)
    ):
        yield "text", _TEXT


def _value(role: int, states: Set[str], title: str, parts: dict[str, Any]) -> str | None:
    if role in _CHECKABLE_ROLES:
        return "2" if "indeterminate" in states else "1" if "checked" in states or "pressed" in states else "0"
    if "number" in parts:
        return f"{parts['number'].value:.15g}"
    if "text" in parts:
        return _shorten(parts["text"])
    return _shorten(title) if role in roles.LABELS and title else None


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "…"
