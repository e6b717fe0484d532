"""validate_script: contract 3 §2.2 and §8, and how the policy affects it."""

from pathlib import Path
from typing import Any

import pytest

from tests.wire.clients import Client, Stdio
from tests.wire.stage import START, Stage, put, put_policy, trust

SCENE = "game/scene/start.txt"


@pytest.fixture(autouse=True)
def make_rig(project: Path) -> None:
    """Next to the stage's own scene, which uses beach.jpg: a picture and a figure."""
    put(project, "game/background/beach.jpg", b"\xff\xd8")
    put(project, "game/figure/hero.png", b"\x89PNG")


def diagnostics(client: Client, content: str) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = client.ok("validate_script", content=content)["diagnostics"]
    return result


@pytest.mark.also_cli
def test_a_clean_scene_is_valid_without_diagnostics(client: Client) -> None:
    assert client.ok("validate_script", path=START) == {"valid": True, "diagnostics": []}
    content = "changeBg: beach.jpg -next;\n雪乃: 海风真舒服呢;\nend;\n"
    assert client.ok("validate_script", content=content) == {"valid": True, "diagnostics": []}


def test_a_missing_semicolon_is_a_syntax_mistake_whose_hint_is_the_whole_line(client: Client) -> None:
    result = client.ok("validate_script", content="雪乃:你好\nchangeBg:beach.jpg")
    assert result["valid"] is False
    assert [(each["line"], each["kind"], each["fixHint"]) for each in result["diagnostics"]] == [
        (1, "syntax", "雪乃:你好;"),
        (2, "syntax", "changeBg:beach.jpg;"),
    ]


def test_an_unknown_command_is_a_syntax_mistake_with_near_names(stdio: Stdio) -> None:
    (unknown,) = diagnostics(stdio, "unknownCmd: test;")
    assert (unknown["line"], unknown["kind"]) == (1, "syntax")
    assert "未知" in unknown["message"]
    (near,) = diagnostics(stdio, "chagneFigure:hero.png;")
    assert "changeFigure" in near["message"]
    assert near["fixHint"] == "changeFigure:hero.png;"


def test_a_missing_file_is_a_resource_mistake_with_near_names(stdio: Stdio) -> None:
    (missing,) = diagnostics(stdio, "changeBg:beech.jpg;")
    assert (missing["line"], missing["kind"]) == (1, "resource")
    assert "beach.jpg" in missing["message"]
    assert missing["fixHint"] == "changeBg:beach.jpg;"


def test_style_findings_leave_a_script_valid(stdio: Stdio) -> None:
    result = stdio.ok("validate_script", content="雪乃:none;")
    assert result["valid"] is True
    assert [each["kind"] for each in result["diagnostics"]] == ["style"]


def test_every_message_ends_in_its_code_by_which_a_comment_silences_it(stdio: Stdio) -> None:
    (missing,) = diagnostics(stdio, "changeBg:gone.png;")
    assert missing["message"].endswith("[WG201]")
    assert diagnostics(stdio, "changeBg:gone.png;nolint WG201") == []


def test_the_policy_silences_rules_where_a_person_trusts_it(stdio: Stdio, stage: Stage) -> None:
    put_policy(stage.project, lintIgnore=["WG101"])
    assert stdio.ok("validate_script", content="雪乃:你好")["valid"] is False
    trust(stage.project, stage.state)
    assert stdio.ok("validate_script", content="雪乃:你好") == {"valid": True, "diagnostics": []}


def test_messages_are_chinese_unless_english_is_asked_for(own_project: Path, own_state: Path, start: Any) -> None:
    for language, word in (
        ("en", "missing semicolon"),
        ("EN", "missing semicolon"),
        ("zh", "缺少分号"),
        ("", "缺少分号"),
    ):
        stdio = start("stdio", own_project, own_state, environ={"HANDRAIL_LANG": language})
        assert word in diagnostics(stdio, "雪乃:你好")[0]["message"]


def test_path_and_content_exclude_each_other_and_one_is_needed(client: Client) -> None:
    assert client.code("validate_script", path=START, content="x;") == "E_BAD_ARGS"
    assert client.code("validate_script") == "E_BAD_ARGS"


def test_a_script_that_is_not_there_is_not_found(stdio: Stdio) -> None:
    assert stdio.code("validate_script", path="game/scene/gone.txt") == "E_NOT_FOUND"
    assert stdio.code("validate_script", path="../start.txt") == "E_DENY_PATH"
    assert stdio.code("validate_script", path=".git/config") == "E_DENY_PATH"


@pytest.mark.parametrize("data", ["雪乃".encode("gbk"), b"\x89PNG\r\n\x1a\n\0\xff", b"a\0b"])
def test_binary_content_is_a_parse_failure(stdio: Stdio, project: Path, data: bytes) -> None:
    put(project, "game/scene/odd.txt", data)
    error = stdio.error("validate_script", path="game/scene/odd.txt")
    assert error["code"] == "E_PARSE_FAIL"
    assert error["details"]["path"] == "game/scene/odd.txt"


def test_an_odd_scene_beside_it_does_not_hinder_a_check(stdio: Stdio, project: Path) -> None:
    put(project, "game/scene/odd.txt", b"\xff\xfe\0")
    (project / "game/scene/out.txt").symlink_to("/etc/passwd")
    (project / "game/vocal").symlink_to("/tmp")
    assert diagnostics(stdio, "changeScene:out.txt;") == []
    assert diagnostics(stdio, "playEffect:any.wav;") == []


def test_a_byte_order_mark_and_windows_line_ends_are_reported_and_accepted(stdio: Stdio, project: Path) -> None:
    put(project, "game/scene/bom.txt", "\ufeffchangeBg:beach.jpg;\r\n雪乃:好;\r\n")
    (result,) = stdio.ok("validate_script", path="game/scene/bom.txt")["diagnostics"]
    assert result["message"].endswith("[WG107]")
    assert result["fixHint"] == "changeBg:beach.jpg;"


def test_labels_scenes_and_variables_of_the_project_count(stdio: Stdio, project: Path) -> None:
    put(project, "game/scene/second.txt", "setVar:score=1;\nlabel:here;\nmarcus:hi;\nmarcus:ho;\n")
    assert diagnostics(stdio, "marcus:{score};\nchangeScene:second.txt;") == []
    findings = diagnostics(stdio, "jumpLabel:here;\nchangeScene:secnd.txt;\n雪乃:{scoer};")
    assert [each["kind"] for each in findings] == ["resource", "resource", "style"]


def test_the_settings_of_a_game_are_checked_by_their_path(stdio: Stdio, project: Path) -> None:
    put(project, "game/config.txt", "Game_name:demo;\nTitle_img:beech.jpg;\n")
    (result,) = stdio.ok("validate_script", path="game/config.txt")["diagnostics"]
    assert (result["line"], result["kind"], result["fixHint"]) == (2, "resource", "Title_img:beach.jpg;")


def test_files_hidden_by_policy_are_not_reported_as_missing(stdio: Stdio, project: Path) -> None:
    rules = [{"effect": "READ", "path": "game/figure/**", "decision": "deny"}]
    put_policy(project, rules)
    assert diagnostics(stdio, "changeFigure:any.png;") == []


def test_where_the_policy_demands_it_a_scene_with_mistakes_is_not_written(client: Client, project: Path) -> None:
    put_policy(project, lintOnWrite=True)
    before = (project / SCENE).read_bytes()
    dirty = {"path": SCENE, "content": "changeBg:gone.png;\n雪乃:你好"}
    assert client.ok("write_to_file", **dirty, dryRun=True)["applied"] is False
    error = client.error("write_to_file", **dirty, dryRun=False)
    assert error["code"] == "E_LINT_FAIL"
    assert [(each["line"], each["kind"]) for each in error["details"]["diagnostics"]] == [
        (1, "resource"),
        (2, "syntax"),
    ]
    assert client.code("replace_in_file", path=SCENE, find="beach.jpg", replace="gone.png") == "E_LINT_FAIL"
    assert (project / SCENE).read_bytes() == before


def test_where_the_policy_demands_it_clean_scenes_and_other_files_are_written(stdio: Stdio, project: Path) -> None:
    put_policy(project, lintOnWrite=True)
    stdio.write(SCENE, "雪乃:none;\n")
    stdio.write("notes.txt", "changeBg:gone.png")
    put_policy(project)
    stdio.write(SCENE, "雪乃:你好")
