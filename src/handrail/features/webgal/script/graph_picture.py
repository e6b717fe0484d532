"""Draws the graph of scenes as SVG, in columns by distance from the start."""

from html import escape
from typing import Literal
from unicodedata import east_asian_width

import msgspec

from handrail.features.webgal.script.graph import Graph

HEIGHT = 26
_ROW, _GAP, _MARGIN, _LETTER = 44, 90, 20, 7.2


class Node(msgspec.Struct, frozen=True):
    """`lost` means that nothing leads there, `missing` that the scene doesn't exist."""

    name: str
    kind: Literal["scene", "lost", "missing"]
    x: float
    y: float
    width: float


class Arrow(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """`path` is an SVG path; `line` is the first line with this link."""

    source: str
    target: str
    how: str
    line: int
    path: str


class Layout(msgspec.Struct, frozen=True):
    width: float
    height: float
    nodes: list[Node]
    arrows: list[Arrow]


def make_layout(graph: Graph) -> Layout:
    columns = _columns(graph)
    reached, existing = graph.reachable(), set(graph.scenes)
    nodes: dict[str, Node] = {}
    x = float(_MARGIN)
    for column in columns:
        width = max(map(_width, column), default=0)
        for row, name in enumerate(column):
            kind: Literal["scene", "lost", "missing"] = "scene" if name in reached else "lost"
            nodes[name] = Node(name, kind if name in existing else "missing", x, _MARGIN + row * _ROW, width)
        x += width + _GAP
    first = {(link.source, link.target, link.how): link.line for link in reversed(graph.links)}
    arrows = [
        Arrow(source, target, how, first[source, target, how], _curve(nodes[source], nodes[target]))
        for source, target, how in dict.fromkeys((link.source, link.target, link.how) for link in graph.links)
    ]
    height = 2 * _MARGIN + _ROW * max(map(len, columns), default=1)
    return Layout(x, height, list(nodes.values()), arrows)


def _columns(graph: Graph) -> list[list[str]]:
    targets: dict[str, list[str]] = {}
    for link in graph.links:
        targets.setdefault(link.source, []).append(link.target)
    columns: list[list[str]] = []
    placed: set[str] = set()
    all_scenes = [*graph.scenes, *(link.target for link in graph.links)]
    frontier = [graph.entry] if graph.entry is not None else []
    while len(placed) < len(set(all_scenes)):
        if not frontier:  # the rest starts with scenes that nothing leads to
            linked = {link.target for link in graph.links}
            rest = sorted(set(all_scenes) - placed)
            frontier = [name for name in rest if name not in linked] or rest[:1]
        frontier = list(dict.fromkeys(name for name in frontier if name not in placed))
        if frontier:
            columns.append(frontier)
            placed.update(frontier)
        frontier = [target for name in frontier for target in targets.get(name, ()) if target not in placed]
    return columns


def _width(name: str) -> float:
    return 16 + _LETTER * sum(2 if east_asian_width(char) in "WF" else 1 for char in name)


def _curve(source: Node, target: Node) -> str:
    start, end = (source.x + source.width, source.y + HEIGHT / 2), (target.x, target.y + HEIGHT / 2)
    bend = max(abs(end[0] - start[0]) / 2, _GAP / 2)
    return (
        f"M{start[0]:.0f} {start[1]:.0f}C{start[0] + bend:.0f} {start[1]:.0f} "
        f"{end[0] - bend:.0f} {end[1]:.0f} {end[0]:.0f} {end[1]:.0f}"
    )


_SVG_STYLE = (
    "text{font:12px ui-monospace,monospace;fill:#1f2430}rect{fill:#eef2ff;stroke:#5b6cff;rx:5}"
    ".lost rect{fill:#f4f4f5;stroke:#a1a1aa}.missing rect{fill:#fff1f2;stroke:#e11d48;stroke-dasharray:4 3}"
    "path{fill:none;stroke:#7c86a2}.callScene{stroke-dasharray:5 3}.choose{stroke:#0f8a5f}"
    "@media(prefers-color-scheme:dark){text{fill:#e7e9f3}rect{fill:#23284a}.lost rect{fill:#2b2d33}"
    ".missing rect{fill:#43202a}}"
)


def svg(graph: Graph) -> str:
    layout = make_layout(graph)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{layout.width:.0f}" height="{layout.height:.0f}" '
        f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}"><style>{_SVG_STYLE}</style>'
        '<defs><marker id="to" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" style="fill:#7c86a2;stroke:none"/></marker></defs>'
    )
    return "".join([head, *map(_svg_arrow, layout.arrows), *map(_svg_node, layout.nodes), "</svg>\n"])


def _svg_arrow(arrow: Arrow) -> str:
    return (
        f'<path class="{arrow.how}" d="{arrow.path}" marker-end="url(#to)">'
        f"<title>{escape(f'{arrow.source} → {arrow.target} ({arrow.how})')}</title></path>"
    )


def _svg_node(node: Node) -> str:
    return (
        f'<g class="{node.kind}"><rect x="{node.x:.0f}" y="{node.y:.0f}" width="{node.width:.0f}" height="{HEIGHT}"/>'
        f'<text x="{node.x + 8:.0f}" y="{node.y + 17:.0f}">{escape(node.name)}</text></g>'
    )
