"""Plain lines are passed over quickly: that must change nothing of what is found."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.core.webgal.references import references
from handrail.core.webgal.rules.line import Line
from handrail.core.webgal.scene import FAMILIES, check_scene, look
from handrail.core.webgal.sentences import COMMENT, read_line, split_lines

_MARKS = ["：", "；", ":", ";", "-v1.wav", "-v2.mp3", "-next", "-", "#", "//", "{name}", "\\", ",", ".", "|"]
_WORDS = ["雪乃", "Logan", "webgal", "说", "changeBg", "chagneBg", "label", "10", "none", "你好", "hi", *_MARKS]
_BLANKS = [" ", "  ", "\t", "\u3000", "\u00a0", "\ufeff", ""]
_DIALOGUE = st.builds(
    "雪乃:{}{}{}{};".format,
    *(st.sampled_from(pieces) for pieces in (_BLANKS, ["none", "你好", "嗯-"], _BLANKS, ["", " -v1.wav", " -next"])),
)
LINES = st.one_of(_DIALOGUE, st.lists(st.sampled_from([*_WORDS, *_BLANKS]), max_size=7).map("".join))


@settings(max_examples=800, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=st.lists(LINES, max_size=6).map("\n".join))
def test_a_line_that_is_passed_over_would_not_have_been_complained_about(text: str) -> None:
    look.cache_clear()
    lines = split_lines(text)
    if any(line.startswith(" ") and line.lstrip().startswith(("|", "-")) for line in lines) or text.startswith(
        "\ufeff"
    ):
        return  # joined lines and the file's own mark are another matter
    scene = check_scene(text)
    found, named, spoken, labels = [], [], Counter[str](), Counter[str]()
    for number, line in enumerate(lines, start=1):
        sentence = read_line(line)
        if sentence.command == COMMENT:
            continue
        if sentence.speaker is not None:
            spoken[sentence.speaker] += 1
        elif sentence.command == "label" and sentence.content:
            labels[sentence.content] += 1
        looked_at = Line(line, sentence)
        found += [(number, finding.code) for check in FAMILIES for finding in check(looked_at)]
        named += [reference.on(number) for reference in references(looked_at)]
    assert sorted((finding.line, finding.code) for finding in scene.findings) == sorted(found)
    assert scene.references == named
    assert scene.speakers == spoken
    assert {name: len(lines) for name, lines in scene.labels.items()} == labels
