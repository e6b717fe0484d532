"""The methods of contract 1 that act.

desktop.click uses the element's own action, or the pointer if it has none; desktop.hotkey presses keys together;
desktop.typeText writes into an element, or into what has the focus in the window.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta as Bound

from handrail.features.desktop.host.conditions import ElementNotFound, StaleElement
from handrail.features.desktop.host.execution import Execution
from handrail.features.desktop.host.params import (
    LONGEST_TEXT,
    ConfirmedParams,
    ElementRef,
    PlaceTarget,
    Route,
    Selector,
    Target,
    Wire,
)
from handrail.features.desktop.host.search import Subject
from handrail.features.desktop.host.services import Action, Services
from handrail.features.desktop.host.surroundings import SECRET
from handrail.features.desktop.platform import Combination, Delivery, Desktop, Element, Gesture
from handrail.ports.errors import InvalidParams

MODIFIERS = frozenset(["cmd", "command", "ctrl", "control", "alt", "option", "opt", "shift", "super", "meta", "win"])

KEYS = frozenset(
    [
        *("enter", "return", "esc", "escape", "tab", "space", "backspace", "delete", "forwarddelete", "del", "insert"),
        *("home", "end", "pageup", "pagedown", "up", "down", "left", "right"),
        *("arrowup", "arrowdown", "arrowleft", "arrowright", "capslock", "menu", "printscreen"),
        *("plus", "minus", "comma", "period", "slash", "backslash", "semicolon", "quote", "backquote", "equal"),
        *("bracketleft", "bracketright"),
        *(f"f{number}" for number in range(1, 25)),
    ]
)
"""Keys with a name; all others are named by their character."""
_TYPED = "\n\r\t"


def combinations(keys: Sequence[str], at: str = "params.keys") -> Sequence[Combination]:
    """`["cmd", "v"]` is one; `["cmd+a", "cmd+c"]` are two. InvalidParams names the item that makes no sense."""
    if any(len(key) > 1 and "+" in key for key in keys):
        return [_combination(_pieces(key, at), f"{at}[{index}]") for index, key in enumerate(keys)]
    return [_combination(keys, at)]


def _combination(names: Sequence[str], field: str) -> Combination:
    modifiers = [name for name in names if name.strip().lower() in MODIFIERS]
    others = [name for name in names if name.strip().lower() not in MODIFIERS]
    if len(others) > 1:
        raise InvalidParams(
            f"{field}: {', '.join(map(repr, others))} are several keys, and a combination has one beside modifiers.",
            hint='Send whole combinations in their order: ["cmd+a", "cmd+c"].',
            field=field,
        )
    for name in others:
        _check_key(name, field)
    return Combination(tuple(name.strip().lower() for name in modifiers), others[0] if others else None)


def _check_key(name: str, field: str) -> None:
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if plain in KEYS or (len(name) == 1 and (name.isprintable() or name in _TYPED)):
        return
    hint = "The fn key is inside the keyboard: no program can press it." if plain == "fn" else None
    raise InvalidParams(f"{field}: there is no key named {name!r}.", hint=hint, field=field)


def _pieces(text: str, at: str) -> list[str]:
    """`ctrl++` is Control and the plus key."""
    head, key = (text[:-2], "+") if text.endswith("++") else (text, None)
    pieces = [piece.strip() for piece in head.split("+")] if head else []
    if any(not piece for piece in pieces):
        raise InvalidParams(f"{at}: {text!r} isn't a combination.", field=at)
    return [*pieces, *([key] if key is not None else [])]


class ClickOptions(Wire, frozen=True, kw_only=True):
    button: Literal["left", "middle", "right"] = "left"
    count: Annotated[int, Bound(ge=1, le=3)] = 1


class ClickParams(ConfirmedParams, frozen=True, kw_only=True):
    target: PlaceTarget
    options: ClickOptions = ClickOptions()


async def pointed(services: Services, target: PlaceTarget, route: Route | None) -> Subject:
    search = await services.search()
    if target.point is not None:
        return await search.at_point(await services.source.get(), (target.point.x, target.point.y), route)
    if target.mark is not None:
        return await _marked(services, target.mark, route)
    routed, match = await search.target(target.element, route)
    return Subject.of(routed, match.window, match.found)


async def _marked(services: Services, number: int, route: Route | None) -> Subject:
    """The element of that number, or the middle of what was seen in a picture, where its window is now."""
    search = await services.search()
    if (spot := services.refs.spot(number)) is None:
        routed, match = await search.target(Target(element_ref=ElementRef(element_id=f"e:{number}")), route)
        return Subject.of(routed, match.window, match.found)
    desktop = await services.source.get()
    frame = next((window.frame for window in await desktop.windows() if window.handle == spot.window), None)
    if frame is None or (frame.width, frame.height) != spot.size:
        raise StaleElement("The window is gone, or has another size than in the picture.", mark=number)
    x, y = spot.frame.center
    subject = await search.at_point(desktop, (frame.x + x, frame.y + y), route)
    if subject.window.handle != spot.window:
        raise StaleElement("Another window covers what was marked.", mark=number)
    return subject


async def _clicked(services: Services, params: ClickParams) -> Subject:
    return await pointed(services, params.target, params.route)


async def _click(desktop: Desktop, execution: Execution, subject: Subject, params: ClickParams) -> Delivery:
    place = subject.element if subject.point is None else subject.point
    assert place is not None
    if isinstance(place, Element) and params.options == ClickOptions():
        return await desktop.press(subject.window, place)
    gesture = Gesture("click", params.options.button, params.options.count)
    return await desktop.point(subject.window, place, gesture)


CLICK = Action(
    "desktop.click",
    ClickParams,
    "clicked",
    _clicked,
    _click,
    needs_front=lambda subject: subject.element is None or not subject.element.actions,
)


_Key = Annotated[str, Bound(min_length=1, max_length=60)]


class HotkeyOptions(Wire, frozen=True, kw_only=True):
    delay_ms: Annotated[int, Bound(ge=0, le=10_000)] = 50


class HotkeyParams(ConfirmedParams, frozen=True, kw_only=True):
    keys: Annotated[list[_Key], Bound(min_length=1, max_length=100)]
    options: HotkeyOptions = HotkeyOptions()


def _check_keys(params: HotkeyParams, at: str) -> None:
    combinations(params.keys, f"{at}.keys")


async def _window(services: Services, params: HotkeyParams) -> Subject:
    return Subject.of(await (await services.search()).routed(params.route))


async def _press(desktop: Desktop, execution: Execution, subject: Subject, params: HotkeyParams) -> None:
    await desktop.send_keys(subject.window, combinations(params.keys), delay_ms=params.options.delay_ms)


HOTKEY = Action("desktop.hotkey", HotkeyParams, "sent", _window, _press, check=_check_keys)


class TypeTarget(Wire, frozen=True, kw_only=True):
    """Here both may be given: the selector counts where the elementRef has gone stale."""

    element_ref: ElementRef | None = None
    selector: Selector | None = None


class TypeTextOptions(Wire, frozen=True, kw_only=True):
    clear_before: bool = False


class TypeTextParams(ConfirmedParams, frozen=True, kw_only=True):
    text: Annotated[str, Bound(max_length=LONGEST_TEXT)]
    target: TypeTarget | None = None
    options: TypeTextOptions = TypeTextOptions()


async def _field(services: Services, params: TypeTextParams) -> Subject:
    """Without a target, whatever has the focus in the window."""
    search, target = await services.search(), params.target or TypeTarget()
    if target.element_ref is not None:
        try:
            routed, match = await search.target(Target(element_ref=target.element_ref), params.route)
            return Subject.of(routed, match.window, match.found)
        except ElementNotFound:
            if target.selector is None:
                raise
    if target.selector is None:
        return Subject.of(await search.routed(params.route))
    routed, match = await search.target(Target(selector=target.selector), params.route)
    return Subject.of(routed, match.window, match.found)


async def _type(desktop: Desktop, execution: Execution, subject: Subject, params: TypeTextParams) -> Delivery:
    await _focus(desktop, subject)
    is_secret = subject.element is not None and subject.element.role == SECRET
    execution.record.note("typing", **({} if is_secret else {"characters": len(params.text)}))
    clear = params.options.clear_before
    return await desktop.type_text(subject.window, subject.element, params.text, clear_before=clear)


async def _focus(desktop: Desktop, subject: Subject) -> None:
    """The text must not go to another field: an element that can't be focused must at least be editable."""
    element = subject.element
    if element is None or "focused" in element.states:
        return
    if not await desktop.focus(subject.window, element) and "editable" not in element.states:
        raise ElementNotFound("The target takes no focus and no text.", hint="Choose the text field itself.")


TYPE_TEXT = Action("desktop.typeText", TypeTextParams, "typed", _field, _type)
