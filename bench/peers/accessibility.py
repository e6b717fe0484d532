"""The other AT-SPI clients, run by the system's Python: `accessibility.py pyatspi|dogtail`.

Each line of stdin is a JSON request, each line of stdout an answer. dogtail changes pyatspi's classes, so each runs in
its own process.
"""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pyatspi

_ROLES = {name: number for number, name in pyatspi.ROLE_NAMES.items()}
_NUMERIC = {_ROLES[name] for name in ("progress bar", "scroll bar", "slider", "spin button", "level bar")}
_WRITTEN = {_ROLES[name] for name in ("combo box", "table cell", "terminal", "text", "paragraph", "entry")}


def find(title: str, role: str, contained: str) -> int:
    role_number = _ROLES[role]
    return len(
        pyatspi.findAllDescendants(_window(title), lambda one: one.getRole() == role_number and contained in one.name)
    )


def tree(title: str, most: int) -> int:
    """Reads everything that handrail reads of each element."""
    remaining = [most]
    return sum(1 for _ in _read(_window(title), remaining))


def dogtail_find(title: str, role: str, contained: str) -> int:
    from dogtail.config import config

    config.checkForA11y = config.logDebugToFile = config.logDebugToStdOut = False
    from dogtail.tree import root

    window = next(one for app in root.applications() for one in app.children if one.name == title)
    return len(window.findChildren(lambda one: one.roleName == role and contained in one.name))


def _window(title: str) -> Any:
    return next(one for app in pyatspi.Registry.getDesktop(0) for one in app if one is not None and one.name == title)


def _read(node: Any, remaining: list[int]) -> Iterator[tuple[Any, ...]]:
    remaining[0] -= 1
    interfaces, role, states = node.get_interfaces(), node.getRole(), node.getState().getStates()
    frame = actions = value = None
    if "Component" in interfaces and (pyatspi.STATE_VISIBLE in states or pyatspi.STATE_SHOWING in states):
        frame = node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
    if "Action" in interfaces:
        action = node.queryAction()
        actions = [action.getName(index) for index in range(action.nActions)]
    if "Value" in interfaces and role in _NUMERIC:
        value = node.queryValue().currentValue
    elif "Text" in interfaces and (role in _WRITTEN or pyatspi.STATE_EDITABLE in states):
        value = node.queryText().getText(0, 4097)
    yield role, node.name, states, frame, actions, value
    for child in node:
        if child is not None and remaining[0] > 0:
            yield from _read(child, remaining)


def main() -> None:
    commands: dict[str, dict[str, Callable[..., int]]] = {
        "pyatspi": {"find": find, "tree": tree},
        "dogtail": {"find": dogtail_find},
    }
    functions = commands[sys.argv[1]]
    for line in sys.stdin:
        name, *params = json.loads(line)
        print(json.dumps(functions[name](*params)), flush=True)


main()
