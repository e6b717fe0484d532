"""A task's last view: its newest picture with the indexed elements of the same page. Invalid results are left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.browser.bus.page_actions import Element
from handrail.ports.browser import ActionRecord, Box, IndexedElement, TaskView, Wire

T = TypeVar("T")

PICTURE = "browser_screenshot"
INDEX = "browser_dom_index"
MAX_INDEXES = 20  # long pages are indexed in parts
MAX_PICTURES = 5  # the first valid one is used
MAX_ACTIONS = 50  # to find those that changed the page
_READ_ACTIONS = frozenset(
    f"browser_{name}"
    for name in (
        "screenshot", "dom_index", "page", "readability_extract", "find_text", "get_html", "xpath_scan", "tabs",
        "console", "requests", "pdf", "wait_for", "wait_for_loaded", "debugger_attach", "debugger_detach",
    )
)  # fmt: skip


class Area(Wire, frozen=True, kw_only=True):
    """A part of a page, in CSS pixels from its start."""

    x: float = 0
    y: float = 0
    width: float
    height: float


class _Picture(Wire, frozen=True, kw_only=True):
    artifact_id: str
    width: int
    height: int
    page_url: str | UnsetType = UNSET
    area: Area | UnsetType = UNSET


class _Index(Wire, frozen=True, kw_only=True):
    url: str | UnsetType = UNSET
    viewport: Area | UnsetType = UNSET
    elements: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Scale:
    """Maps an index's viewport to a picture's pixels; 1:1 if neither has its area."""

    x: float
    y: float
    factor: float

    def of(self, box: Box) -> Box:
        return Box(
            x=round((box.x + self.x) * self.factor, 1),
            y=round((box.y + self.y) * self.factor, 1),
            w=round(box.w * self.factor, 1),
            h=round(box.h * self.factor, 1),
        )


def view_of(
    task_id: str,
    pictures: Sequence[ActionRecord],
    indexes: Sequence[ActionRecord],
    latest: Sequence[ActionRecord] = (),
) -> TaskView:
    """All lists have the newest first. The picture's artifact may be deleted by now."""
    acted = [
        at for record in latest if not _READ_ACTIONS.issuperset(record.actions) and (at := record.ended_at) is not UNSET
    ]
    for record in pictures:
        picture = _convert(_picture_in(record), _Picture)
        if picture is None or picture.width <= 0 or picture.height <= 0:
            continue
        tab = _tab(record, PICTURE)
        view = TaskView(
            task_id=task_id, artifact_id=picture.artifact_id, tab_id=UNSET if tab is None else tab,
            width=picture.width, height=picture.height, taken_at=record.ended_at, url=picture.page_url,
            acted_at=max(acted, default=UNSET),
        )  # fmt: skip
        return _with_index(view, picture, indexes, acted)
    return TaskView(task_id=task_id)


def _with_index(view: TaskView, picture: _Picture, indexes: Sequence[ActionRecord], acted: Sequence[int]) -> TaskView:
    """Adds the elements of indexes of the same state: no action was done between them and the picture."""
    elements: dict[str, IndexedElement] = {}
    indexed_at: int | UnsetType = UNSET
    for record in indexes:
        index = _convert(record.result, _Index)
        if index is None or _tab(record, INDEX) != view.tab_id or not _is_same_page(index.url, picture.page_url):
            break
        if _is_between(acted, view.taken_at, record.ended_at):
            break
        indexed_at = record.ended_at if indexed_at is UNSET else indexed_at
        for element in _visible_elements(index, picture):
            elements.setdefault(element.click_id, element)
        if not record.actions[INDEX].get("offset"):
            break
    return msgspec.structs.replace(view, elements=tuple(elements.values()), indexed_at=indexed_at)


def _is_between(acted: Sequence[int], one: int | UnsetType, other: int | UnsetType) -> bool:
    if one is UNSET or other is UNSET:
        return False
    return any(min(one, other) < at <= max(one, other) for at in acted)


def _visible_elements(index: _Index, picture: _Picture) -> Iterator[IndexedElement]:
    """The elements that are at least partly in the picture."""
    scale = _scale(index.viewport, picture)
    for given in index.elements:
        element = _convert(given, Element)
        if element is None or element.bbox is UNSET:
            continue
        box = scale.of(element.bbox)
        if box.w > 0 and box.h > 0 and -box.w < box.x < picture.width and -box.h < box.y < picture.height:
            name = element.name or element.text or UNSET
            yield IndexedElement(click_id=element.click_id, tag=element.tag, role=element.role, name=name, bbox=box)


def _scale(viewport: Area | UnsetType, picture: _Picture) -> _Scale:
    area = viewport if picture.area is UNSET else picture.area
    if area is UNSET or area.width <= 0:
        return _Scale(0, 0, 1)
    from_page = (0.0, 0.0) if viewport is UNSET else (viewport.x - area.x, viewport.y - area.y)
    return _Scale(*from_page, picture.width / area.width)


def _picture_in(record: ActionRecord) -> Any:
    """The picture's members; in a result with a page's text they are a member of their own."""
    result = record.result if isinstance(record.result, Mapping) else {}
    return result.get("screenshot", result)


def _tab(record: ActionRecord, name: str) -> int | None:
    tab = record.actions[name].get("tabId")
    return tab if type(tab) is int else None


def _is_same_page(indexed: str | UnsetType, pictured: str | UnsetType) -> bool:
    if indexed is UNSET or pictured is UNSET:
        return True
    return indexed.partition("#")[0] == pictured.partition("#")[0]


def _convert(given: Any, type: type[T]) -> T | None:
    try:
        return msgspec.convert(given, type)
    except msgspec.ValidationError:
        return None
