"""The parser reads every line as the engine's own does: recorded results, and the real parser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.features.webgal.script.config_file import read_config
from handrail.features.webgal.script.multi_line import join_lines
from handrail.features.webgal.script.parser import read_scene
from tests.effort import tries
from tests.features.webgal.script import spelled
from tests.features.webgal.script.real_parser import RealParser
from tests.features.webgal.script.scripts import MULTI_LINE, SCRIPTS, SETTINGS, STATEMENTS

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))

MANY = settings(max_examples=tries(60, 3000), deadline=None, suppress_health_check=list(HealthCheck))


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
    assert join_lines(vector["input"]) == vector["output"]


@pytest.mark.parametrize("vector", VECTORS["config"], ids=lambda vector: vector["input"])
def test_a_recorded_setting_is_read_the_same(vector: dict[str, Any]) -> None:
    assert [spelled.setting(setting) for setting in read_config(vector["input"])] == vector["output"]


@MANY
@given(text=st.one_of(SCRIPTS, STATEMENTS))
def test_generated_scripts_are_read_as_the_engines_parser_reads_them(real: RealParser, text: str) -> None:
    assert [spelled.sentence(sentence) for sentence in read_scene(text)] == real.ask("scene", text)


@MANY
@given(text=st.one_of(SCRIPTS, STATEMENTS, MULTI_LINE))
def test_generated_scripts_are_joined_as_the_engines_parser_joins_them(real: RealParser, text: str) -> None:
    assert join_lines(text) == real.ask("joined", text)


@MANY
@given(text=st.one_of(SCRIPTS, SETTINGS))
def test_generated_settings_are_read_as_the_engines_parser_reads_them(real: RealParser, text: str) -> None:
    assert [spelled.setting(setting) for setting in read_config(text)] == real.ask("config", text)
