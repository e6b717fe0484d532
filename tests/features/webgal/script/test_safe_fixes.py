"""A safe fix only changes what the player sees if the author clearly meant something else."""

import pytest

from handrail.features.webgal.script.findings import with_safe_fixes
from tests.features.webgal.script.game import findings, game, told


def fixed(script: str) -> str:
    project = game(script)
    return with_safe_fixes(script, lambda text: project.findings_of(text, "start.txt"))


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("小明:讨厌啦 ///▽///", "小明:讨厌啦 ///▽///;"),
        ("他说 // 走吧", "他说 // 走吧;"),
        ("intro:清晨 // 海边", "intro:清晨 // 海边;"),
        ("choose:去 //▽//:start.txt", "choose:去 //▽//:start.txt;"),
        ("unlockCg:bg.png -name=夜 // 海", "unlockCg:bg.png -name=夜 // 海"),
        ("changeBg:bg.png // 海边", "changeBg:bg.png; // 海边"),
    ],
)
def test_dialogue_is_not_cut_at_slashes(line: str, after: str) -> None:
    assert fixed(line) == after


@pytest.mark.parametrize("line", ["End:你好;", "Label:你好;", "INTRO:你好;", "Wait:等等;", "BGM:a.mp3;"])
def test_possible_speakers_are_not_turned_into_commands(line: str) -> None:
    assert fixed(line) == line


def test_a_commands_case_is_fixed_only_where_it_is_clearly_a_command() -> None:
    assert fixed("ChangeBg:bg.png;\nCHANGEFIGURE:a.png -left") == "changeBg:bg.png;\nchangeFigure:a.png -left;"
    assert fixed("SetVar:a;\nChangeFigure:a.png -colour=red;") == "SetVar:a;\nChangeFigure:a.png -colour=red;"


def test_a_command_in_another_case_is_reported_unless_it_is_a_speaker() -> None:
    assert told("End:你好;") == ["WG105"]
    assert told("End:你好;\nEnd:再见;") == []
    assert told("End:你好;\nChangeBg:bg.png;", characters=frozenset({"End", "ChangeBg"})) == []
    assert told("BGM:a.mp3;\nBGM:a.mp3;") == ["WG105", "WG105"]


@pytest.mark.parametrize("line", ["// 走吧;", "/* 走吧 */;", "# 走吧;", "#走吧"])
def test_text_that_looks_like_a_comment_is_not_changed(line: str) -> None:
    assert told(line) == ["WG119"]
    assert fixed(line) == line


def test_a_hash_right_before_a_word_is_text_where_the_line_is_ended() -> None:
    assert told("#今天的话题;\n##海边;\n#Tom:你好;") == []


def test_text_that_reads_like_a_truth_value_stays_text() -> None:
    line = "unlockCg:bg.png -name=TRUE -series=False;"
    assert told(line) == []
    assert fixed("changeFigure:a.png -left=TRUE;") == "changeFigure:a.png -left=true;"


def test_a_dash_in_dialogue_is_not_an_argument() -> None:
    assert told("intro:Chapter one —next generation|x;\nchoose:the —next one:x;\nlabel:x;") == []
    for line in ("intro:你好 —hold;", "unlockCg:bg.png -name=夜 —next;", "Tom:the\u3000-next generation;"):
        assert told(line)
        assert fixed(line) == line
    assert fixed("changeFigure:a.png －left —next;\nTom:你好\u3000-next;") == (
        "changeFigure:a.png -left -next;\nTom:你好 -next;"
    )


def test_no_label_is_guessed_of_which_no_letter_is_the_same() -> None:
    (finding,) = findings("jumpLabel:好;\nlabel:b;")
    assert (finding.code, finding.values["near"], finding.edit) == ("WG204", "", None)


def test_a_label_that_is_called_like_an_editors_placeholder_is_there() -> None:
    assert told("choose:A:a|B: ルートを選択;\nlabel:a;\nlabel:ルートを選択;") == ["WG208"]


@pytest.mark.parametrize("inner", ["  jumpLabel:x;", "jumpLabel：x;", "  JumpLabel:x;", "jumpLabel x;"])
def test_no_command_is_freed_from_a_condition_that_the_engine_does_not_run(inner: str) -> None:
    block = f"setVar:a=1;\nif(a>1)[;\n{inner}\n];\nlabel:x;"
    assert fixed(block) == block
    assert "WG106" in told(block)
    assert fixed(inner + "\nlabel:x;") == "jumpLabel:x;\nlabel:x;"
