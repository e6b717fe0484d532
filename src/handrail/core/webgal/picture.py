"""The graph of scenes as an SVG that stands for itself."""

from html import escape

from handrail.core.webgal.graph import Graph
from handrail.core.webgal.layout import HEIGHT, Arrow, Node, laid_out

_STYLE = (
    "text{font:12px ui-monospace,monospace;fill:#1f2430}rect{fill:#eef2ff;stroke:#5b6cff;rx:5}"
    ".lost rect{fill:#f4f4f5;stroke:#a1a1aa}.missing rect{fill:#fff1f2;stroke:#e11d48;stroke-dasharray:4 3}"
    "path{fill:none;stroke:#7c86a2}.callScene{stroke-dasharray:5 3}.choose{stroke:#0f8a5f}"
    "@media(prefers-color-scheme:dark){text{fill:#e7e9f3}rect{fill:#23284a}.lost rect{fill:#2b2d33}"
    ".missing rect{fill:#43202a}}"
)


def svg(graph: Graph) -> str:
    layout = laid_out(graph)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{layout.width:.0f}" height="{layout.height:.0f}" '
        f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}"><style>{_STYLE}</style>'
        '<defs><marker id="to" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" style="fill:#7c86a2;stroke:none"/></marker></defs>'
    )
    return "".join([head, *map(_arrow, layout.arrows), *map(_node, layout.nodes), "</svg>\n"])


def _arrow(arrow: Arrow) -> str:
    return (
        f'<path class="{arrow.how}" d="{arrow.path}" marker-end="url(#to)">'
        f"<title>{escape(f'{arrow.source} → {arrow.target} ({arrow.how})')}</title></path>"
    )


def _node(node: Node) -> str:
    return (
        f'<g class="{node.kind}"><rect x="{node.x:.0f}" y="{node.y:.0f}" width="{node.width:.0f}" height="{HEIGHT}"/>'
        f'<text x="{node.x + 8:.0f}" y="{node.y + 17:.0f}">{escape(node.name)}</text></g>'
    )
