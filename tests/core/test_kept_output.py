"""What is kept of a program's output: the beginning, the end, no secrets, nothing that a terminal would act on."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.core.kept_output import KeptOutput


def kept(*chunks: bytes, masked: tuple[str, ...] = ()) -> KeptOutput:
    output = KeptOutput(masked)
    for chunk in chunks:
        output.add(chunk)
    return output


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_little_output_is_kept_whole_however_it_comes(chunks: list[bytes]) -> None:
    assert kept(*chunks).whole() == b"".join(chunks)


def test_much_output_keeps_its_beginning_and_its_end() -> None:
    output = kept(b"first\n", *[b"x" * 65_535 + b"\n"] * 200, b"last\n")
    whole = output.whole()
    assert len(whole) < 5_000_000
    assert whole.startswith(b"first\n")
    assert whole.endswith(b"last\n")
    assert b" bytes left out " in whole
    lines = output.lines()
    assert (lines[0], lines[-1]) == ("first", "last")
    assert sum(map(len, lines)) < 65_000


def test_many_lines_are_shortened_in_the_middle_and_counted() -> None:
    lines = kept("".join(f"line {number}\n" for number in range(1000)).encode()).lines()
    assert lines[0] == "line 0"
    assert lines[-1] == "line 999"
    (gap,) = [line for line in lines if "left out" in line]
    assert f"… {1000 - len(lines) + 1} lines" in gap


def test_a_line_that_never_ends_is_cut_with_the_rest_counted() -> None:
    (line,) = kept(b"a" * 5000).lines()
    assert line == "a" * 1000 + " … (4000 more characters)"


def test_a_secret_is_hidden_even_where_it_comes_in_two_pieces() -> None:
    output = kept(b"key sk-12", b"3456 and sk-123456-long\n", masked=("sk-123456", "sk-123456-long"))
    assert output.lines() == ["key ****** and ******"]
    assert b"sk-" not in output.whole()


def test_nothing_is_left_that_a_terminal_would_act_on() -> None:
    told = b"\x1b[1;31mred\x1b[0m\r\n10%\r100%\n\x1b]0;title\x07bell\x07\x00\n\xff\n"
    assert kept(told).lines() == ["red", "100%", "bell", "\ufffd"]


def test_the_latest_lines_are_the_last_of_what_was_printed() -> None:
    assert kept().latest(b"one\ntwo\nthree\n", 2) == "two\nthree"
