"""What a model reads about a window: every name that it can act on, and little else."""

from collections.abc import Callable
from itertools import count

import pytest

from handrail.features.desktop.desktop_port import Element, Node, Tree
from handrail.features.desktop.host.outline import limit_depth, outline

READY = frozenset({"showing", "visible", "enabled", "sensitive"})
_handles = count()


def node(
    role: str,
    title: str = "",
    *children: Node,
    value: str | None = None,
    states: frozenset[str] = READY,
    cut: bool = False,
) -> Node:
    element = Element(f"h:{next(_handles)}", f"AX{role}", role.lower(), title, value, None, states)
    return Node(element, children, is_cut=cut)


@pytest.fixture
def name() -> Callable[[Element], str]:
    numbers = count(1)
    return lambda element: f"e:{next(numbers)}"


def test_each_element_has_a_line_with_ref_role_title_value_and_states(name: Callable[[Element], str]) -> None:
    window = node(
        "Window",
        "Settings",
        node("Button", "Save"),
        node("TextField", "Name", value="Ada", states=READY | {"focused"}),
        node("CheckBox", "Loud", states=READY | {"checked"}),
        node("Button", "Undo", states=frozenset({"showing"})),
    )
    assert outline(window, name).splitlines() == [
        'e:1 window "Settings"',
        '  e:2 button "Save"',
        '  e:3 textfield "Name" = "Ada" (focused)',
        '  e:4 checkbox "Loud" (checked)',
        '  e:5 button "Undo" (disabled)',
    ]


def test_unnamed_containers_are_replaced_by_their_children(name: Callable[[Element], str]) -> None:
    window = node(
        "Window", "W", node("Group", "", node("ScrollArea", "", node("Button", "Go"))), node("Group", "Tools")
    )
    assert outline(window, name).splitlines() == ['e:1 window "W"', '  e:2 button "Go"', '  e:3 group "Tools"']


def test_hidden_elements_are_left_out_with_their_children(name: Callable[[Element], str]) -> None:
    window = node("Window", "W", node("Menu", "File", node("MenuItem", "Quit", states=frozenset({"enabled"}))))
    assert outline(window, name).splitlines() == ['e:1 window "W"', '  e:2 menu "File"']


def test_a_label_is_not_repeated_and_names_unnamed_controls(name: Callable[[Element], str]) -> None:
    window = node(
        "Window",
        "W",
        node("Button", "Open", node("StaticText", "Open")),
        node("Row", "", node("StaticText", "Inbox")),
        node("Link", "Help", node("StaticText", "2 new")),
    )
    assert outline(window, name).splitlines() == [
        'e:1 window "W"',
        '  e:2 button "Open"',
        '  e:3 row "Inbox"',
        '  e:4 link "Help"',
        '    e:5 statictext "2 new"',
    ]


def test_a_long_row_of_similar_elements_is_shortened_to_the_first_ones(name: Callable[[Element], str]) -> None:
    rows = [node("Row", f"Row {n}") for n in range(200)]
    lines = outline(node("Window", "W", *rows, node("Button", "Next")), name).splitlines()
    assert len(lines) == 28
    assert lines[26:] == ["  … 175 more", '  e:27 button "Next"']


def test_texts_are_shortened_to_one_line(name: Callable[[Element], str]) -> None:
    window = node("Window", "W", node("TextArea", "", value="one\n\ttwo " + "x" * 500))
    (line,) = outline(window, name).splitlines()[1:]
    assert line.startswith('  e:2 textarea = "one two xxx')
    assert len(line) < 110


def test_elements_cut_off_by_a_limit_are_counted(name: Callable[[Element], str]) -> None:
    window = node("Window", "W", node("Outline", "Files", cut=True))
    lines = outline(window, name, is_cut=True).splitlines()
    assert lines[2] == "    … more"
    assert "axMaxNodes" in lines[3]


def test_the_cut_off_label_of_a_named_control_is_not_counted(name: Callable[[Element], str]) -> None:
    window = node("Window", "W", node("Button", "Save", cut=True), node("Button", "", cut=True))
    assert outline(window, name).splitlines() == ['e:1 window "W"', '  e:2 button "Save"', "  e:3 button", "    … more"]


def test_the_cells_of_a_spreadsheet_share_a_line_a_row(name: Callable[[Element], str]) -> None:
    places = [f"{column}{row}" for row in (1, 2) for column in "ABCD"]
    cells = [node("Cell", place, value=f"v{place}") for place in places]
    del cells[5]
    text = outline(node("Window", "W", node("Table", "Sheet", *cells, node("Cell", "E2", value="a|b"))), name)
    assert text.splitlines()[2:4] == ["    A-D 1: vA1|vB1|vC1|vD1", "    A,C,D,E 2: vA2|vC2|vD2|a¦b"]


def test_a_long_row_names_how_to_get_the_others(name: Callable[[Element], str]) -> None:
    rows = [node("Row", f"file {number}") for number in range(40)]
    assert (
        outline(node("Window", "W", *rows), name).splitlines()[-1] == "  … 15 more: desktop_find byRole AXRow limit 40"
    )


def test_containers_without_a_line_add_no_indentation() -> None:
    deep = node("TextArea", "", node("Button", "Inside"), value="text")
    for _ in range(30):
        deep = node("Group", "", deep)
    tree = limit_depth(Tree(node("Window", "W", deep), 33, is_cut=False), max_depth=1)
    assert tree.is_cut
    assert tree.count == 32
    last = tree.root
    while last.children:
        [last] = last.children
    assert (last.element.value, last.is_cut) == ("text", True)
