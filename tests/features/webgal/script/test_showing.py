"""What a scene's text says about its preview."""

import pytest

from handrail.features.webgal.script.preview_log import (
    fetched_ahead,
    first_shown_line,
    line_naming,
    line_to_blame,
    lines_wanting,
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("雪乃:好;", 1),
        ("; 注释\nchangeBg:a.png -next;\nbgm:b.mp3;\n雪乃:好;\n", 4),
        ("changeBg:a.png;\nchoose:一:a|二:b;\n雪乃:好;", 2),
        ("setVar:a=1;\nintro:一|二;\n", 2),
        ("changeBg:a.png;\nchangeScene:b.txt;\n; 结束\n\n", 2),
        ("", 1),
    ],
)
def test_a_scene_is_shown_at_its_first_line_with_something_to_see(text: str, line: int) -> None:
    assert first_shown_line(text) == line


def test_missing_files_have_the_lines_that_name_them_as_a_browser_asks_for_them() -> None:
    text = (
        "changeBg:a%20b.png -next;\n雪乃:好 -v.ogg;\nchangeFigure:sub/../c.png;\nchangeBg:a%20b.png;\nbgm:there.mp3;\n"
    )
    missing = ["background/a b.png", "vocal/v.ogg", "figure/c.png", "figure/elsewhere.png"]
    assert lines_wanting(text, missing) == {"background/a b.png": [1, 4], "vocal/v.ogg": [2], "figure/c.png": [3]}
    assert {"background/a b.png", "figure/c.png", "bgm/there.mp3"} <= fetched_ahead(text)


def test_what_goes_wrong_is_laid_to_the_last_line_with_a_mistake_or_the_very_last() -> None:
    text = 'setTransform:{"x": -target=bg-main;\n雪乃:好;\n雪乃:也好;\nsetTransform:{ -target=bg-main;\n'
    assert line_to_blame(text, 3) == 1
    assert line_to_blame("雪乃:好;\n雪乃:也好;\n", 2) == 2


def test_an_address_has_the_line_that_names_it() -> None:
    text = "雪乃:好;\nchangeBg:https://example.com/海.png;\n"
    assert line_naming(text, "https://example.com/%E6%B5%B7.png") == 2
    assert line_naming(text, "https://example.com/other.png") is None
