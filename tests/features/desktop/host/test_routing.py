"""Which window a route resolves to."""

import pytest

from handrail.features.desktop.desktop_port import Window
from handrail.features.desktop.host.conditions import ElementNotFound
from handrail.features.desktop.host.params import App, Route, WindowPattern
from handrail.features.desktop.host.routing import resolve_route


def twin(handle: str, *, is_front: bool = False) -> Window:
    return Window(handle, "same.txt", "Editors", "editors", frozenset({"editors"}), 7, None, is_front=is_front)


def route_to(window_id: str) -> Route:
    return Route(app=App(pid=7), window=WindowPattern(title_pattern="^same\\.txt$", id=window_id))


def test_the_observed_window_is_chosen_among_windows_with_the_same_title() -> None:
    window_id = resolve_route([twin("first", is_front=True), twin("second")], None).to_wire()["windowId"]
    later = resolve_route([twin("second", is_front=True), twin("first")], route_to(window_id))
    assert later.window.handle == "first"


def test_a_window_that_is_gone_is_not_replaced_by_its_twin() -> None:
    window_id = resolve_route([twin("first", is_front=True)], None).to_wire()["windowId"]
    with pytest.raises(ElementNotFound):
        resolve_route([twin("second", is_front=True)], route_to(window_id))
