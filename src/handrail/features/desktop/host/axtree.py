"""`ax.json`: a tree, or matches with their ancestors, as plain values. Pure."""

from collections.abc import Callable, Sequence
from typing import Any

from handrail.features.desktop.host.refs import ElementRefs, spelled_frame
from handrail.features.desktop.host.routing import Routed
from handrail.features.desktop.host.search import Match
from handrail.features.desktop.platform import Element, Node, Tree, Window


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
