"""The graph of scenes as an SVG: columns by the distance from the entry, what nothing leads to at the right."""

from html import escape
from unicodedata import east_asian_width

from handrail.core.webgal.graph import Graph

_ROW, _GAP, _HEIGHT, _MARGIN, _LETTER = 44, 90, 26, 20, 7.2
_STYLE = (
    "text{font:12px ui-monospace,monospace;fill:#1f2430}rect{fill:#eef2ff;stroke:#5b6cff;rx:5}"
    ".lost rect{fill:#f4f4f5;stroke:#a1a1aa}.missing rect{fill:#fff1f2;stroke:#e11d48;stroke-dasharray:4 3}"
    "path{fill:none;stroke:#7c86a2}.callScene{stroke-dasharray:5 3}.choose{stroke:#0f8a5f}"
    "@media(prefers-color-scheme:dark){text{fill:#e7e9f3}rect{fill:#23284a}.lost rect{fill:#2b2d33}"
    ".missing rect{fill:#43202a}}"
)


def svg(graph: Graph) -> str:
    columns = _columns(graph)
    widths = [max((_width(name) for name in column), default=0) for column in columns]
    places: dict[str, tuple[float, float, float]] = {}
    left = float(_MARGIN)
    for column, width in zip(columns, widths, strict=True):
        for row, name in enumerate(column):
            places[name] = (left, _MARGIN + row * _ROW, width)
        left += width + _GAP
    height = 2 * _MARGIN + _ROW * max(map(len, columns), default=1)
    reached, known = graph.reachable(), set(graph.scenes)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left:.0f}" height="{height}" '
            f'viewBox="0 0 {left:.0f} {height}"><style>{_STYLE}</style>'
            '<defs><marker id="to" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0 8 4 0 8z" style="fill:#7c86a2;stroke:none"/></marker></defs>'
        )
    ]
    for source, target, how in dict.fromkeys((way.source, way.target, way.how) for way in graph.ways):
        parts.append(
            f'<path class="{how}" d="{_curve(places[source], places[target])}" marker-end="url(#to)">'
            f"<title>{escape(f'{source} → {target} ({how})')}</title></path>"
        )
    for name, (x, y, width) in places.items():
        kind = "missing" if name not in known else "scene" if name in reached else "lost"
        parts.append(
            f'<g class="{kind}"><rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{_HEIGHT}"/>'
            f'<text x="{x + 8:.0f}" y="{y + 17:.0f}">{escape(name)}</text></g>'
        )
    return "".join([*parts, "</svg>\n"])


def _columns(graph: Graph) -> list[list[str]]:
    onward: dict[str, list[str]] = {}
    for way in graph.ways:
        onward.setdefault(way.source, []).append(way.target)
    columns: list[list[str]] = []
    placed: set[str] = set()
    everything = [*graph.scenes, *(way.target for way in graph.ways)]
    frontier = [graph.entry] if graph.entry is not None else []
    while len(placed) < len(set(everything)):
        if not frontier:  # what is left over starts at whatever nothing else leads to
            led = {way.target for way in graph.ways}
            rest = sorted(set(everything) - placed)
            frontier = [name for name in rest if name not in led] or rest[:1]
        frontier = list(dict.fromkeys(name for name in frontier if name not in placed))
        if frontier:
            columns.append(frontier)
            placed.update(frontier)
        frontier = [target for name in frontier for target in onward.get(name, ()) if target not in placed]
    return columns


def _width(name: str) -> float:
    return 16 + _LETTER * sum(2 if east_asian_width(char) in "WF" else 1 for char in name)


def _curve(source: tuple[float, float, float], target: tuple[float, float, float]) -> str:
    (x, y, width), (to_x, to_y, _) = source, target
    start, end = (x + width, y + _HEIGHT / 2), (to_x, to_y + _HEIGHT / 2)
    bend = max(abs(end[0] - start[0]) / 2, _GAP / 2)
    return (
        f"M{start[0]:.0f} {start[1]:.0f}C{start[0] + bend:.0f} {start[1]:.0f} "
        f"{end[0] - bend:.0f} {end[1]:.0f} {end[0]:.0f} {end[1]:.0f}"
    )
