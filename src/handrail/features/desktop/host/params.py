"""Parameters that several methods of contract 1 share, and how they are read.

Unknown members are refused, so that a misspelled option is never silently ignored.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta as Bound

from handrail.ports.errors import InvalidParams

LONGEST_NAME = 1_000
LONGEST_TEXT = 1_048_576
LONGEST_DEADLINE_MS = 3_600_000

Name = Annotated[str, Bound(min_length=1, max_length=LONGEST_NAME)]
Milliseconds = Annotated[int, Bound(ge=1, le=LONGEST_DEADLINE_MS)]
_Pixels = Annotated[int, Bound(ge=-100_000, le=100_000)]
_Extent = Annotated[int, Bound(ge=1, le=100_000)]
_Index = Annotated[int, Bound(ge=0, le=1_000_000)]

StructT = TypeVar("StructT", bound=msgspec.Struct)
HeaderT = TypeVar("HeaderT", bound="Header")


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """An object on the wire: camelCase names, no unknown members."""


class Meta(Wire, frozen=True, kw_only=True):
    schema_version: Literal[1]
    request_id: Name
    workspace_path: Annotated[str, Bound(min_length=1, max_length=4096)]
    timeout_ms: Milliseconds = 60_000
    execution_id: Annotated[str, Bound(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None
    """The execution id of the gate's call, so that both share one id and one evidence folder."""
    began_at: datetime | None = None
    """When the gate's call began, which determines the date of its evidence folder."""


class Confirm(Wire, frozen=True, kw_only=True):
    """`approved_at` and `approver` are the caller's claims: they are recorded, but prove nothing."""

    token: Annotated[str, Bound(max_length=LONGEST_NAME)] | None = None
    phrase: Annotated[str, Bound(max_length=LONGEST_NAME)] | None = None
    gate_token: Annotated[str, Bound(min_length=1, max_length=LONGEST_NAME)] | None = msgspec.field(
        name="pass", default=None
    )
    """The gate's one-time token, from the token store that it shares with the host."""
    approved_at: Annotated[str, Bound(max_length=LONGEST_NAME)] | None = None
    approver: Annotated[str, Bound(max_length=LONGEST_NAME)] | None = None


class App(Wire, frozen=True, kw_only=True):
    """Names of an app: its bundle id, its desktop file, its window class, or any name."""

    bundle_id: Name | None = None
    desktop_id: Name | None = None
    wm_class: Name | None = None
    name: Name | None = None
    pid: Annotated[int, Bound(ge=1, le=2**31)] | None = None
    """Picks one of several processes of the app; `routeResolved` has its pid."""

    @property
    def names(self) -> list[str]:
        return [name for name in (self.bundle_id, self.desktop_id, self.wm_class, self.name) if name is not None]


class WindowPattern(Wire, frozen=True, kw_only=True):
    title_pattern: Name | None = None
    id: Name | None = None
    """Picks one of several windows with this title; `routeResolved` and lists of windows have it as `windowId`."""

    def __post_init__(self) -> None:
        if self.title_pattern is None and self.id is None:
            raise ValueError("A window needs a titlePattern or an id.")


class Route(Wire, frozen=True, kw_only=True):
    app: App | None = None
    window: WindowPattern | None = None
    focus_policy: Literal["focusIfNeeded", "always", "never"] = "focusIfNeeded"


class Box(Wire, frozen=True, kw_only=True):
    x: _Pixels
    y: _Pixels
    width: _Extent
    height: _Extent


class Anchor(Wire, frozen=True, kw_only=True):
    by_role: Name | None = None
    title_contains: Name | None = None
    value_contains: Name | None = None

    def __post_init__(self) -> None:
        if self.by_role is None and self.title_contains is None and self.value_contains is None:
            raise ValueError("An anchor needs byRole, titleContains or valueContains.")


class Near(Wire, frozen=True, kw_only=True):
    anchor: Anchor
    max_distance: Annotated[int, Bound(ge=0, le=100_000)] = 300
    direction: Literal["above", "below", "left", "right"] | None = None


class Selector(Wire, frozen=True, kw_only=True):
    """Without criteria it matches every element."""

    by_role: Name | None = None
    title_contains: Name | None = None
    value_contains: Name | None = None
    by_rect: Box | None = None
    by_path: Annotated[list[_Index], Bound(max_length=200)] | None = None
    near: Near | None = None
    limit: Annotated[int, Bound(ge=1, le=1_000)] = 10

    @property
    def is_for_everything(self) -> bool:
        criteria = (self.by_role, self.title_contains, self.value_contains, self.by_rect, self.by_path, self.near)
        return all(criterion is None for criterion in criteria)


class Frame(Wire, frozen=True, kw_only=True):
    x: int
    y: int
    width: int
    height: int


class ElementRef(Wire, frozen=True, kw_only=True):
    """An element as `desktop.find` returns it. Only id and fingerprint are used."""

    element_id: Name
    fingerprint: Annotated[str, Bound(max_length=LONGEST_TEXT)] | None = None
    role: str | None = None
    title: str | None = None
    value: str | None = None
    frame: Frame | None = None
    states: list[str] | None = None
    path: list[int] | None = None


class Point(Wire, frozen=True, kw_only=True):
    """A pixel of the screen, in the same coordinates as the `area` of a picture."""

    x: _Pixels
    y: _Pixels


class Target(Wire, frozen=True, kw_only=True):
    element_ref: ElementRef | None = None
    selector: Selector | None = None

    def __post_init__(self) -> None:
        if self.element_ref is None and self.selector is None:
            raise ValueError("A target needs an elementRef or a selector.")
        if self.element_ref is not None and self.selector is not None:
            raise ValueError("A target is an elementRef or a selector, not both.")
        _check_selector(self.selector)


class PlaceTarget(Wire, frozen=True, kw_only=True):
    """A target for the pointer: an element, a point of a window, or a mark of a recent picture."""

    element_ref: ElementRef | None = None
    selector: Selector | None = None
    point: Point | None = None
    mark: Annotated[int, Bound(ge=1, le=2**31)] | None = None

    def __post_init__(self) -> None:
        if [self.element_ref, self.selector, self.point, self.mark].count(None) != 3:
            raise ValueError("A target is one of elementRef, selector, point and mark.")
        _check_selector(self.selector)

    @property
    def element(self) -> Target:
        return Target(element_ref=self.element_ref, selector=self.selector)


def _check_selector(selector: Selector | None) -> None:
    if selector is not None and selector.is_for_everything:
        raise ValueError("A target's selector needs byRole, titleContains, valueContains, byRect, byPath or near.")


class Params(Wire, frozen=True, kw_only=True):
    """A method's own parameters: those of its tool."""


class RoutedParams(Params, frozen=True, kw_only=True):
    route: Route | None = None


class Header(Wire, frozen=True, kw_only=True):
    """The members that every request has beside the method's own parameters."""

    meta: Meta


class ActingHeader(Header, frozen=True, kw_only=True):
    """The same for methods that act. A missing `confirm` is refused later, with its own code."""

    confirm: Any = None
    shown: Name | None = None
    """`seen` of `desktop.locate`: a fingerprint of what a person was shown, which must still be there."""


def read_request(request: Mapping[str, Any], header: type[HeaderT], params: type[StructT]) -> tuple[HeaderT, StructT]:
    """Reads a request's header and the method's own parameters. InvalidParams names the first invalid field."""
    members = header.__struct_encode_fields__
    return (
        read({name: value for name, value in request.items() if name in members}, header),
        read({name: value for name, value in request.items() if name not in members}, params),
    )


def read(value: Any, into: type[StructT], at: str = "params") -> StructT:
    """Reads parameters. InvalidParams names the first invalid field."""
    try:
        try:
            return msgspec.convert(value, into)
        except msgspec.ValidationError:
            return msgspec.convert(_whole_numbers(value), into)
    except msgspec.ValidationError as error:
        field, problem = _locate_error(str(error), at)
        raise InvalidParams(f"{field}: {problem}", field=field) from None


_PLACE = re.compile(r"^(?P<problem>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?$", re.DOTALL)
_MEMBER = re.compile(r"^Object (?:missing required|contains unknown) field `(?P<name>.*)`$", re.DOTALL)
_LONGEST_PROBLEM = 300


def _locate_error(message: str, at: str) -> tuple[str, str]:
    match = _PLACE.match(message)
    assert match is not None
    problem, field = match["problem"], at + (match["path"] or "")
    if (member := _MEMBER.match(problem)) is not None:
        field, problem = f"{field}.{member['name']}", problem.split(" `")[0]
    return field[:_LONGEST_PROBLEM], problem[:_LONGEST_PROBLEM]


def _whole_numbers(value: Any) -> Any:
    """Turns 1.0 into 1: both are the same number in JSON and have the same digest."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole_numbers(member) for name, member in value.items()}
    return [_whole_numbers(item) for item in value] if isinstance(value, list) else value
