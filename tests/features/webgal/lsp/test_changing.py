"""Renames and fixes: the edits for an editor, applied here as an editor would."""

import pytest

from handrail.features.webgal.lsp.editor_state import FileView
from handrail.features.webgal.lsp.edits import Fix, Replacement, all_fixed, check_renameable, fixes, replacements
from handrail.features.webgal.script.project import Project
from handrail.ports.errors import Conflict, Failure, InvalidParams
from tests.features.webgal.lsp.workshop import START, Workshop

NEXT = "game/scene/next.txt"


def applied(view: FileView, replacements: list[Replacement]) -> dict[str, str]:
    lines = {each.place.path: list(view.game.lines(each.place.path)) for each in replacements}
    for each in sorted(replacements, key=lambda each: (each.place.line, each.place.start), reverse=True):
        text = lines[each.place.path]
        line = text[each.place.line]
        text[each.place.line] = line[: each.place.start] + each.text + line[each.place.end :]
    return {path: "\n".join(text) for path, text in lines.items()}


def renamed(workshop: Workshop, text: str, new: str) -> dict[str, str]:
    view, placed = workshop.pointed(text)
    return applied(view, replacements(view.game, view.path, check_renameable(placed.part, "en"), new, "en"))


def test_a_label_is_renamed_together_with_the_jumps_to_it(workshop: Workshop) -> None:
    text = "label:a‸;\nchoose:a:a|b:a.txt|c: a ;\njumpLabel:a -when=a>1;\na:a;\nlabel:ab;\n; jumpLabel:a"
    assert renamed(workshop, text, "新 1") == {
        START: "label:新 1;\nchoose:a:新 1|b:a.txt|c: 新 1 ;\njumpLabel:新 1 -when=a>1;\na:a;\nlabel:ab;\n; jumpLabel:a"
    }


def test_a_label_is_renamed_on_the_lines_of_a_long_statement(workshop: Workshop) -> None:
    text = "choose:x:a‸\n  |y:a\n  |z:b;\nlabel:a;"
    assert renamed(workshop, text, "c") == {START: "choose:x:c\n  |y:c\n  |z:b;\nlabel:c;"}


@pytest.mark.parametrize("new", ["", " x", "x ", "none", "a:b", "a;b", "a|b", "a.txt", "a -b", "{a}", "a\\", "a\nb"])
def test_a_label_gets_no_name_that_the_engine_would_read_otherwise(workshop: Workshop, new: str) -> None:
    with pytest.raises(InvalidParams):
        renamed(workshop, "label:a‸;", new)


def test_a_label_gets_no_name_that_is_taken(workshop: Workshop) -> None:
    with pytest.raises(Conflict, match="already has a label b"):
        renamed(workshop, "label:a‸;\nlabel:b;", "b")


def test_a_character_is_renamed_in_every_scene_and_where_it_is_defined(workshop: Workshop) -> None:
    assert renamed(workshop, "雪‸乃 :雪乃;\n:雪乃;\nsay:hi -speaker=雪乃;\n雪乃酱:雪乃;", "深雪") == {
        START: "深雪 :雪乃;\n:雪乃;\nsay:hi -speaker=深雪;\n雪乃酱:雪乃;",
        NEXT: "setVar:love=1;\n深雪:再见{love};\n老师:走吧;\nchangeBg:beach.jpg -next;\nend;\n",
        "game/characters.json": '{"characters": [{"name": "深雪", "figure": "hero.png"}]}\n',
    }


@pytest.mark.parametrize(
    ("new", "refusal"),
    [
        ("老师", Conflict),
        ("changeBg", InvalidParams),
        ("a:b", InvalidParams),
        ("", InvalidParams),
        ("a -b", InvalidParams),
    ],
)
def test_a_character_gets_no_name_that_is_taken_or_read_otherwise(
    workshop: Workshop, new: str, refusal: type[Failure]
) -> None:
    with pytest.raises(refusal):
        renamed(workshop, "雪‸乃:你好;", new)


def test_an_ambiguous_definition_is_not_renamed(workshop: Workshop) -> None:
    workshop.put("game/characters.json", '{"雪乃": {"雪乃": 1}}')
    with pytest.raises(Conflict, match=r"characters\.json"):
        renamed(workshop, "雪‸乃:你好;", "深雪")


def test_only_labels_and_characters_can_be_renamed(workshop: Workshop) -> None:
    for text in ("change‸Bg:beach.jpg;", "changeBg:be‸ach.jpg;", "雪乃:{lo‸ve};"):
        with pytest.raises(InvalidParams, match="Only labels and characters"):
            renamed(workshop, text, "x")


def test_the_same_name_changes_nothing(workshop: Workshop) -> None:
    assert renamed(workshop, "label:a‸;", "a") == {}


def offered(workshop: Workshop, text: str, path: str = START) -> tuple[FileView, list[Fix]]:
    workshop.write(text, path)
    view = workshop.view(path)
    return view, list(fixes(view.game, path, view.game.findings(path), "en"))


def test_a_safe_fix_is_preferred_and_a_guess_is_not(workshop: Workshop) -> None:
    view, offers = offered(workshop, "changeBg:beech.jpg;\nend")
    edits = [fix for fix in offers if "nolint" not in fix.title]
    assert [(fix.title, fix.is_preferred) for fix in edits] == [
        ("Change to changeBg:beach.jpg;", False),
        ("Change to end;", True),
    ]
    assert applied(view, edits[0].replacements) == {START: "changeBg:beach.jpg;\nend"}


@pytest.mark.parametrize(
    "text",
    [
        "雪乃:none;",
        "雪乃:你好",
        "雪乃:none; 备注",
        "雪乃:none;nolint WG999",
        "changeBg:x.jpg;\n雪乃:none; ",
        "choose:a:nowhere\n  |b:next.txt;",
        "雪乃:你好 \\; 再见\t-next",
    ],
)
def test_every_finding_can_be_silenced_where_it_is(workshop: Workshop, text: str) -> None:
    view, offers = offered(workshop, text)
    silencing = [fix for fix in offers if "nolint" in fix.title]
    assert {fix.finding.code for fix in silencing} == {each.code for each in view.game.findings(START)}
    for fix in silencing:
        after = applied(view, fix.replacements)[START]
        remaining = [each.code for each in _findings(view.game.project, after)]
        assert fix.finding.code not in remaining


def _findings(project: Project, text: str) -> list:
    return project.findings_of(text, "start.txt")


def test_all_safe_fixes_are_made_at_once_line_by_line(workshop: Workshop) -> None:
    workshop.write(" changeBg:Beach.jpg\n雪乃:你好;\nchangeBg:beech.jpg;\nend；")
    view = workshop.view()
    replacements = all_fixed(view.game, START)
    assert [each.place.line for each in replacements] == [0, 3]
    assert applied(view, replacements) == {START: "changeBg:beach.jpg;\n雪乃:你好;\nchangeBg:beech.jpg;\nend;"}


def test_settings_are_mended_and_never_silenced(workshop: Workshop) -> None:
    path = "game/config.txt"
    view, offers = offered(workshop, "Game_name : x;\nTitle_img:beech.jpg;", path)
    assert [fix.title for fix in offers] == ["Change to Game_name: x;", "Change to Title_img:beach.jpg;"]
    assert applied(view, all_fixed(view.game, path)) == {path: "Game_name: x;\nTitle_img:beech.jpg;"}


def test_other_files_than_scenes_and_settings_are_ignored(workshop: Workshop) -> None:
    path = "game/characters.json"
    workshop.put(path, '{"characters" : [{"name" : "雪乃"}]}\n')
    view = workshop.view(path)
    assert all_fixed(view.game, path) == []
