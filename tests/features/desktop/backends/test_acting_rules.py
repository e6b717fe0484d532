"""Decisions that need no desktop: which action is a press, which key a name means, whether a text has arrived."""

import pytest
from Xlib import XK

from handrail.features.desktop.backends.actions.element_actions import press_action
from handrail.features.desktop.backends.actions.field import FieldText, has_arrived
from handrail.features.desktop.backends.keysyms import character, key
from handrail.features.desktop.desktop_port import Element
from handrail.ports.errors import InvalidParams

BUTTON = Element("h", "AXButton", "push button")
FIELD = Element("h", "AXTextField", "text", states=frozenset({"editable"}))
ROW = Element("h", "AXRow", "list item")
NOTHING = FieldText("", 0, 0)


@pytest.mark.parametrize(
    ("element", "names", "choice"),
    [
        (BUTTON, ["click"], 0),
        (BUTTON, ["SetFocus", "Press"], 1),
        (BUTTON, ["showContextMenu", "doDefault"], 1),
        (BUTTON, ["activate"], 0),
        (BUTTON, ["SetFocus"], None),
        (BUTTON, [], None),
        (FIELD, ["activate"], None),
        (FIELD, ["activate", "click"], 1),
        (ROW, ["toggle", "activate"], None),
        (ROW, ["edit", "select"], 1),
        (Element("h", "AXMenuButton", "push button menu"), ["expand or contract"], 0),
    ],
)
def test_the_action_that_is_a_press_is_chosen(element: Element, names: list[str], choice: int | None) -> None:
    assert press_action(element, names) == choice


def test_cmd_is_control_and_super_is_the_logo_key() -> None:
    assert key("cmd") == key("Ctrl") == XK.XK_Control_L
    assert key("super") == XK.XK_Super_L
    assert key("option") == key("alt") == XK.XK_Alt_L


def test_every_named_key_has_its_keysym() -> None:
    assert key("enter") == key("Return") == XK.XK_Return
    assert key("Page_Up") == key("pageup") == XK.XK_Page_Up
    assert key("f24") == XK.XK_F24
    assert key("é") == ord("é")
    assert key("漢") == character("漢") == 0x01000000 + ord("漢")


@pytest.mark.parametrize("name", ["fn", "hyper", "", "ab", "f25", "\x07"])
def test_an_unknown_key_is_named_in_the_refusal(name: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        key(name)
    assert refused.value.details["key"] == name


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        (NOTHING, "hello", "hello"),
        (FieldText("ab", 1, 1), "X", "aXb"),
        (FieldText("abc", 0, 3), "X", "X"),
        (NOTHING, "two\nlines", "twolines"),
        (NOTHING, "two\nlines", "two lines"),
        (FieldText("😀", 2, 2), "X", "😀X"),
        (NOTHING, "first\nsecond", "first"),
        (FieldText("old", 0, 0), "first\nsecond", "\ufffcsecondold"),
        (FieldText("abc", 0, 3), "", ""),
    ],
)
def test_a_text_has_arrived_however_the_field_writes_it(before: FieldText, text: str, now: str) -> None:
    assert has_arrived(before, text, now)


@pytest.mark.parametrize(
    ("before", "text", "now"),
    [
        (NOTHING, "hello", ""),
        (FieldText("hello", 5, 5), "hello", "hello"),
        (NOTHING, "hello", "hell"),
        (FieldText("abc", 0, 3), "", "abc"),
    ],
)
def test_a_text_has_not_arrived_where_the_field_shows_something_else(before: FieldText, text: str, now: str) -> None:
    assert not has_arrived(before, text, now)


def test_typed_text_replaces_the_selection() -> None:
    assert FieldText("one two", 4, 7).replaced_by("three") == "one three"
