"""Open texts and columns: client and server always mean the same character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
)

from handrail.features.webgal.lsp.documents import Columns, Document

TEXTS = st.text(st.sampled_from("a中😀\n\r\u2028"), max_size=12)


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> TextDocumentContentChangePartial:
    return TextDocumentContentChangePartial(Range(Position(*start), Position(*end)), text)


@pytest.mark.parametrize(
    ("encoding", "units"),
    [
        (PositionEncodingKind.Utf8, 1 + 3 + 4),
        (PositionEncodingKind.Utf16, 1 + 1 + 2),
        (PositionEncodingKind.Utf32, 3),
        ("utf-8", 8),
        ("utf-7", 4),
    ],
)
def test_columns_are_counted_as_agreed(encoding: str, units: int) -> None:
    columns = Columns(encoding)
    assert columns.units("a中😀b", 3) == units
    assert columns.characters("a中😀b", units) == 3


def test_a_column_inside_a_character_is_that_character_and_behind_the_end_it_is_the_end() -> None:
    assert Columns().characters("😀b", 1) == 0
    assert Columns().characters("😀b", 99) == 2
    assert Columns().characters("ab", 99) == 2


def test_half_a_character_is_one() -> None:
    assert Columns().units("\ud83d x", 2) == 2
    assert Columns(PositionEncodingKind.Utf8).units("\ud83d", 1) == 3


def test_lines_end_only_where_the_protocol_says() -> None:
    assert Document("x", "a\r\nb\rc\nd\u2028e\x0bf", 1).lines == ["a", "b", "c", "d\u2028e\x0bf"]


def test_changes_are_applied_in_order() -> None:
    document = Document("x", "雪乃:😀好;\nend;", 1)
    document.change([change((0, 5), (0, 6), "坏"), change((1, 0), (1, 0), "wait:1;\n")], 2, Columns())
    assert (document.text, document.version) == ("雪乃:😀坏;\nwait:1;\nend;", 2)
    document.change([TextDocumentContentChangeWholeDocument("neu")], 3, Columns())
    assert document.text == "neu"


@given(TEXTS, TEXTS, st.tuples(st.integers(0, 5), st.integers(0, 8)), st.tuples(st.integers(0, 5), st.integers(0, 8)))
def test_an_incremental_change_gives_the_same_text_as_a_full_one(
    text: str, new: str, start: tuple[int, int], end: tuple[int, int]
) -> None:
    document, plain = Document("x", text, 1), Document("x", text, 1).text
    start, end = min(start, end), max(start, end)
    first, last = (_offset(plain, *place) for place in (start, end))
    document.change([change(start, end, new)], 2, Columns())
    assert document.text == plain[:first] + Document("x", new, 1).text + plain[last:]


def _offset(text: str, line: int, units: int) -> int:
    lines = text.split("\n")
    if line >= len(lines):
        return len(text)
    return sum(len(each) + 1 for each in lines[:line]) + Columns().characters(lines[line], units)
