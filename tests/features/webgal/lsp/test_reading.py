"""Hover texts, definitions and references."""

import pytest

from handrail.features.webgal.lsp import features
from handrail.features.webgal.lsp.hover import handbook, hover_text
from handrail.features.webgal.lsp.outline import symbols
from handrail.features.webgal.lsp.usages import definitions, references
from handrail.features.webgal.script.commands import COMMANDS
from tests.features.webgal.lsp.workshop import Workshop

NEXT = "game/scene/next.txt"


def hovered(workshop: Workshop, text: str) -> str:
    view, placed = workshop.pointed(text)
    return hover_text(view.game, view.path, placed.part, "en") or ""


def led_to(workshop: Workshop, text: str) -> list[str]:
    view, placed = workshop.pointed(text)
    targets = definitions(view.game, view.path, placed.part)
    return [f"{place.path}:{place.line + 1}:{place.start}-{place.end}" for place in targets]


def named_by(workshop: Workshop, text: str, *, with_definition: bool = True) -> list[str]:
    view, placed = workshop.pointed(text)
    uses = references(view.game, view.path, placed.part, with_definition=with_definition)
    return [f"{place.path.rpartition('/')[2]}:{place.line + 1}:{place.start}" for place in uses]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("change‸Bg:beach.jpg;", ["**changeBg**", "changes the background", "changeBg:beach.jpg -next;", "`-ease=…`"]),
        ("changeBg:beach.jpg -ne‸xt;", ["**-next**", "at once"]),
        ("changeBg:beach.jpg -ease=lin‸ear;", ["**-ease**", "`easeIn`"]),
        (
            "changeBg:bea‸ch.jpg;",
            [
                "`game/background/beach.jpg`",
                "Exists, 1.5 KB",
                "Used in 3 places: next.txt:4, start.txt:1, config.txt:2",
            ],
        ),
        ("changeBg:Beach‸.jpg;", ["real name is beach.jpg"]),
        ("changeBg:gone‸.jpg;", ["File not found", "Used nowhere else"]),
        ("changeScene:next‸.txt;", ["`game/scene/next.txt`", "6 lines"]),
        ("label:ho‸me;\njumpLabel:home;", ["Label **home**: line 1", "Jumped to 1 times: line 2"]),
        ("jumpLabel:aw‸ay;", ["no label **away**", "Jumped to 1 times"]),
        (
            "雪乃:{lo‸ve};",
            ["Variable **love**", "Set in 1 places: next.txt:1", "Read in 2 places: next.txt:2, start.txt:1"],
        ),
        ("雪乃:{Game_na‸me};", ["Set in 1 places: config.txt:1"]),
        ("雪‸乃:你好;", ["**雪乃** speaks 2 lines in 2 scenes", "Defined in game/characters.json"]),
        ("路‸人:你好;", ["speaks 1 lines", "Not defined"]),
        ("setAnimation:wa‸ve;", ["Animation **wave** — `game/animation/wave.json`"]),
        ("setAnimation:sha‸ke;", ["built in"]),
        ("setAnimation:no‸pe;", ["there is no such animation"]),
    ],
)
def test_hovering_describes_the_item(workshop: Workshop, text: str, pieces: list[str]) -> None:
    hover_text = hovered(workshop, text)
    assert [piece for piece in pieces if piece not in hover_text] == []


def test_every_command_and_every_argument_is_explained() -> None:
    assert handbook().commands.keys() == COMMANDS.keys()
    assert handbook().arguments.keys() == {name for command in COMMANDS.values() for name in command.arguments}


def test_hovering_describes_the_item_in_chinese(workshop: Workshop) -> None:
    view, placed = workshop.pointed("change‸Bg:beach.jpg;")
    assert "切换背景" in (hover_text(view.game, view.path, placed.part, "zh") or "")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("changeScene:ne‸xt.txt;", ["game/scene/next.txt:1:0-0"]),
        ("choose:x:ne‸xt.txt;", ["game/scene/next.txt:1:0-0"]),
        ("changeBg:Be‸ach.jpg;", ["game/background/beach.jpg:1:0-0"]),
        ("changeBg:go‸ne.jpg;", []),
        ("雪乃:hi -v‸1.wav;", ["game/vocal/v1.wav:1:0-0"]),
        ("choose:a:ho‸me|b:home;\n label:x;\nlabel:home;", ["game/scene/start.txt:3:6-10"]),
        ("雪乃:{lo‸ve};", ["game/scene/next.txt:1:7-11"]),
        ("雪乃:{Game_na‸me};", ["game/config.txt:1:0-9"]),
        ("雪‸乃:你好;", ["game/characters.json:1:26-28"]),
        ("老‸师:你好;", ["game/scene/next.txt:3:0-2"]),
        ("setAnimation:wa‸ve;", ["game/animation/wave.json:1:0-0"]),
        ("wait:1‸000;", None),
    ],
)
def test_a_definition_is_found(workshop: Workshop, text: str, places: list[str] | None) -> None:
    if places is None:
        workshop.write(text)
        assert workshop.view().part(workshop.view().span(0, 6, 6).start) is None
    else:
        assert led_to(workshop, text) == places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("label:a;\nchoose:a:a‸|b:a;", ["start.txt:1:6", "start.txt:2:9", "start.txt:2:13"]),
        ("雪乃:{lo‸ve};", ["next.txt:1:7", "next.txt:2:6", "start.txt:1:4"]),
        ("雪‸乃:你好;", ["characters.json:1:26", "next.txt:2:0", "start.txt:1:0"]),
        ("changeBg:be‸ach.jpg;", ["next.txt:4:9", "start.txt:1:9", "config.txt:2:10"]),
    ],
)
def test_all_that_name_it_are_found(workshop: Workshop, text: str, places: list[str]) -> None:
    assert named_by(workshop, text) == places


def test_references_without_the_definition(workshop: Workshop) -> None:
    assert named_by(workshop, "label:a;\njumpLabel:a‸;", with_definition=False) == ["start.txt:2:10"]


def test_a_statement_over_several_lines_is_one(workshop: Workshop) -> None:
    text = "label:end1;\nchoose:a:end1\n  |b:en‸d1\n  |c:next.txt;\n  |d:end1;"
    assert named_by(workshop, text) == ["start.txt:1:6", "start.txt:2:9", "start.txt:3:5"]


def test_labels_are_the_outline_and_files_are_links(workshop: Workshop) -> None:
    workshop.write("😀label:no;\nlabel:yes;\n雪乃:😀 -v1.wav;\nchangeBg:gone.jpg;\nchoose:😀:next.txt;")
    view = workshop.view()
    assert [(symbol.name, str(symbol.selection_range)) for symbol in symbols(view) if symbol.name == "yes"] == [
        ("yes", "1:6-1:9")
    ]
    matches = [(str(link.range), (link.target or "").rpartition("/")[2]) for link in features.links(view)]
    assert matches == [("2:7-2:13", "v1.wav"), ("4:10-4:18", "next.txt")]
