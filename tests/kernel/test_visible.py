"""What a person reads is what is there: nothing hides, reorders or moves the cursor."""

import sys
import unicodedata

import pytest

from handrail.kernel.visible import one_line, quoted_line, visible

_HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}
_EMPTY = "\u2800\U0001d159\U00016fe4"
_IGNORABLE = {  # those default-ignorable code points that are letters or marks
    *map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0)),
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        pytest.param("safe\u202etxt.exe", r"safe\u{202e}txt.exe", id="right-to-left override"),
        pytest.param("\u2066a\u2069", r"\u{2066}a\u{2069}", id="isolates"),
        pytest.param("\u200fa\u061c", r"\u{200f}a\u{61c}", id="direction marks"),
        pytest.param("pay\u200bpal\u200c\u200d\ufeff", r"pay\u{200b}pal\u{200c}\u{200d}\u{feff}", id="zero width"),
        pytest.param("soft\u00adhyphen\u2060", r"soft\u{ad}hyphen\u{2060}", id="soft hyphen and word joiner"),
        pytest.param("ok\U000e0041\U000e007f", r"ok\u{e0041}\u{e007f}", id="tag characters"),
        pytest.param("\x1b[2J\x1b]0;x\x07", r"\u{1b}[2J\u{1b}]0;x\u{7}", id="terminal sequences"),
        pytest.param("a\rb\x08c\x00\x7f", r"a\u{d}b\u{8}c\u{0}\u{7f}", id="controls"),
        pytest.param("\x9b2J\x85", r"\u{9b}2J\u{85}", id="C1 controls"),
        pytest.param("a\u2028b\u2029c", r"a\u{2028}b\u{2029}c", id="line separators"),
        pytest.param("\ue000\U000f0000\U0010fffd", r"\u{e000}\u{f0000}\u{10fffd}", id="private use"),
        pytest.param("\ufdd0\uffff\U0001fffe", r"\u{fdd0}\u{ffff}\u{1fffe}", id="unassigned"),
        pytest.param("\ud800", r"\u{d800}", id="a lone surrogate"),
        pytest.param("a\n\tb", "a\n\tb", id="line feed and tab stay"),
        pytest.param("plain ~ text\\n", "plain ~ text\\n", id="plain"),
        pytest.param("欢迎：来到“这里”，é ñ 🙂", "欢迎：来到“这里”，é ñ 🙂", id="other scripts stay"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_would_hide_is_spelled_out(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_of_all_characters_exactly_those_that_show_something_stay() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        assert visible(char) == (f"\\u{{{code:x}}}" if is_hidden(char) else char)


def is_hidden(char: str) -> bool:
    if char in " \n\t\u3000":
        return False
    return unicodedata.category(char) in {*_HIDDEN, "Zs"} or char in _IGNORABLE or char in _EMPTY


@pytest.mark.parametrize("char", [*map(chr, (0xFE0F, 0x34F, 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x180B, 0x2064))])
def test_what_is_drawn_as_nothing_is_spelled_out(char: str) -> None:
    assert visible(f"a{char}b") == f"a\\u{{{ord(char):x}}}b"


def test_a_line_stays_one_line() -> None:
    assert one_line("a\nb\tc\u3000d") == r"a\nb\tc\u{3000}d"
    assert quoted_line('a "b"\n') == r'"a \"b\"\n"'


def test_nothing_is_cut_off() -> None:
    assert visible("a" * 1_000_000 + "\u202e") == "a" * 1_000_000 + r"\u{202e}"
