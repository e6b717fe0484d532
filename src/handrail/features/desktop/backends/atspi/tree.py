"""The tree of a window with everything that its elements tell."""

from collections.abc import Sequence

from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.cache import Hints
from handrail.features.desktop.backends.atspi.elements import Elements
from handrail.features.desktop.backends.atspi.origins import Origin
from handrail.features.desktop.backends.atspi.shape import Spot, walked
from handrail.features.desktop.platform import Element, Node, Tree
from handrail.ports.errors import Gone


class Trees:
    def __init__(self, bus: AccessibilityBus, elements: Elements) -> None:
        self._bus = bus
        self._elements = elements

    async def read(self, top: Ref, origin: Origin, *, max_depth: int, max_nodes: int) -> Tree:
        known = await Hints.of(self._bus, top.name)
        spots = await walked(self._bus, top, known, max_depth=max_depth, max_nodes=max_nodes)
        elements = await self._elements.of([spot.ref for spot in spots], origin, known.basics)
        if elements[0] is None:
            raise Gone("The window is gone.")
        return Tree(self._node(spots, elements), len(spots), any(spot.is_cut for spot in spots))

    def _node(self, spots: Sequence[Spot], elements: Sequence[Element | None]) -> Node:
        """From the deepest level up: children come after their parents, and a chain of a thousand is a tree too."""
        nodes: dict[Spot, Node] = {}
        for spot, element in zip(reversed(spots), reversed(elements), strict=True):
            children = tuple([nodes.pop(child) for child in spot.children])
            nodes[spot] = Node(element or self._elements.unreadable(spot.ref), children, spot.is_cut)
        return nodes[spots[0]]
