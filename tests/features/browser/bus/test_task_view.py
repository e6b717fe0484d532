"""A task's last view: the newest valid picture, and the index of the same page at its scale."""

from typing import Any

from msgspec import UNSET

from handrail.features.browser.bus.task_view import INDEX, PICTURE, view_of
from handrail.ports.browser import ActionRecord

TASK = "01J00000000000000000000000"
URL = "https://example.org/a"


def picture(at: int = 20, tab: int = 1, **result: Any) -> ActionRecord:
    report = {"artifactId": "art-1", "width": 1000, "height": 500, "pageUrl": URL, **result}
    return record(PICTURE, {"tabId": tab}, report, at)


def index(*elements: Any, at: int = 10, tab: int = 1, offset: int = 0, **result: Any) -> ActionRecord:
    return record(INDEX, {"tabId": tab, "offset": offset}, {"url": URL, "elements": list(elements), **result}, at)


def record(name: str, params: dict[str, Any], result: dict[str, Any], at: int) -> ActionRecord:
    return ActionRecord(
        action_id=f"act-{at}", task_id=TASK, client_id="p", actions={name: params}, created_at=at, status="success",
        result=result, ended_at=at,
    )  # fmt: skip


def button(id: str, x: float, y: float, w: float = 10, h: float = 10, **more: Any) -> dict[str, Any]:
    return {"clickId": id, "tag": "button", "bbox": {"x": x, "y": y, "w": w, "h": h}, **more}


def boxes(*records: Any, of: ActionRecord | None = None) -> dict[str, tuple[float, float, float, float]]:
    view = view_of(TASK, [of or picture()], records)
    return {one.click_id: (one.bbox.x, one.bbox.y, one.bbox.w, one.bbox.h) for one in view.elements}


def test_a_task_without_a_picture_has_none() -> None:
    assert view_of(TASK, [], [index(button("1", 0, 0))]).artifact_id is UNSET


def test_the_newest_picture_is_returned_with_its_index() -> None:
    view = view_of(TASK, [picture(), picture(5, artifactId="art-0")], [index(button("1", 3, 4, name="Save"))])
    assert (view.artifact_id, view.width, view.height, view.taken_at) == ("art-1", 1000, 500, 20)
    assert (view.url, view.tab_id, view.indexed_at) == (URL, 1, 10)
    assert [(one.click_id, one.tag, one.name) for one in view.elements] == [("1", "button", "Save")]


def test_a_picture_that_makes_no_sense_is_passed_over() -> None:
    view = view_of(TASK, [picture(30, artifactId=7), picture(25, width=0), picture(20)], [])
    assert view.taken_at == 20


def test_beside_a_pages_text_the_picture_has_a_member_of_its_own() -> None:
    both = picture(artifactId="text", screenshot={"artifactId": "art-9", "width": 10, "height": 10})
    assert view_of(TASK, [both], []).artifact_id == "art-9"


def test_boxes_are_scaled_to_a_picture_of_more_pixels() -> None:
    viewport = {"x": 0, "y": 0, "width": 500, "height": 250}
    assert boxes(index(button("1", 10, 20, 30, 40), viewport=viewport)) == {"1": (20, 40, 60, 80)}


def test_a_page_that_was_scrolled_between_index_and_picture_is_shifted() -> None:
    viewport = {"x": 0, "y": 100, "width": 1000, "height": 500}
    scrolled = picture(area={"x": 0, "y": 150, "width": 1000, "height": 500})
    assert boxes(index(button("1", 10, 80), viewport=viewport), of=scrolled) == {"1": (10, 30, 10, 10)}


def test_a_picture_of_the_whole_page_has_the_boxes_where_they_are_on_the_page() -> None:
    viewport = {"x": 0, "y": 600, "width": 500, "height": 250}
    whole = picture(width=500, height=2000, area={"x": 0, "y": 0, "width": 1000, "height": 4000})
    assert boxes(index(button("1", 10, 20), viewport=viewport), of=whole) == {"1": (5, 310, 5, 5)}


def test_elements_outside_of_the_picture_or_malformed_are_left_out() -> None:
    value = [button("in", 990, 490), button("right", 1001, 0), button("above", 0, -20), {"clickId": "no box"}, "?"]
    assert boxes(index(*value[:4])) == {"in": (990, 490, 10, 10)}
    assert boxes(index(*value)) == {}


def test_an_index_of_another_tab_or_page_is_not_drawn() -> None:
    assert boxes(index(button("1", 0, 0), tab=2)) == {}
    assert boxes(index(button("1", 0, 0), url="https://example.org/b")) == {}
    assert boxes(index(button("1", 0, 0), url=f"{URL}#there")) == {"1": (0, 0, 10, 10)}


def test_the_parts_of_a_long_index_are_joined() -> None:
    parts = [index(button("3", 3, 0), offset=2, at=12), index(button("1", 1, 0), button("2", 2, 0), at=11)]
    older = index(button("9", 9, 0), at=5)
    view = view_of(TASK, [picture()], [*parts, older])
    assert {one.click_id for one in view.elements} == {"1", "2", "3"}
    assert view.indexed_at == 12


def test_an_index_from_before_the_last_action_is_not_drawn_on_a_later_picture() -> None:
    click = record("browser_click", {"tabId": 1}, {}, 15)
    view = view_of(TASK, [picture(20)], [index(button("1", 3, 4), at=10)], [click])
    assert (view.elements, view.indexed_at, view.acted_at) == ((), UNSET, 15)
    again = view_of(TASK, [picture(20)], [index(button("1", 3, 4), at=16)], [click])
    assert [one.click_id for one in again.elements] == ["1"]
    waited = view_of(TASK, [picture(20)], [index(button("1", 3, 4))], [record("browser_wait_for", {}, {}, 15)])
    assert ([one.click_id for one in waited.elements], waited.acted_at) == (["1"], UNSET)


def test_a_picture_older_than_the_last_action_comes_with_the_actions_time() -> None:
    assert view_of(TASK, [picture(20)], [], [record("browser_type", {"tabId": 1}, {}, 30)]).acted_at == 30
