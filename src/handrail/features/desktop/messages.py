"""Parameters and results of these tools, as contract 1 spells them, and results as a model reads them."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.desktop.host.params import Route, Wire
from handrail.kernel.quoting import fence_text, quote_text
from handrail.ports.errors import BadAnswer


class DesktopParams(Wire, frozen=True, kw_only=True):
    pass


class RoutedParams(DesktopParams, frozen=True, kw_only=True):
    route: Route | None = None


def on_wire(params: msgspec.Struct) -> dict[str, Any]:
    """As they are sent and digested: without members that were not given."""
    given: dict[str, Any] = without_none(msgspec.to_builtins(params))
    return given


def without_none(value: Any) -> Any:
    """Elements from desktop_find come back with `value: null`, which means no value."""
    if isinstance(value, dict):
        return {name: without_none(member) for name, member in value.items() if member is not None}
    return [without_none(item) for item in value] if isinstance(value, list | tuple) else value


T = TypeVar("T")


class Said(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of a result; unknown members are ignored."""


class EvidenceFiles(Said, frozen=True, kw_only=True):
    """Names of files below `dir`, which is in the project."""

    dir: str
    screenshot_path: str | UnsetType = UNSET
    ax_path: str | UnsetType = UNSET
    before_screenshot: str | UnsetType = UNSET
    after_screenshot: str | UnsetType = UNSET


class RouteResolved(Said, frozen=True, kw_only=True):
    frontmost_bundle_id: str = ""
    window_title: str = ""
    window_id: str | UnsetType = UNSET
    app_name: str | UnsetType = UNSET
    pid: int | UnsetType = UNSET


class Frame(Said, frozen=True, kw_only=True):
    x: int
    y: int
    width: int
    height: int


class Ref(Said, frozen=True, kw_only=True):
    """A target needs only `elementId` and `fingerprint`."""

    element_id: str
    fingerprint: str
    role: str
    title: str | None = None
    value: str | None = None
    frame: Frame | None = None
    states: list[str] | UnsetType = UNSET
    path: list[int] | UnsetType = UNSET


class Executed(Said, frozen=True, kw_only=True):
    execution_id: str
    route_resolved: RouteResolved | UnsetType = UNSET
    evidence: EvidenceFiles | UnsetType = UNSET


class Acted(Executed, frozen=True, kw_only=True):
    """The action was delivered; `effect` and `changed` say what was observed."""

    effect: Literal["seen", "not_seen"] | UnsetType = UNSET
    changed: list[dict[str, Any]] | UnsetType = UNSET
    delivery: str | UnsetType = UNSET
    verified: bool | UnsetType = UNSET


def read(result: Mapping[str, Any], type: type[T]) -> T:
    try:
        return msgspec.convert(result, type)
    except msgspec.ValidationError as wrong:
        raise BadAnswer(f"The desktop's host answered something else than this method promises: {wrong}.") from None


_CONTENT = "window content"


def said(words: str, content: str = "") -> str:
    """`content` comes from the screen and is fenced off."""
    return f"{words}\n{fence_text(content, _CONTENT)}" if content else words


def acted_said(words: str, result: Acted) -> str:
    changed = () if result.changed is UNSET else result.changed
    if not changed:
        return f"{words} No change was seen." if result.effect == "not_seen" else words
    return said(words, "\n".join(map(_change_line, changed)))


def ref_line(ref: Ref) -> str:
    """`e:12 button "Save" = "…" (focused)`"""
    parts = [ref.element_id, ref.role.removeprefix("AX").lower(), quote_text(ref.title or "")]
    if ref.value:
        parts.append(f"= {quote_text(ref.value)}")
    if ref.frame is not None:
        parts.append(f"at {ref.frame.x},{ref.frame.y} {ref.frame.width}×{ref.frame.height}")
    return " ".join(parts)


def element_words(ref: Ref) -> str:
    """For the question to a person."""
    return f"{ref.role.removeprefix('AX').lower()} {quote_text(ref.title or '')}"


def place_words(route: RouteResolved) -> str:
    return f"window {quote_text(route.window_title)} of {quote_text(route.frontmost_bundle_id or '?')}"


def _change_line(change: Mapping[str, Any]) -> str:
    """`value textfield "Name": "" → "Ada"`"""
    what, role, title = (str(change.get(name) or "") for name in ("what", "role", "title"))
    words = [what, role.removeprefix("AX").lower()]
    if title:
        words.append(quote_text(title))
    head = " ".join(word for word in words if word)
    if "from" in change or "to" in change:
        return f"{head}: {quote_text(str(change.get('from') or ''))} → {quote_text(str(change.get('to') or ''))}"
    if what == "state":
        gained = [f"+{state}" for state in change.get("gained", ())]
        return f"{head}: {' '.join([*gained, *(f'-{state}' for state in change.get('lost', ()))])}"
    return " ".join(word for word in (head, str(change.get("change") or change.get("count") or "")) if word)
