"""Generated scripts, odd ones and realistic ones, for comparing parsers."""

from hypothesis import strategies as st

from handrail.features.webgal.script.commands import COMMANDS

_WORDS = """
    a.png b.txt v1.OGG mp3 xwav .ogg Mp3x http:// https://e.com/a.txt HTTP:// true false TRUE none None next vocal left
    id when speaker concat {name} {a.b} ../ ./game/ sub/ ?type=spine .json .jsonl .skel (a>1) [b] -> 雪乃 ： ； 🎮 . 。
    ( ) [ ] , %20 # ' " ` | || $0 ${x} _WEBGAL_LINE_BREAK_
"""
_NUMBERS = """
    0x1F 0X1f 0x 1e3 1E400 -1e400 -5 -0 +.5 5. .5 . Infinity -Infinity +Infinity infinity NaN 0b12 0b1 0o7 0o8 1_0 1,0
    1n ١ 00 08 9007199254740993 1e21 1e-7 + - +-1 0x1p3 +0x1
"""
_MARKS = [":", ";", "\\;", "\\", "\\\\", " -", "-", "--", "=", "==", "\\|", "\\:", " - ", " -=", "= "]
_BLANKS = [
    " ",
    "  ",
    "\t",
    "\v",
    "\f",
    "\r",
    *"\0\u00a0\u0085\u1680\u180e\u2003\u200b\u2028\u2029\u202f\u3000\ufeff\x1c\x1f",
]
_PIECES = [*COMMANDS, *_WORDS.split(), *_NUMBERS.split(), *_MARKS, *_BLANKS]
_LINES = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(st.characters(exclude_categories=["Cs"]), max_size=4)))
SCRIPTS = st.lists(_LINES.map("".join), max_size=8).map("\n".join)
_PADDING = st.sampled_from(["", "", "", " ", "  ", "\t", "\u3000", "\ufeff", "\\"])
_TARGETS = ["a.txt", "home", "", " ", "a.txt ", " b.txt", "x\\.y", "http://e.com/a.txt", "a:b", "l{n}", "."]
_CHOICES = st.lists(
    st.builds(
        "{}{}:{}{}".format,
        st.sampled_from(["", "(a>1)->", "[b>2]->", "(a>1)[b]->", "(a:b)->", "->"]),
        st.sampled_from(["去", "a\\:b", "a\\|b", "", " 回 ", "x.y"]),
        st.sampled_from(_TARGETS),
        st.sampled_from(["", ":c.txt", "\\", " "]),
    ),
    max_size=4,
).map("|".join)
_CONTENTS = [
    "a.png",
    "none",
    " none ",
    "none.png",
    "",
    "a=1",
    "a = b - c",
    "1000",
    "sub/b.txt",
    "  x ",
    "a -b",
    "a- b",
    "a\\;b",
]
_ARGUMENT = st.one_of(
    st.sampled_from(
        [" -next", " -left=true", " -v.mp3", " -vocal=v.wav ", " -id = x", " - left", " -volume=3e1", " -", " --x"]
    ),
    st.builds(
        " -{}{}{}".format,
        st.sampled_from(["a", "", "ogg", "xogg=", " id "]),
        st.sampled_from(["", "=", " = "]),
        st.sampled_from(_NUMBERS.split()),
    ),
)
# A statement as people write it, so that generated scripts are not all noise.
_STATEMENTS = st.builds(
    lambda before, command, colon, content, args, end: f"{before}{command}{colon}{content}{''.join(args)}{end}",
    _PADDING,
    st.sampled_from([*COMMANDS, "雪乃", "", "changeBG", "choose", "choose", "changeScene"]),
    st.sampled_from([":", ":", ":", " :", ": ", "：", ""]),
    st.one_of(st.sampled_from(_CONTENTS), _CHOICES),
    st.lists(_ARGUMENT, max_size=4),
    st.sampled_from([";", ";", "", "; a note", ";a;b", "\\;x;", ";;", " ;\r", "；"]),
)
STATEMENTS = st.lists(_STATEMENTS, max_size=10).map("\n".join)
# Statements over several lines, marked as going on or not.
_CONTINUED = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", " ", "  ", "\t", "\u3000", " \u3000"]),
    st.sampled_from(["|", "-", "|去:a.txt", "-next", "-concat", "x", "choose:", "changeBg:a.png", ";", ""]),
    st.sampled_from(["", " -concat", " -next", "|"]),
    st.sampled_from(["", "\\", ";", "\\\\", "\\ ", ";\\"]),
)
MULTI_LINE = st.lists(_CONTINUED, max_size=7).map("\n".join)
_SETTING = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["Game_name", "Title_img", "", " Game_key", "a b"]),
    st.sampled_from([":", " :", ": ", " : ", "：", "", "::"]),
    st.sampled_from(["a.png", "a|b", "|a||", " a | b ", "", "a:b", "none", "a\\;b", "a -b"]),
    st.lists(_ARGUMENT, max_size=3).map("".join),
    st.sampled_from([";", "", "; a note", ";a;b", " "]),
)
SETTINGS = st.lists(_SETTING, max_size=6).map("\n".join)
