"""Describes a window as lines for a model, and trees and matches in the form of `ax.json`.

The lines omit hidden elements, unnamed containers, repeated label texts, and most of a long series of elements of the
same kind. Each row of a spreadsheet is one line.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from handrail.features.desktop.desktop_port import Element, Node, Tree, Window
from handrail.features.desktop.host.refs import ElementRefs, frame_to_wire, window_id
from handrail.features.desktop.host.routing import ResolvedRoute
from handrail.features.desktop.host.search import Match

MAX_TEXT = 80
MAX_SIMILAR_SIBLINGS = 25
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
_LISTED_STATES = (
    "focused",
    "checked",
    "selected",
    "expanded",
    "pressed",
    "busy",
    "modal",
    "invalid-entry",
    "read-only",
)
_NEVER_DISABLED = _CONTAINERS | _TEXTS | {"AXWindow"}
_WHITE = re.compile(r"\s+")
_CELL = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")
_MIN_CELLS = 8
_MAX_CELL_TEXT = 40


@dataclass(slots=True)
class _Line:
    element: Element
    title: str
    children: list["_Line"] = field(default_factory=list)
    is_cut: bool = False


def outline(root: Node, name: Callable[[Element], str], *, is_cut: bool = False) -> str:
    """Returns the lines, starting with the window's own. `name` returns the short name of an element."""
    top = _Line(root.element, _short(root.element.title), _lines(root.children), root.is_cut)
    lines = list(_render(top, name, 0))
    if is_cut:
        lines.append("… (truncated; raise axMaxNodes and axMaxDepth to see more)")
    return "\n".join(lines)


def limit_depth(tree: Tree, max_depth: int) -> Tree:
    """Cuts a tree at a depth, not counting containers that get no line of their own."""
    count, is_cut = 0, False

    def copy(node: Node, depth: int) -> Node:
        nonlocal count, is_cut
        count += 1
        children = depth if _is_plain_container(node.element) else depth + 1
        if children > max_depth and node.children:
            is_cut = True
            return replace(node, children=(), is_cut=True)
        is_cut = is_cut or node.is_cut
        return replace(node, children=tuple([copy(child, children) for child in node.children]))

    root = copy(tree.root, 0)
    return Tree(root, count, is_cut)


def _is_plain_container(element: Element) -> bool:
    is_empty = not element.title.strip() and not element.value and not _is_actable(element)
    return is_empty and element.role in _CONTAINERS | _TEXTS


def _lines(nodes: Sequence[Node]) -> list[_Line]:
    lines: list[_Line] = []
    for node in nodes:
        element = node.element
        if "showing" not in element.states:
            continue
        children = _lines(node.children)
        title = _short(element.title)
        if _is_plain_container(element):
            lines += children
            continue
        # What was cut off below a named control is usually just its label.
        line = _Line(element, title, children, node.is_cut and not (title and element.role in _LABELLED))
        _merge_label(line)
        lines.append(line)
    return lines


def _merge_label(line: _Line) -> None:
    """Removes an inner text that repeats the title; a single inner text becomes the title of an element without one."""
    texts = [child for child in line.children if child.element.role in _TEXTS and not child.children]
    if not line.title and len(texts) == 1 and len(line.children) == 1:
        line.title = texts[0].title or _short(texts[0].element.value or "")
    repeated = {line.title, _short(line.element.value or "")}
    line.children = [child for child in line.children if child not in texts or child.title not in repeated]


def _render(line: _Line, name: Callable[[Element], str], depth: int) -> Iterator[str]:
    yield "  " * depth + _describe(line, name)
    if (rows := _rows(line.children)) is not None:
        yield from ("  " * (depth + 1) + row for row in rows)
        yield (
            "  " * (depth + 1)
            + '… visible cells only; use desktop_find titleContains "B7" byRole AXCell for one of them'
        )
        return
    similar, skipped = 0, 0
    last: str | None = None
    for child in line.children:
        similar = similar + 1 if child.element.role == last else 0
        last = child.element.role
        if similar < MAX_SIMILAR_SIBLINGS:
            if skipped:
                yield _more(depth, skipped, line.children)
                skipped = 0
            yield from _render(child, name, depth + 1)
        else:
            skipped += 1
    if skipped or line.is_cut:
        yield _more(depth, skipped, line.children)


def _more(depth: int, skipped: int, among: Sequence[_Line]) -> str:
    """Says how to find the omitted elements: by their role."""
    roles = {line.element.role for line in among[MAX_SIMILAR_SIBLINGS:]}
    how = f": desktop_find byRole {min(roles)} limit {len(among)}" if skipped and len(roles) == 1 else ""
    return "  " * (depth + 1) + (f"… {skipped} more{how}" if skipped else "… more")


def _rows(cells: Sequence[_Line]) -> Iterator[str] | None:
    """Yields a line for each row, such as `A,C 2: x|5`. Returns None if this isn't a spreadsheet."""
    places = [_CELL.fullmatch(line.element.title) for line in cells if line.element.role == "AXCell"]
    if len(cells) < _MIN_CELLS or len(places) != len(cells) or None in places:
        return None
    rows: dict[str, list[str]] = {}
    columns: dict[str, list[str]] = {}
    for line, place in zip(cells, places, strict=True):
        assert place is not None
        text = _short(line.element.value or "")
        text = (text if len(text) <= _MAX_CELL_TEXT else text[: _MAX_CELL_TEXT - 1] + "…").replace("|", "¦")
        rows.setdefault(place[2], []).append(text)
        columns.setdefault(place[2], []).append(place[1])
    return (f"{_span(columns[row])} {row}: {'|'.join(texts)}" for row, texts in rows.items())


def _span(columns: Sequence[str]) -> str:
    """Returns a range such as `A-T`, or a list such as `A,C` if columns are missing."""
    numbers = [_column_number(column) for column in columns]
    if len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{columns[0]}-{columns[-1]}"
    return ",".join(columns)


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _describe(line: _Line, name: Callable[[Element], str]) -> str:
    element = line.element
    words = [name(element), element.role.removeprefix("AX").lower()]
    if line.title:
        words.append(f'"{line.title}"')
    if element.value and _short(element.value) != line.title:
        words.append(f'= "{_short(element.value)}"')
    states = [state for state in _LISTED_STATES if state in element.states]
    if element.role not in _NEVER_DISABLED and element.states.isdisjoint({"enabled", "sensitive"}):
        states.append("disabled")
    return " ".join([*words, f"({', '.join(states)})"] if states else words)


def _is_actable(element: Element) -> bool:
    return bool(element.actions) or "editable" in element.states


def _short(text: str) -> str:
    text = _WHITE.sub(" ", text).strip()
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def tree_to_wire(resolved_route: ResolvedRoute, tree: Tree, name: Callable[[Element], str]) -> dict[str, Any]:
    return {
        "route": resolved_route.to_wire(),
        "windows": [window_to_wire(window) for window in resolved_route.all_windows],
        "nodeCount": tree.count,
        "truncated": tree.is_cut,
        "root": _node(tree.root, name),
    }


def matches_to_wire(
    resolved_route: ResolvedRoute | None, matches: Sequence[Match], refs: ElementRefs
) -> dict[str, Any]:
    return {
        "route": None if resolved_route is None else resolved_route.to_wire(),
        "matches": [
            {
                **refs.to_wire(match.window, match.located),
                "window": match.window.title,
                "ancestors": [
                    {**_element(element), "elementId": refs.name(match.window, element)}
                    for element in match.located.ancestors
                ],
            }
            for match in matches
        ],
    }


def window_to_wire(window: Window) -> dict[str, Any]:
    return {
        "title": window.title,
        "app": window.app_id,
        "windowId": window_id(window),
        "pid": window.pid,
        "frame": frame_to_wire(window.frame),
        "isFront": window.is_front,
        "isModal": window.is_modal,
        **({"isMinimized": True} if window.is_minimized else {}),
        **({} if window.is_readable else {"isReadable": False}),
    }


def _node(node: Node, name: Callable[[Element], str]) -> dict[str, Any]:
    wire_node = {
        "elementId": name(node.element),
        **_element(node.element),
        "children": [_node(child, name) for child in node.children],
    }
    return {**wire_node, "truncated": True} if node.is_cut else wire_node


def _element(element: Element) -> dict[str, Any]:
    return {
        "role": element.role,
        "nativeRole": element.native_role,
        "title": element.title,
        "value": element.value,
        "frame": frame_to_wire(element.frame),
        "states": sorted(element.states),
        "actions": list(element.actions),
    }
