"""Folding, outline, search, formatting and inlay hints."""

from lsprotocol import types

from handrail.features.webgal.lsp.layout import formatting, inlay_hints, range_formatting
from handrail.features.webgal.lsp.outline import folding_ranges, symbols, workspace_symbols
from handrail.features.webgal.lsp.variables import all_variables
from tests.features.webgal.lsp.workshop import START, Workshop

SCENE = """\
; 第一幕
; 夜
雪乃:你好;
今天真冷。;
choose:走:away|留:stay
  |睡:stay;
label:away;
changeScene:next.txt;

; 留下
label:stay;
;#region 对话
:安静。;
风很大。;
;#endregion
jumpLabel:away;
"""
DOCUMENT = types.TextDocumentIdentifier("file:///x")
OPTIONS = types.FormattingOptions(4, insert_spaces=True)


def whole(first: int = 0, last: int = 99) -> types.Range:
    return types.Range(types.Position(first, 0), types.Position(last, 0))


def folds(workshop: Workshop, text: str) -> list[tuple[int, int, str]]:
    workshop.write(text)
    return [(fold.start_line, fold.end_line, fold.kind or "") for fold in folding_ranges(workshop.view())]


def test_labels_regions_remarks_and_long_statements_fold(workshop: Workshop) -> None:
    assert folds(workshop, SCENE) == [
        (0, 1, "comment"),
        (4, 5, ""),
        (6, 7, ""),
        (10, 15, ""),
        (11, 14, "region"),
    ]


def test_an_unclosed_region_and_an_empty_label_are_not_folded(workshop: Workshop) -> None:
    assert folds(workshop, ";#endregion\n;#region a\nlabel:a;\n\n; b") == []


def test_choices_and_scenes_stand_below_their_label_in_the_outline(workshop: Workshop) -> None:
    workshop.write(SCENE)
    listing = [
        (each.name, each.kind.name, [child.name for child in each.children or ()]) for each in symbols(workshop.view())
    ]
    assert listing == [
        ("走 | 留", "Enum", []),
        ("away", "Key", ["next.txt"]),
        ("stay", "Key", []),
    ]
    away = symbols(workshop.view())[1]
    assert (str(away.range), str(away.selection_range)) == ("6:0-7:21", "6:6-6:10")


def test_names_of_the_whole_game_are_found_by_their_letters(workshop: Workshop) -> None:
    workshop.write(SCENE)

    def found(query: str) -> list[str]:
        listing = workspace_symbols(workshop.view(), query)
        return [f"{each.kind.name} {each.name} {each.container_name or '-'}" for each in listing]

    assert found("nxt") == ["File next.txt -"]
    assert found("AWAY") == ["Key away start.txt"]
    assert found("雪乃") == ["Object 雪乃 next.txt"]
    assert found("love") == ["Variable love next.txt"]
    assert {"File start.txt -", "Key stay start.txt", "Object 老师 next.txt"} <= set(found(""))


def test_the_name_that_stays_and_the_line_of_a_label_are_shown(workshop: Workshop) -> None:
    workshop.write(SCENE)
    hints = inlay_hints(workshop.view(), types.InlayHintParams(DOCUMENT, whole()))
    assert [(str(hint.position), hint.label) for hint in hints] == [
        ("3:0", "雪乃:"),
        ("4:13", "→ line 7"),
        ("4:20", "→ line 11"),
        ("5:9", "→ line 11"),
        ("15:14", "→ line 7"),
    ]


def test_after_a_label_or_a_cleared_name_no_speaker_is_shown(workshop: Workshop) -> None:
    workshop.write("雪乃:你好;\nlabel:a;\n谁？;\n雪乃:我 -clear;\n安静;\n:旁白;\n安静;")
    assert inlay_hints(workshop.view(), types.InlayHintParams(DOCUMENT, whole())) == []


def test_a_scene_or_a_part_of_it_is_formatted(workshop: Workshop) -> None:
    workshop.write("end\n雪乃:你好  ;\n雪乃:再见 ;")
    view = workshop.view()
    edits = formatting(view, types.DocumentFormattingParams(DOCUMENT, OPTIONS))
    assert [(str(edit.range), edit.new_text) for edit in edits] == [
        ("0:0-0:3", "end;"),
        ("1:0-1:8", "雪乃:你好;"),
        ("2:0-2:7", "雪乃:再见;"),
    ]
    part = range_formatting(view, types.DocumentRangeFormattingParams(DOCUMENT, whole(1, 2), OPTIONS))
    assert [str(edit.range) for edit in part] == ["1:0-1:8"]


def test_settings_are_neither_formatted_nor_folded(workshop: Workshop) -> None:
    workshop.write("Game_name:demo\nTitle_img:beach.jpg  ;", "game/config.txt")
    view = workshop.view("game/config.txt")
    assert formatting(view, types.DocumentFormattingParams(DOCUMENT, OPTIONS)) == []
    assert (folding_ranges(view), symbols(view)) == ([], [])
    assert inlay_hints(view, types.InlayHintParams(DOCUMENT, whole())) == []


def test_every_variable_comes_with_the_places_that_set_and_read_it(workshop: Workshop) -> None:
    workshop.write("setVar:love=love+1;\n雪乃:{love} {Game_name};\nchangeBg:beach.jpg -when=gone>1;")
    counts = {each["name"]: (len(each["sets"]), len(each["reads"])) for each in all_variables(workshop.view())}
    assert counts == {"Game_name": (1, 1), "gone": (0, 1), "love": (2, 3)}
    (love,) = [each for each in all_variables(workshop.view()) if each["name"] == "love"]
    assert love["sets"][1]["uri"].endswith(START)
    assert love["sets"][1]["range"]["start"] == {"line": 0, "character": 7}
