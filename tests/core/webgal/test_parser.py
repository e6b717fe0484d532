"""The parser reads every line as the engine's own does: recorded answers, and the real parser beside it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.core.webgal.commands import COMMANDS
from handrail.core.webgal.config_file import read_config
from handrail.core.webgal.multi_line import joined
from handrail.core.webgal.sentences import read_scene
from tests.core.webgal import spelled
from tests.core.webgal.real_parser import RealParser

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))

_PIECES = [
    *COMMANDS,
    *[
        "a.png",
        "b.txt",
        "v1.OGG",
        "mp3",
        "xwav",
        "http://",
        "https://e.com/a.txt",
        "true",
        "false",
        "TRUE",
        "none",
        "next",
        "vocal",
        "left",
        "id",
        "when",
        "speaker",
    ],
    *[
        "0x1F",
        "1e3",
        "-5",
        "+.5",
        "5.",
        "Infinity",
        "0b12",
        "0o7",
        "1_0",
        "١",
        "{name}",
        "../",
        "?type=spine",
        "(a>1)",
        "[b]",
        "->",
        "雪乃",
        "：",
        "；",
        "🎮",
        ".",
    ],
    *(
        ":",
        ";",
        "\\;",
        "\\",
        " -",
        "-",
        "=",
        "|",
        "\\|",
        "\\:",
        " ",
        "\t",
        "\u3000",
        "\u00a0",
        "\ufeff",
        "\u0085",
        "\u2028",
    ),
    *("\x1c", "\r", "_WEBGAL_LINE_BREAK_"),
]
_LINES = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(st.characters(exclude_categories=["Cs"]), max_size=4)))
SCRIPTS = st.lists(_LINES.map("".join), max_size=8).map("\n".join)
# A statement as people write it, so that generated scripts are not all noise.
_STATEMENTS = st.builds(
    lambda command, content, args, end: f"{command}:{content}{''.join(args)}{end}",
    st.sampled_from([*COMMANDS, "雪乃", "", "changeBG"]),
    st.sampled_from(
        ["a.png", "none", "", "去:a.txt|回:home", "(a>1)[b>2]->x:l|y:z.txt", "a=1", "1000", "sub/b.txt", "  x "]
    ),
    st.lists(
        st.sampled_from([" -next", " -left=true", " -v.mp3", " -vocal=v.wav ", " -id = x", " - left", " -volume=3e1"]),
        max_size=4,
    ),
    st.sampled_from([";", "", "; a note", ";a;b"]),
)
MANY = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def real() -> Iterator[RealParser]:
    parser = RealParser()
    yield parser
    parser.close()


@pytest.mark.parametrize("vector", VECTORS["lines"], ids=lambda vector: vector["id"])
def test_a_recorded_line_is_read_the_same(vector: dict[str, Any]) -> None:
    assert [spelled.sentence(sentence) for sentence in read_scene(vector["input"])] == vector["parser_4_5_18"]


@pytest.mark.parametrize("vector", VECTORS["preprocess"], ids=lambda vector: vector["input"])
def test_recorded_lines_are_joined_the_same(vector: dict[str, Any]) -> None:
    assert joined(vector["input"]) == vector["output"]


@pytest.mark.parametrize("vector", VECTORS["config"], ids=lambda vector: vector["input"])
def test_a_recorded_setting_is_read_the_same(vector: dict[str, Any]) -> None:
    assert [spelled.setting(setting) for setting in read_config(vector["input"])] == vector["output"]


@MANY
@given(text=st.one_of(SCRIPTS, st.lists(_STATEMENTS, max_size=10).map("\n".join)))
def test_generated_scripts_are_read_as_the_engines_parser_reads_them(real: RealParser, text: str) -> None:
    assert [spelled.sentence(sentence) for sentence in read_scene(text)] == real.ask("scene", text)


@MANY
@given(text=SCRIPTS)
def test_generated_scripts_are_joined_as_the_engines_parser_joins_them(real: RealParser, text: str) -> None:
    assert joined(text) == real.ask("joined", text)


@MANY
@given(text=SCRIPTS)
def test_generated_settings_are_read_as_the_engines_parser_reads_them(real: RealParser, text: str) -> None:
    assert [spelled.setting(setting) for setting in read_config(text)] == real.ask("config", text)
