"""What a scene's text says about its preview."""

import pytest

from handrail.features.webgal.script.preview_log import (
    fetched_ahead,
    likely_line,
    line_naming,
    lines_using,
)
from handrail.features.webgal.script.route import first_shown_line, line_after, route_to


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("雪乃:好;", 1),
        ("; 注释\nchangeBg:a.png -next;\nbgm:b.mp3;\n雪乃:好;\n", 4),
        ("changeBg:a.png;\nchoose:一:a|二:b;\n雪乃:好;", 2),
        ("setVar:a=1;\nintro:一|二;\n", 2),
        ("changeBg:a.png;\nchangeScene:b.txt;\n; 结束\n\n", 2),
        ("jumpLabel:b;\n雪乃:不;\nlabel:b;\n雪乃:好;", 4),
        ("jumpLabel:b -when=a>1;\n雪乃:好;\nlabel:b;\n雪乃:不;", 2),
        ("label:a;\njumpLabel:a;\n雪乃:从不;", 2),
        ("", 1),
    ],
)
def test_a_scene_is_shown_at_its_first_line_with_something_to_see(text: str, line: int) -> None:
    assert first_shown_line(text) == line


BRANCHES = """changeBg:a.png;
雪乃:选吧;
choose:左:left|右:right|走:other.txt;
label:left;
changeFigure:l.png;
雪乃:左边;
jumpLabel:join;
label:right;
changeFigure:r.png;
雪乃:右边;
label:join;
雪乃:一起;
changeScene:other.txt;
雪乃:从不;
"""


@pytest.mark.parametrize(
    ("line", "choices", "expected_lines", "is_reached"),
    [
        (6, (), [1, 2, 5, 6], True),
        (10, (), [1, 2, 9, 10], True),
        (12, (1,), [1, 2, 5, 6, 12], True),
        (12, (2,), [1, 2, 9, 10, 12], True),
        (14, (), [1, 5, 6, 9, 10, 12, 14], False),
    ],
)
def test_a_line_is_reached_over_jumps_and_choices(
    line: int, choices: tuple[int, ...], expected_lines: list[int], is_reached: bool
) -> None:
    route = route_to(BRANCHES, line, {"a": "1"}, choices)
    assert route.origins == (0, *expected_lines)
    lines = BRANCHES.split("\n")
    assert route.text == "\n".join(["setVar:a=1;", *(lines[each - 1] for each in expected_lines)])
    assert (route.is_reached, route.line_of(1), route.line_of(len(route.origins))) == (is_reached, 1, line)


def test_a_line_before_a_backward_jump_is_reachable() -> None:
    back = "jumpLabel:b;\nlabel:a;\n雪乃:后;\nend;\nlabel:b;\nchangeBg:b.png;\njumpLabel:a;"
    assert route_to(back, 3).origins == (6, 3)


def test_taken_options_lead_to_the_next_line_that_shows_something() -> None:
    assert [line_after(BRANCHES, choices) for choices in ((1,), (2,), (3,), (4,))] == [6, 10, None, None]


def test_missing_files_have_the_lines_that_name_them_as_a_browser_asks_for_them() -> None:
    text = (
        "changeBg:a%20b.png -next;\n雪乃:好 -v.ogg;\nchangeFigure:sub/../c.png;\nchangeBg:a%20b.png;\nbgm:there.mp3;\n"
    )
    missing = ["background/a b.png", "vocal/v.ogg", "figure/c.png", "figure/elsewhere.png"]
    assert lines_using(text, missing) == {"background/a b.png": [1, 4], "vocal/v.ogg": [2], "figure/c.png": [3]}
    assert {"background/a b.png", "figure/c.png", "bgm/there.mp3"} <= fetched_ahead(text)


def test_failures_are_attributed_to_the_last_line_with_a_finding_or_the_last_line() -> None:
    text = 'setTransform:{"x": -target=bg-main;\n雪乃:好;\n雪乃:也好;\nsetTransform:{ -target=bg-main;\n'
    assert likely_line(text, 3) == 1
    assert likely_line("雪乃:好;\n雪乃:也好;\n", 2) == 2


def test_an_address_has_the_line_that_names_it() -> None:
    text = "雪乃:好;\nchangeBg:https://example.com/海.png;\n"
    assert line_naming(text, "https://example.com/%E6%B5%B7.png") == 2
    assert line_naming(text, "https://example.com/other.png") is None
