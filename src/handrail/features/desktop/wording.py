"""Results as a model reads them: few words of ours, and what other programs show fenced off from them."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from handrail.features.desktop.messages import Acted, Ref, RouteResolved
from handrail.kernel import quoting
from handrail.kernel.quoting import quoted

_CONTENT = "window content"


def said(words: str, content: str = "") -> str:
    """`content` is what is on the screen, or quotes it."""
    return f"{words}\n{quoting.fenced(content, _CONTENT)}" if content else words


def acted_said(words: str, result: Acted) -> str:
    changed = () if result.changed is UNSET else result.changed
    if not changed:
        return f"{words} No change was seen." if result.effect == "not_seen" else words
    return said(words, "\n".join(map(_change_line, changed)))


def ref_line(ref: Ref) -> str:
    """`e:12 button "Save" = "…" (focused)`"""
    parts = [ref.element_id, ref.role.removeprefix("AX").lower(), quoted(ref.title or "")]
    if ref.value:
        parts.append(f"= {quoted(ref.value)}")
    if ref.frame is not None:
        parts.append(f"at {ref.frame.x},{ref.frame.y} {ref.frame.width}×{ref.frame.height}")
    return " ".join(parts)


def element_words(ref: Ref) -> str:
    """How a person is told of it."""
    return f"{ref.role.removeprefix('AX').lower()} {quoted(ref.title or '')}"


def place_words(route: RouteResolved) -> str:
    return f"window {quoted(route.window_title)} of {quoted(route.frontmost_bundle_id or '?')}"


def _change_line(change: Mapping[str, Any]) -> str:
    """`value textfield "Name": "" → "Ada"`"""
    what, role, title = (str(change.get(name) or "") for name in ("what", "role", "title"))
    words = [what, role.removeprefix("AX").lower()]
    if title:
        words.append(quoted(title))
    head = " ".join(word for word in words if word)
    if "from" in change or "to" in change:
        return f"{head}: {quoted(str(change.get('from') or ''))} → {quoted(str(change.get('to') or ''))}"
    if what == "state":
        gained = [f"+{state}" for state in change.get("gained", ())]
        return f"{head}: {' '.join([*gained, *(f'-{state}' for state in change.get('lost', ()))])}"
    return " ".join(word for word in (head, str(change.get("change") or change.get("count") or "")) if word)
