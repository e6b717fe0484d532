"""The fast paths for plain and common lines don't change any finding."""

from collections import Counter

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from handrail.features.webgal.script.line import LineReport
from handrail.features.webgal.script.parser import split_lines
from handrail.features.webgal.script.scene import check_scene, clear_caches, report_by_rules, report_of
from tests.effort import tries
from tests.features.webgal.script.scripts import SCRIPTS, STATEMENTS

_MARKS = ["：", "；", ":", ";", "-v1.wav", "-v2.MP3", "-next", "-", "#", "//", "{name}", "\\", ",", ".", "|", "=", "%"]
_NAMES = [
    "雪乃",
    "Logan",
    "webgal",
    "说",
    "changeBg",
    "chagneBg",
    "ｂｇｍ",
    "label",
    "10",
    "none",
    "你好",
    "hi",
    "？？？",
]
_COMMANDS = ["changeFigure:", "setVar:", "jumpLabel:", "changeScene:", "intro:", "setTextbox:", "label:", "callScene:"]
_ARGUMENTS = [" -id=x", " -left", " -when=a>1", " -volume=3", " -fontSize=default", " -transform={}", " -vocal=v1.wav"]
_BLANKS = [" ", "  ", "\t", "\u3000", "\u00a0", "\ufeff", "\x85", "\x1c", ""]
_DIALOGUE = st.builds(
    "{}{}{}{}{}{}".format,
    st.sampled_from(["雪乃:", ":", "Tom:", "{me}:", "", "a-b:"]),
    *(st.sampled_from(pieces) for pieces in (_BLANKS, ["none", "你好", "嗯-", "{a}和{b}", "a: b；"], _BLANKS)),
    st.lists(st.sampled_from([*_ARGUMENTS, " -v1.wav", " -next", " -a b.ogg"]), max_size=3).map("".join),
    st.sampled_from([";", ";", ";  ", "", "；", "; 说明", "; -next", " ;"]),
)
_NOISE = st.lists(st.sampled_from([*_NAMES, *_COMMANDS, *_ARGUMENTS, *_MARKS, *_BLANKS]), max_size=7).map("".join)
LINES = st.one_of(_DIALOGUE, _NOISE)
TEXTS = st.one_of(st.lists(LINES, max_size=6).map("\n".join), STATEMENTS, SCRIPTS)
MANY = settings(max_examples=tries(60, 3000), deadline=None, suppress_health_check=list(HealthCheck))


@MANY
@given(text=TEXTS)
@example("changeFigure:a-left.png-left;\nchangeBg:a b.png -id=x -id=y;\nsetVar:a =1;\nＢgm:a.mp3;")
def test_the_quick_check_finds_the_same_as_the_full_check(text: str) -> None:
    clear_caches()
    for line in split_lines(text):
        assert report_of(line) == report_by_rules(line)


@MANY
@given(text=TEXTS)
@example(
    "changeBg:a.png;\n雪乃:你好 -v1.wav;\n: -v2.OGG;\n你好 -v3.mp3;\n雪乃:none -v1.wav;\n雪乃:{a} -v1.wav;\nbgm:a.mp3;"
    "\nnone ;\nnone -next;"
)
def test_lines_skipped_by_the_quick_check_have_no_findings(text: str) -> None:
    lines = split_lines(text)
    if any(line.startswith(" ") and line.lstrip().startswith(("|", "-")) for line in lines):
        return  # joined lines are another matter
    scene = check_scene(text)
    reports: list[LineReport] = [report_by_rules(line) for line in lines]
    numbered = list(enumerate(reports, start=1))
    own = ("WG107", "WG311")  # of a whole file, or of two lines
    assert sorted((each.line, each.code) for each in scene.findings if each.code not in own) == sorted(
        (number, finding.code) for number, report in numbered for finding in report.findings
    )
    assert scene.references == [replace(each, line=number) for number, report in numbered for each in report.references]
    assert scene.speakers == Counter(report.speaker for report in reports if report.speaker is not None)
    assert scene.suspects == [(report.speaker, number) for number, report in numbered if report.is_suspect]
    assert {name: len(lines) for name, lines in scene.labels.items()} == Counter(
        report.label for report in reports if report.label
    )
    assert scene.sets == {name for report in reports for name in report.sets}
