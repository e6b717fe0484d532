"""Formatting changes how a scene is written but not what an engine reads."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.features.webgal.script.formatting import formatted, formatted_lines
from handrail.features.webgal.script.multi_line import join_lines
from handrail.features.webgal.script.parser import split_lines
from tests.effort import tries
from tests.features.webgal.script.real_parser import RealParser
from tests.features.webgal.script.scripts import MULTI_LINE, SCRIPTS, STATEMENTS

MANY = settings(max_examples=tries(60, 3000), deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def real() -> Iterator[RealParser]:
    parser = RealParser()
    yield parser
    parser.close()


@pytest.mark.parametrize(
    ("written", "better"),
    [
        ("changeBg: beach.jpg   -next  -duration = 500 ; night  ", "changeBg:beach.jpg -next -duration=500; night"),
        ("雪乃: 你好   -v1.wav", "雪乃: 你好 -v1.wav;"),
        ("雪乃:你好  ;", "雪乃:你好;"),
        ("  小声说话;  ", "小声说话;"),
        ("end", "end;"),
        ("   ", ""),
        ("  ; remark  ", "; remark"),
        (
            'setTransform:{"position": {"x": 1}}  -target=fig-left;',
            'setTransform:{"position": {"x": 1}} -target=fig-left;',
        ),
        # As they are: the engine would read something else, or another sign stands for the semicolon.
        ("end ;", "end ;"),
        (" changeBg:a.jpg;", " changeBg:a.jpg;"),
        (" 雪乃:你好;", " 雪乃:你好;"),
        ("雪乃:你好；", "雪乃:你好；"),
        ("changeBg:a.jpg // night", "changeBg:a.jpg // night"),
    ],
)
def test_blanks_and_semicolons_are_normalized(written: str, better: str) -> None:
    assert formatted(written) == better


@pytest.mark.parametrize("line", ["雪乃:开\\ ", "\t -next"])
def test_separate_lines_are_not_joined(line: str) -> None:
    assert formatted(line) == line


def test_statements_over_several_lines_are_not_changed() -> None:
    lines = ["choose:a:x", "  |b:y", "雪乃:你好 ;", "雪乃:开\\", "始"]
    assert list(formatted_lines(lines)) == [(2, "雪乃:你好;")]


@MANY
@given(text=st.one_of(SCRIPTS, STATEMENTS, MULTI_LINE))
def test_an_engine_reads_a_formatted_scene_as_before(real: RealParser, text: str) -> None:
    lines = split_lines(text)
    better = {**dict(enumerate(lines)), **dict(formatted_lines(lines))}
    written = "\n".join(better.values())
    assert real.ask("scene", written) == real.ask("scene", "\n".join(lines))
    assert list(formatted_lines(split_lines(written))) == []
    assert real.ask("scene", join_lines(written)) == real.ask("scene", join_lines("\n".join(lines)))
