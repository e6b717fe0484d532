"""Results of the desktop tools on the wire of contract 1, and the text that a model gets for them."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from handrail.kernel.quoting import fence_text, quote_text
from handrail.ports.errors import BadAnswer


def to_wire(params: msgspec.Struct) -> dict[str, Any]:
    """Returns the parameters as they are sent and digested: without members that are None."""
    wire: dict[str, Any] = without_none(msgspec.to_builtins(params))
    return wire


def without_none(value: Any) -> Any:
    """Removes members that are None: elements from desktop_find come back with `value: null`, which means no value."""
    if isinstance(value, dict):
        return {name: without_none(member) for name, member in value.items() if member is not None}
    return [without_none(item) for item in value] if isinstance(value, list | tuple) else value


T = TypeVar("T")


class ResultPart(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of a result; unknown members are ignored."""


class EvidenceFiles(ResultPart, frozen=True, kw_only=True):
    """File names below `dir`, which is a folder of the project."""

    dir: str
    screenshot_path: str | UnsetType = UNSET
    ax_path: str | UnsetType = UNSET
    before_screenshot: str | UnsetType = UNSET
    after_screenshot: str | UnsetType = UNSET


class RouteResolved(ResultPart, frozen=True, kw_only=True):
    frontmost_bundle_id: str = ""
    window_title: str = ""
    window_id: str | UnsetType = UNSET
    app_name: str | UnsetType = UNSET
    pid: int | UnsetType = UNSET


class Frame(ResultPart, frozen=True, kw_only=True):
    x: int
    y: int
    width: int
    height: int


class Ref(ResultPart, frozen=True, kw_only=True):
    """An element as the host returns it. As a target, only `elementId` and `fingerprint` are needed."""

    element_id: str
    fingerprint: str
    role: str
    title: str | None = None
    value: str | None = None
    frame: Frame | None = None
    states: list[str] | UnsetType = UNSET
    path: list[int] | UnsetType = UNSET


class ExecutionResult(ResultPart, frozen=True, kw_only=True):
    execution_id: str
    route_resolved: RouteResolved | UnsetType = UNSET
    evidence: EvidenceFiles | UnsetType = UNSET


class ActionResult(ExecutionResult, frozen=True, kw_only=True):
    """The action was delivered; `effect` and `changed` report what was observed afterwards."""

    effect: Literal["seen", "not_seen"] | UnsetType = UNSET
    changed: list[dict[str, Any]] | UnsetType = UNSET
    delivery: str | UnsetType = UNSET
    verified: bool | UnsetType = UNSET


def read_result(answer: Mapping[str, Any], type: type[T]) -> T:
    try:
        return msgspec.convert(answer, type)
    except msgspec.ValidationError as error:
        raise BadAnswer(f"The desktop host's answer doesn't match the method's result type: {error}.") from None


_CONTENT_LABEL = "window content"


def with_content(words: str, content: str = "") -> str:
    """Appends content from the screen, fenced off because it is untrusted."""
    return f"{words}\n{fence_text(content, _CONTENT_LABEL)}" if content else words


def describe_action(words: str, result: ActionResult) -> str:
    changed = () if result.changed is UNSET else result.changed
    if not changed:
        return f"{words} No change was seen." if result.effect == "not_seen" else words
    return with_content(words, "\n".join(map(_change_line, changed)))


def ref_line(ref: Ref) -> str:
    """`e:12 button "Save" = "…" (focused)`"""
    parts = [ref.element_id, ref.role.removeprefix("AX").lower(), quote_text(ref.title or "")]
    if ref.value:
        parts.append(f"= {quote_text(ref.value)}")
    if ref.frame is not None:
        parts.append(f"at {ref.frame.x},{ref.frame.y} {ref.frame.width}×{ref.frame.height}")
    return " ".join(parts)


def describe_element(ref: Ref) -> str:
    """Describes an element in a question to a person."""
    return f"{ref.role.removeprefix('AX').lower()} {quote_text(ref.title or '')}"


def describe_window(route: RouteResolved) -> str:
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
    ending = str(change.get("change") or change.get("count") or "")
    if ending in ("moved", "resized") and (frame := change.get("frame")):
        ending += f" to {frame['x']},{frame['y']} {frame['width']}×{frame['height']}"
    return " ".join(word for word in (head, ending) if word)
