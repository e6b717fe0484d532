"""list_project_resources and generate_character_profile: contract 3 §2.1 and §2.7."""

import json
import shutil
from pathlib import Path

import pytest

from tests.wire.clients import Cli, Client, Stdio
from tests.wire.stage import put, put_policy

CHARACTERS = "game/characters.json"
MODEL = {"version": "1", "model": "hero.moc", "textures": ["tex/0.png"], "motions": {"idle": [{"file": "idle.mtn"}]}}
SPINE = {"skeleton": {"hash": "x"}, "bones": [{"name": "root"}]}


@pytest.fixture(autouse=True)
def make_rig(project: Path) -> None:
    for path in (
        "background/beach.jpg",
        "background/cg/Abend.PNG",
        "background/loop.mp4",
        "background/.DS_Store",
        "background/notes.md",
        "figure/hero.png",
        "figure/live2d/hero/tex/0.png",
        "figure/live2d/hero/hero.moc",
        "figure/live2d/hero/idle.mtn",
        "figure/live2d/both.jsonl",
        "figure/spine/boy.skel",
        "figure/spine/boy.png",
        "figure/spine/girl.png",
        "bgm/title.mp3",
        "vocal/a/v 1.ogg",
        "vocal/雪乃.wav",
        "video/op.mp4",
        "scene/ch1/one.txt",
        "scene/readme.md",
    ):
        put(project, f"game/{path}", b"")
    put(project, "game/figure/live2d/hero/hero.json", json.dumps(MODEL))
    put(project, "game/figure/spine/girl.json", json.dumps(SPINE))
    put(project, "game/figure/spine/boy.atlas", "boy.png\nsize: 1,1\nhead\n")


def test_resources_are_listed_below_their_own_folders_sorted_with_models_and_without_their_parts(
    client: Client,
) -> None:
    assert client.ok("list_project_resources") == {
        "backgrounds": ["beach.jpg", "cg/Abend.PNG", "loop.mp4"],
        "figures": ["hero.png", "live2d/both.jsonl", "live2d/hero/hero.json", "spine/boy.skel", "spine/girl.json"],
        "bgm": ["title.mp3"],
        "vocals": ["a/v 1.ogg", "雪乃.wav"],
        "scenes": ["ch1/one.txt", "start.txt"],
    }


def test_a_project_without_a_game_has_no_resources(own_project: Path, own_state: Path) -> None:
    shutil.rmtree(own_project / "game")
    nothing: dict[str, list[str]] = {"backgrounds": [], "figures": [], "bgm": [], "vocals": [], "scenes": []}
    assert Cli(own_project, own_state).ok("list_project_resources") == nothing


def test_hidden_resources_are_not_listed(stdio: Stdio, project: Path) -> None:
    put_policy(project, [{"effect": "READ", "path": "game/bgm", "decision": "deny"}])
    assert stdio.ok("list_project_resources")["bgm"] == []


@pytest.mark.also_cli
def test_defining_a_character_changes_the_projects_file_and_takes_a_snapshot(client: Client, project: Path) -> None:
    assert client.ok("generate_character_profile", name="雪乃", imageFile="hero.png", defaultExpression="smile") == {
        "success": True
    }
    profile = {"name": "雪乃", "imageFile": "hero.png", "defaultExpression": "smile"}
    assert json.loads((project / CHARACTERS).read_text()) == {"characters": [profile]}
    (snapshot,) = client.ok("list_snapshots", path=CHARACTERS)["snapshots"]
    assert client.ok("restore_snapshot", snapshotId=snapshot["id"]) == {"path": CHARACTERS, "content": ""}


def test_a_defined_character_is_known_to_the_checks(stdio: Stdio) -> None:
    content = "marcus:hi;"
    assert stdio.ok("validate_script", content=content)["valid"] is False
    stdio.ok("generate_character_profile", name="marcus", imageFile="spine/boy.skel")
    assert stdio.ok("validate_script", content=content)["valid"] is True


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([{"name": "A"}], [{"name": "A"}, {"name": "B", "imageFile": "hero.png"}]),
        ({"A": {"x": 1}}, {"A": {"x": 1}, "B": {"imageFile": "hero.png"}}),
        ({"characters": {}, "v": 2}, {"characters": {"B": {"imageFile": "hero.png"}}, "v": 2}),
    ],
)
def test_a_file_of_characters_keeps_its_shape_wherever_it_lies(
    stdio: Stdio, project: Path, before: object, after: object
) -> None:
    put(project, "characters.json", json.dumps(before))
    stdio.ok("generate_character_profile", name="B", imageFile="hero.png")
    assert json.loads((project / "characters.json").read_text()) == after
    assert not (project / CHARACTERS).exists()


def test_the_same_character_twice_changes_nothing_and_another_of_its_name_is_a_conflict(
    stdio: Stdio, project: Path
) -> None:
    stdio.ok("generate_character_profile", name="雪乃", imageFile="hero.png")
    before = (project / CHARACTERS).read_bytes()
    assert stdio.ok("generate_character_profile", name="雪乃", imageFile="hero.png") == {"success": True}
    assert stdio.code("generate_character_profile", name="雪乃", imageFile="spine/boy.skel") == "E_CONFLICT"
    assert (project / CHARACTERS).read_bytes() == before


def test_a_picture_that_is_not_there_is_not_found_with_near_names(client: Client, project: Path) -> None:
    error = client.error("generate_character_profile", name="雪乃", imageFile="heroo.png")
    assert error["code"] == "E_NOT_FOUND"
    assert error["details"]["near"] == ["hero.png"]
    assert "hero.png" in error["hint"]
    assert client.code("generate_character_profile", name="雪乃", imageFile="../../notes.md") == "E_DENY_PATH"
    assert not (project / CHARACTERS).exists()


def test_a_damaged_file_of_characters_is_not_changed(stdio: Stdio, project: Path) -> None:
    put(project, CHARACTERS, "{broken")
    assert stdio.code("generate_character_profile", name="雪乃", imageFile="hero.png") == "E_PARSE_FAIL"
    assert (project / CHARACTERS).read_text() == "{broken"


def test_a_rule_about_the_file_decides_about_a_character(stdio: Stdio, project: Path) -> None:
    put_policy(project, [{"effect": "WRITE", "path": CHARACTERS, "decision": "deny"}])
    assert stdio.code("generate_character_profile", name="雪乃", imageFile="hero.png") == "E_POLICY_VIOLATION"
