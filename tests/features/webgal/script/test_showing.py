"""What a scene's text says about its preview."""

import pytest

from handrail.features.webgal.script.calls import with_quiet_scenes
from handrail.features.webgal.script.preview_log import (
    fetched_ahead,
    likely_line,
    line_naming,
    lines_using,
)
from handrail.features.webgal.script.route import first_event, route_to
from handrail.features.webgal.script.way import State, Turn
from handrail.ports.errors import InvalidParams


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("雪乃:好;", 1),
        ("; 注释\nchangeBg:a.png -next;\nbgm:b.mp3;\n雪乃:好;\n", 4),
        ("changeBg:a.png;\nchoose:一:a|二:b;\n雪乃:好;", 2),
        ("setVar:a=1;\nintro:一|二;\n", 2),
        ("changeBg:a.png;\nchangeScene:b.txt;\n; 结束\n\n", 2),
        ("changeBg:a.png;\ncallScene:b.txt;\n雪乃:后;", 2),
        ("jumpLabel:b;\n雪乃:不;\nlabel:b;\n雪乃:好;", 4),
        ("jumpLabel:b -when=a>1;\n雪乃:好;\nlabel:b;\n雪乃:不;", 2),
        ("label:a;\njumpLabel:a;\n雪乃:从不;", 2),
        ("", 1),
    ],
)
def test_a_scene_is_shown_at_its_first_line_with_something_to_see(text: str, line: int) -> None:
    assert first_event(text) == line


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
    route = route_to(BRANCHES, line, {"a": 1}, choices)
    assert route.origins == (0, *expected_lines)
    lines = BRANCHES.split("\n")
    assert route.text == "\n".join(["setVar:a=1;", *(lines[each - 1] for each in expected_lines)])
    assert (route.is_reached, route.line_of(1), route.line_of(len(route.origins))) == (is_reached, 1, line)


def test_a_line_before_a_backward_jump_is_reachable() -> None:
    back = "jumpLabel:b;\nlabel:a;\n雪乃:后;\nend;\nlabel:b;\nchangeBg:b.png;\njumpLabel:a;"
    assert route_to(back, 3).origins == (6, 3)


@pytest.mark.parametrize(
    ("choices", "lines", "last"),
    [((1,), 6, "雪乃:左边;"), ((2,), 10, "雪乃:右边;"), ((3,), 3, "changeScene:other.txt;")],
)
def test_taken_options_lead_to_what_a_player_sees_next(choices: tuple[int, ...], lines: int, last: str) -> None:
    route = route_to(BRANCHES, None, choices=choices)
    assert (route.origins[-1], route.text.split("\n")[-1]) == (lines, last)


@pytest.mark.parametrize("choices", [(4,), (1, 1)])
def test_choices_that_nobody_can_make_are_refused(choices: tuple[int, ...]) -> None:
    for line in (None, 12):
        with pytest.raises(InvalidParams):
            route_to(BRANCHES, line, choices=choices)


def test_known_conditions_decide_the_way_and_the_engine_is_asked_for_the_others() -> None:
    text = "jumpLabel:b -when=a>1;\nA:1;\nlabel:b;\nchoose:(c>1)->x:d|y:e;\nlabel:d;\nA:2;\nlabel:e;\nA:3 -when=f\\;;"
    asked = route_to(text, 8, asks=True)
    assert asked.text.split("\n") == [
        "setVar:handrail0=1 -when=a>1;",
        "A:1;",
        "setVar:handrail1=1 -when=c>1;",
        "A:2;",
        "setVar:handrail2=1 -when=f\\;;",
        "A:3;",
    ]
    assert [(each.text, each.is_true) for each in asked.conditions] == [("a>1", False), ("c>1", True), ("f;", True)]
    stage = {"GameVar": {"handrail0": 1}}
    assert asked.first_wrong(stage) == asked.conditions[0]
    assert asked.first_wrong({"GameVar": {"handrail1": 1, "handrail2": 1}}) is None
    known = {Turn(State(1, 0)): True, Turn(State(4, 0), 1): False}
    assert route_to(text, 8, known=known).origins == (8,)


def test_called_scenes_that_show_nothing_are_put_in_place_of_their_calls() -> None:
    scenes = {
        "a.txt": "; 注释\nsetVar:x=1;\ncallScene:b.txt;\n",
        "b.txt": "bgm:b.mp3;\n",
        "c.txt": "A:1;\n",
        "round.txt": "callScene:round.txt;",
    }
    others = ["A:2;", "callScene:c.txt;", "callScene:a.txt -when=x>1;", "callScene:none.txt;", "callScene:round.txt;"]
    text = "\n".join(["callScene:a.txt;", *others])
    expansion = with_quiet_scenes(text, scenes.get)
    assert expansion.text == "\n".join(["setVar:x=1;", "bgm:b.mp3;", *others])
    assert expansion.origins == (1, 1, 2, 3, 4, 5, 6)
    assert [expansion.place_of(line) for line in (1, 2)] == [2, 3]


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
