"""A window as lines for a model, and trees and matches as `ax.json` has them. Pure.

The lines leave out hidden elements, containers without a name, repeated label texts, and the rest of a long row of
elements of the same kind. The cells of a spreadsheet share a line a row.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from handrail.features.desktop.host.refs import ElementRefs, spelled_frame
from handrail.features.desktop.host.routing import Routed
from handrail.features.desktop.host.search import Match
from handrail.features.desktop.platform import Element, Node, Tree, Window

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
_CELL = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")
_LEAST_CELLS = 8
_LONGEST_CELL = 40


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
        told.append("… (truncated; raise axMaxNodes and axMaxDepth to see more)")
    return "\n".join(told)


def shallow(tree: Tree, max_depth: int) -> Tree:
    """No deeper than this. Containers that get no line of their own don't count as a level."""
    count, is_cut = 0, False

    def copied(node: Node, depth: int) -> Node:
        nonlocal count, is_cut
        count += 1
        below = depth if _is_mere_container(node.element) else depth + 1
        if below > max_depth and node.children:
            is_cut = True
            return replace(node, children=(), is_cut=True)
        is_cut = is_cut or node.is_cut
        return replace(node, children=tuple([copied(child, below) for child in node.children]))

    root = copied(tree.root, 0)
    return Tree(root, count, is_cut)


def _is_mere_container(element: Element) -> bool:
    is_silent = not element.title.strip() and not element.value and not _is_actable(element)
    return is_silent and element.role in _CONTAINERS | _TEXTS


def _lines(nodes: Sequence[Node]) -> list[_Line]:
    lines: list[_Line] = []
    for node in nodes:
        element = node.element
        if "showing" not in element.states:
            continue
        below = _lines(node.children)
        title = _short(element.title)
        if _is_mere_container(element):
            lines += below
            continue
        # What a bound left out below a named control is most often its own label.
        line = _Line(element, title, below, node.is_cut and not (title and element.role in _LABELLED))
        _take_label(line)
        lines.append(line)
    return lines


def _take_label(line: _Line) -> None:
    """Removes an inner text that repeats the title; a single inner text becomes the title of an element without one."""
    texts = [each for each in line.below if each.element.role in _TEXTS and not each.below]
    if not line.title and len(texts) == 1 and len(line.below) == 1:
        line.title = texts[0].title or _short(texts[0].element.value or "")
    said = {line.title, _short(line.element.value or "")}
    line.below = [each for each in line.below if each not in texts or each.title not in said]


def _told(line: _Line, name: Callable[[Element], str], depth: int) -> Iterator[str]:
    yield "  " * depth + _words(line, name)
    if (rows := _rows(line.below)) is not None:
        yield from ("  " * (depth + 1) + row for row in rows)
        yield "  " * (depth + 1) + '… visible cells only; desktop_find titleContains "B7" byRole AXCell names one'
        return
    alike, skipped = 0, 0
    last: str | None = None
    for each in line.below:
        alike = alike + 1 if each.element.role == last else 0
        last = each.element.role
        if alike < MOST_ALIKE:
            if skipped:
                yield _more(depth, skipped, line.below)
                skipped = 0
            yield from _told(each, name, depth + 1)
        else:
            skipped += 1
    if skipped or line.is_cut:
        yield _more(depth, skipped, line.below)


def _more(depth: int, skipped: int, among: Sequence[_Line]) -> str:
    """Names how the others are found: by their role."""
    roles = {each.element.role for each in among[MOST_ALIKE:]}
    how = f": desktop_find byRole {min(roles)} limit {len(among)}" if skipped and len(roles) == 1 else ""
    return "  " * (depth + 1) + (f"… {skipped} more{how}" if skipped else "… more")


def _rows(cells: Sequence[_Line]) -> Iterator[str] | None:
    """`2: A "x" | C "5"`; None for what isn't a spreadsheet."""
    places = [_CELL.fullmatch(each.element.title) for each in cells if each.element.role == "AXCell"]
    if len(cells) < _LEAST_CELLS or len(places) != len(cells) or None in places:
        return None
    rows: dict[str, list[str]] = {}
    columns: dict[str, list[str]] = {}
    for each, place in zip(cells, places, strict=True):
        assert place is not None
        text = _short(each.element.value or "")
        text = (text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…").replace("|", "¦")
        rows.setdefault(place[2], []).append(text)
        columns.setdefault(place[2], []).append(place[1])
    return (f"{_span(columns[row])} {row}: {' | '.join(texts)}" for row, texts in rows.items())


def _span(columns: Sequence[str]) -> str:
    """`A-T` where none is missing, otherwise each: `A,C`."""
    numbers = [_column_number(column) for column in columns]
    if len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{columns[0]}-{columns[-1]}"
    return ",".join(columns)


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


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


def spelled_tree(routed: Routed, tree: Tree, name: Callable[[Element], str]) -> dict[str, Any]:
    return {
        "route": routed.spelled(),
        "windows": [spelled_window(window) for window in routed.everything],
        "nodeCount": tree.count,
        "truncated": tree.is_cut,
        "root": _node(tree.root, name),
    }


def spelled_matches(routed: Routed | None, matches: Sequence[Match], refs: ElementRefs) -> dict[str, Any]:
    return {
        "route": None if routed is None else routed.spelled(),
        "matches": [
            {
                **refs.spelled(match.window, match.found),
                "window": match.window.title,
                "ancestors": [
                    {**_element(element), "elementId": refs.name(match.window, element)}
                    for element in match.found.ancestors
                ],
            }
            for match in matches
        ],
    }


def spelled_window(window: Window) -> dict[str, Any]:
    return {
        "title": window.title,
        "app": window.app_id,
        "pid": window.pid,
        "frame": spelled_frame(window.frame),
        "isFront": window.is_front,
        "isModal": window.is_modal,
        **({} if window.is_readable else {"isReadable": False}),
    }


def _node(node: Node, name: Callable[[Element], str]) -> dict[str, Any]:
    spelled = {
        "elementId": name(node.element),
        **_element(node.element),
        "children": [_node(child, name) for child in node.children],
    }
    return {**spelled, "truncated": True} if node.is_cut else spelled


def _element(element: Element) -> dict[str, Any]:
    return {
        "role": element.role,
        "nativeRole": element.native_role,
        "title": element.title,
        "value": element.value,
        "frame": spelled_frame(element.frame),
        "states": sorted(element.states),
        "actions": list(element.actions),
    }
