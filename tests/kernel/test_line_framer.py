"""Lines from chunks of bytes, however they were cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.kernel.line_framer import LineFramer, LongLine

STREAM = b'{"a": 1}\r\n\n  {"b": 2}\t\n' + b"x" * 20 + b"\n" + b"y" * 9 + b"\nlast"


@given(st.lists(st.integers(0, len(STREAM))))
def test_lines_are_the_same_however_the_stream_is_cut(cuts: list[int]) -> None:
    framer, edges = LineFramer(12), [0, *sorted(cuts), len(STREAM)]
    lines = [line for start, end in pairwise(edges) for line in framer.feed(STREAM[start:end])]
    sizes = [line.size if isinstance(line, LongLine) else line for line in lines]
    assert sizes == [b'{"a": 1}', b'{"b": 2}', 20, b"y" * 9]
    assert framer.end() == [b"last"]
    assert framer.end() == []


@pytest.mark.parametrize("size", [11, 8192, 100_000])
def test_a_line_that_is_too_long_keeps_its_edges_and_its_size(size: int) -> None:
    framer, line = LineFramer(10), bytes(index % 251 + 4 for index in range(size)).replace(b"\n", b"-")
    for start in range(0, size, 1000):
        assert framer.feed(line[start : start + 1000]) == []
    assert framer.is_overlong
    (long,) = framer.feed(b"\n")
    assert isinstance(long, LongLine)
    assert long.size == size
    assert line.startswith(long.head)
    assert line.endswith(long.tail)
    assert len(long.tail) == min(size, 4096)
    assert not framer.is_overlong
    assert framer.feed(b"next\n") == [b"next"]


def test_memory_stays_bounded_while_a_long_line_comes() -> None:
    framer = LineFramer(10)
    for _ in range(100):
        framer.feed(b"x" * 10_000)
    assert len(framer._rest) <= 4096
