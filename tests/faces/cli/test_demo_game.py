"""examples/webgal-demo: the check finds exactly the mistakes that its README lists."""

import re
import shutil
from pathlib import Path

import pytest

from tests.faces.cli.machine import Machine

DEMO = Path(__file__).parents[3] / "examples" / "webgal-demo"
_PLANTED = re.compile(r"^\| `(?P<path>[^`]+):(?P<line>\d+)` \| (?P<code>WG\d+) \|", re.MULTILINE)


@pytest.fixture
def demo(machine: Machine) -> Machine:
    shutil.copytree(DEMO / "game", machine.project / "game")
    return machine


def locations_of(problems: list[dict]) -> set[tuple[str, int, str]]:
    return {(file["path"], each["line"], each["code"]) for file in problems for each in file["problems"]}


def test_exactly_the_planted_mistakes_are_found(demo: Machine) -> None:
    text = (DEMO / "README.md").read_text(encoding="utf-8")
    planted = {(each["path"], int(each["line"]), each["code"]) for each in _PLANTED.finditer(text)}
    result = demo.run("webgal", "check", "--json")
    assert planted
    assert locations_of(result.json["files"]) == planted


def test_two_of_them_mend_themselves(demo: Machine) -> None:
    result = demo.run("webgal", "check", "--fix", "--json", "--answer", "allow")
    assert {code for _, _, code in locations_of(result.json["files"])} == {"WG105", "WG201", "WG204"}
