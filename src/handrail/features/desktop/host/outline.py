"""A window as a model reads it: one line an element, with the name to act on it by. Pure.

Hidden elements are left out, containers without a name give their place to what they hold, a label's text is not
said twice, and of a long row of the same kind the first ones stand for all.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from handrail.features.desktop.platform import Element, Node

LONGEST_TEXT = 80
MOST_ALIKE = 25
_CONTAINERS = frozenset(
    {
        "AXApplication",
        "AXGroup",
        "AXImage",
        "AXLayoutArea",
        "AXLayoutItem",
        "AXMenuBar",
        "AXRuler",
        "AXScrollArea",
        "AXScrollBar",
        "AXSplitGroup",
        "AXSplitter",
        "AXTabGroup",
        "AXToolbar",
        "AXUnknown",
        "AXWebArea",
    }
)
_TEXTS = frozenset({"AXStaticText", "AXHeading"})
_LABELLED = frozenset({"AXButton", "AXCheckBox", "AXLink", "AXMenuItem", "AXRadioButton"})
_TOLD_STATES = ("focused", "checked", "selected", "expanded", "pressed", "busy", "modal", "invalid-entry", "read-only")
_NEVER_DISABLED = _CONTAINERS | _TEXTS | {"AXWindow"}
_WHITE = re.compile(r"\s+")


@dataclass(slots=True)
class _Line:
    element: Element
    title: str
    below: list["_Line"] = field(default_factory=list)
    is_cut: bool = False


def outline(root: Node, name: Callable[[Element], str], *, is_cut: bool = False) -> str:
    """The window's own line first; `name` gives the ref of an element that gets a line."""
    top = _Line(root.element, _short(root.element.title), _lines(root.children), root.is_cut)
    told = list(_told(top, name, 0))
    if is_cut:
        told.append("… (the tree goes on; ask for more with axMaxNodes and axMaxDepth)")
    return "\n".join(told)


def _lines(nodes: Sequence[Node]) -> list[_Line]:
    lines: list[_Line] = []
    for node in nodes:
        element = node.element
        if "showing" not in element.states:
            continue
        below = _lines(node.children)
        title = _short(element.title)
        if not title and not element.value and not _is_actable(element) and element.role in _CONTAINERS | _TEXTS:
            lines += below
            continue
        # What a bound left out below a named control is most often its own label.
        line = _Line(element, title, below, node.is_cut and not (title and element.role in _LABELLED))
        _take_label(line)
        lines.append(line)
    return lines


def _take_label(line: _Line) -> None:
    """A text inside that only repeats the name goes; one inside that is the only name becomes it."""
    texts = [each for each in line.below if each.element.role in _TEXTS and not each.below]
    if not line.title and len(texts) == 1 and len(line.below) == 1:
        line.title = texts[0].title or _short(texts[0].element.value or "")
    said = {line.title, _short(line.element.value or "")}
    line.below = [each for each in line.below if each not in texts or each.title not in said]


def _told(line: _Line, name: Callable[[Element], str], depth: int) -> Iterator[str]:
    yield "  " * depth + _words(line, name)
    alike, skipped = 0, 0
    last: str | None = None
    for each in line.below:
        alike = alike + 1 if each.element.role == last else 0
        last = each.element.role
        if alike < MOST_ALIKE:
            if skipped:
                yield _more(depth, skipped)
                skipped = 0
            yield from _told(each, name, depth + 1)
        else:
            skipped += 1
    if skipped or line.is_cut:
        yield _more(depth, skipped)


def _more(depth: int, skipped: int) -> str:
    return "  " * (depth + 1) + (f"… {skipped} more" if skipped else "… more")


def _words(line: _Line, name: Callable[[Element], str]) -> str:
    element = line.element
    words = [name(element), element.role.removeprefix("AX").lower()]
    if line.title:
        words.append(f'"{line.title}"')
    if element.value and _short(element.value) != line.title:
        words.append(f'= "{_short(element.value)}"')
    told = [state for state in _TOLD_STATES if state in element.states]
    if element.role not in _NEVER_DISABLED and element.states.isdisjoint({"enabled", "sensitive"}):
        told.append("disabled")
    return " ".join([*words, f"({', '.join(told)})"] if told else words)


def _is_actable(element: Element) -> bool:
    return bool(element.actions) or "editable" in element.states


def _short(text: str) -> str:
    text = _WHITE.sub(" ", text).strip()
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
