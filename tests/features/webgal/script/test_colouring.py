"""Where a line's parts end, as its colours show it."""

import json
import re
from pathlib import Path

import pytest

from handrail.features.webgal.script.anatomy import coloured_parts
from handrail.features.webgal.script.commands import COMMANDS, LATER
from handrail.features.webgal.script.graph_picture import make_layout
from tests.features.webgal.script.game import game


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("changeBg:a.png -next; old", ("command", "changeBg", ":a.png", " -next")),
        ("雪乃:你好 -v.ogg;", ("speech", "雪乃", ":你好", " -v.ogg")),
        (":旁白;", ("speech", "", ":旁白", "")),
        ("旁白", ("speech", "", "旁白", "")),
        ("end;", ("command", "end", "", "")),
        ("a\\;b:c;d", ("speech", "a\\;b", ":c", "")),
        (" -next;", ("continuation", "", "", " -next")),
        (" |b:b.txt;", ("continuation", "", " |b:b.txt", "")),
        ("; remark", ("remark", "", "", "")),
        ("", ("remark", "", "", "")),
    ],
)
def test_a_line_has_a_head_content_and_arguments(line: str, pieces: tuple[str, ...]) -> None:
    parts = coloured_parts(line)
    actual = (parts.sort, line[: parts.head], line[parts.head : parts.content], line[parts.content : parts.end])
    assert actual == pieces


def test_a_setting_has_the_shape_of_a_command() -> None:
    assert coloured_parts("Game_name:雪;", is_setting=True).sort == "command"
    assert coloured_parts("Game_name:雪;").sort == "speech"


def test_scenes_are_arranged_by_distance_and_missing_ones_are_marked() -> None:
    layout = make_layout(game("changeScene:scene1.txt;", "choose:a:start.txt|b:gone.txt;", "一:二;").graph())
    kinds = {node.name: node.kind for node in layout.nodes}
    assert kinds == {"start.txt": "scene", "scene1.txt": "scene", "gone.txt": "missing", "scene2.txt": "lost"}
    left = {node.name: node.x for node in layout.nodes}
    assert left["start.txt"] < left["scene1.txt"] < left["gone.txt"] < left["scene2.txt"]
    assert [(way.source, way.target, way.line) for way in layout.arrows] == [
        ("scene1.txt", "start.txt", 1),
        ("scene1.txt", "gone.txt", 1),
        ("start.txt", "scene1.txt", 1),
    ]


def test_the_editors_grammar_colours_exactly_the_commands_that_engines_run() -> None:
    path = Path(__file__).parents[4] / "web/vscode/syntaxes/webgal.tmLanguage.json"
    rule = json.loads(path.read_text(encoding="utf-8"))["repository"]["command"]["begin"]
    (names,) = re.findall(r"\^\(([\w|]+)\)", rule)
    assert set(names.split("|")) == {name for name, command in COMMANDS.items() if command.is_run} | set(LATER)
