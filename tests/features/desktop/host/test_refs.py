"""Names of elements: they never mean another element, and only a limited number is kept."""

import pytest

from handrail.features.desktop.desktop_port import Element, Rect, Window
from handrail.features.desktop.host.conditions import StaleElement
from handrail.features.desktop.host.params import ElementRef
from handrail.features.desktop.host.refs import ElementRefs, fingerprint

WINDOW = Window("w", "W", "app", "app", frozenset(), 1, None)


def button(handle: str, title: str = "Send") -> Element:
    return Element(handle, "AXButton", "push button", title, None, Rect(12, 34, 56, 20))


def test_a_fingerprint_is_role_title_and_frame() -> None:
    assert fingerprint(button("h")) == "AXButton|Send|x=12,y=34,w=56,h=20"


def test_an_element_that_changed_its_title_gets_another_name() -> None:
    refs = ElementRefs()
    first = refs.name(WINDOW, button("h"))
    assert refs.name(WINDOW, button("h")) == first
    assert refs.name(WINDOW, button("h", "Sent")) != first
    assert refs.resolve(ElementRef(element_id=first)).title == "Send"


def test_the_oldest_references_are_forgotten_and_never_reused() -> None:
    refs = ElementRefs(max_refs=3)
    names = [refs.name(WINDOW, button(f"h{n}")) for n in range(5)]
    assert len(set(names)) == 5
    with pytest.raises(StaleElement):
        refs.resolve(ElementRef(element_id=names[0]))
    assert refs.resolve(ElementRef(element_id=names[4])).handle == "h4"
    assert refs.name(WINDOW, button("h0")) not in names


def test_a_title_may_contain_a_bar() -> None:
    refs = ElementRefs()
    element = button("h", "a|b")
    ref = ElementRef(element_id=refs.name(WINDOW, element), fingerprint=fingerprint(element))
    assert refs.resolve(ref).title == "a|b"
