"""What is kept of a program's output: the beginning, the end, no secrets, nothing that a terminal would act on."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.features.webgal.output import LimitedOutput


def kept(*chunks: bytes, masked: tuple[str, ...] = ()) -> LimitedOutput:
    output = LimitedOutput(masked)
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


def test_no_piece_of_a_secret_is_left_beside_what_was_left_out() -> None:
    secret = "sk-" + "0123456789" * 3
    begun = b"x" * (1024 * 1024 - 20) + secret.encode()
    output = kept(
        begun, *[b"y" * 65_536] * 100, secret.encode() + b"\n", b"z" * (3 * 1024 * 1024 - 11), masked=(secret,)
    )
    assert b"sk-" not in output.whole()
    assert b"456789" not in output.whole()


def test_each_line_is_told_once_when_it_is_complete() -> None:
    told = kept().live_lines()
    told.add(b"one\ntwo\nthree\nfo")
    assert told.take(2) == "two\nthree"
    assert told.take(2) == ""
    told.add(b"ur\n")
    assert told.take(2) == "four"


@given(st.lists(st.integers(0, 60), max_size=6), st.sampled_from(["hunter22secret", "abcabc", "one\ntwo\nthree"]))
def test_a_secret_is_hidden_however_it_is_printed(cuts: list[int], secret: str) -> None:
    printed = f"token={secret}\nand {secret}{secret}\nover\n".encode()
    told, lines, begin = kept(masked=(secret, f"{secret}-long")).live_lines(), [], 0
    for cut in [*sorted(cuts), len(printed)]:
        told.add(printed[begin:cut])
        lines.append(told.take(10))
        begin = max(begin, cut)
    assert "\n".join(filter(None, lines)) == "token=******\nand ************\nover"
    assert secret not in "\n".join(lines)


def test_what_is_told_of_a_flood_begins_with_no_piece_of_a_secret() -> None:
    rest = "st-line\nsecond-line\n", "\nover\n"
    told = kept(masked=("first-line\nsecond-line",)).live_lines()
    told.add(f"fir{rest[0]}{'z' * (16 * 1024 - len(''.join(rest)))}{rest[1]}".encode())
    latest = told.take(10)
    assert latest.endswith("\nover")
    assert "line" not in latest
    assert told.take(10) == ""
