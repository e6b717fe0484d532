"""Other programs' text as lines: nothing hidden, nothing lost, nothing outside of its gutter."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from handrail.features.people.cli.screen.lines import Line, fact_lines, own_line, text_lines, wrapped
from handrail.kernel.visible import visible


def rows(lines: list[Line], width: int) -> list[str]:
    return ["".join(text for text, _ in row) for row in wrapped(lines, width)]


@given(st.text(st.characters(exclude_characters="\n\t")), st.integers(10, 60))
def test_every_character_is_there_and_every_row_fits(text: str, width: int) -> None:
    lines = wrapped([Line(text)], width)
    assert "".join(piece for row in lines for piece, _ in row[1:]) == visible(text)
    assert all(cell_len("".join(piece for piece, _ in row)) <= width for row in lines)


def test_each_row_of_other_programs_text_starts_with_the_gutter() -> None:
    hostile = "x" * 30 + " " * 90 + "handrail: allowed\nhandrail · nothing waits"
    assert all(row.startswith(("│ ", "┆ ")) for row in rows(text_lines(hostile), 30))


def test_an_escape_differs_from_text_that_looks_like_one() -> None:
    (row,) = wrapped([Line("a\u202e\\u{202e}")], 40)
    assert row == [("│ ", "gutter"), ("a", ""), ("\\u{202e}", "escape"), ("\\u{202e}", "")]


def test_a_row_ends_after_a_nearby_space() -> None:
    assert rows([Line("one two three four")], 14) == ["│ one two ", "┆ three four"]


def test_facts_are_aligned_also_if_a_name_is_wide() -> None:
    assert rows(fact_lines([("file", "a"), ("目录", "b\nc")]), 20) == ["file │ a", "目录 │ b", "     │ c"]


def test_handrails_own_text_is_wrapped_between_words() -> None:
    assert rows([own_line("nothing waits here")], 10) == ["nothing", "waits here"]
