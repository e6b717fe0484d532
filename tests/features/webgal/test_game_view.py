"""The game as the console shows it, with a real project: reading, hiding and fixing."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handrail.features.webgal.game_view import GameView, ProblemPlace
from handrail.kernel.approval import NoApprover
from handrail.kernel.project import Project
from handrail.ports.errors import Conflict, Failure, NotFound
from handrail.wiring import Wiring

GAME = {
    "game/config.txt": "Game_name:雪夜;\nTitle_img:title.png;\n",
    "game/scene/start.txt": "changeBg:beech.jpg -next;\n雪乃:你好\nchangeScene:next.txt;\n",
    "game/scene/next.txt": "bgm:a.mp3;\n",
    "game/scene/lost.txt": "一:二;\n",
    "game/background/beach.jpg": "jpg",
    "game/background/title.png": "png",
    "game/bgm/a.mp3": "mp3",
    "game/figure/hero.model3.json": '{"FileReferences": {"Textures": ["t.png"]}}',
    "game/figure/t.png": "png",
    "game/animation/wave.json": "[]",
}
START = "game/scene/start.txt"

Open = Callable[[Path], GameView]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for path, text in GAME.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def open_view(tmp_path: Path) -> Iterator[Open]:
    rigs: list[Project] = []

    def open_game(folder: Path) -> GameView:
        rigs.append(Wiring().open_project(folder, tmp_path / "state", NoApprover()))
        return GameView(rigs[-1].registry.find("check_game").surface.port)

    yield open_game
    for rig in rigs:
        rig.close()


@pytest.fixture
def view(project: Path, open_view: Open) -> GameView:
    return open_view(project)


def test_a_project_without_a_game_has_nothing_to_show(tmp_path: Path, open_view: Open) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    view = open_view(empty)
    assert view.stamp() is None
    assert view.overview("en") is None
    with pytest.raises(NotFound):
        view.graph()


def test_all_problems_are_reported_in_the_requested_language(view: GameView) -> None:
    displayed = view.overview("en")
    assert displayed is not None
    assert (displayed.title, displayed.folder, displayed.entry, displayed.config) == (
        "雪夜",
        "game",
        START,
        "game/config.txt",
    )
    assert {(each.path, each.code) for each in displayed.problems} == {
        (START, "WG201"),
        (START, "WG101"),
        ("game/scene/lost.txt", "WG402"),
        ("game/background/beach.jpg", "WG404"),
        ("game/figure/hero.model3.json", "WG404"),
    }
    missing = next(each for each in displayed.problems if each.code == "WG201")
    assert missing.message == "no such file: game/background/beech.jpg; did you mean beach.jpg?"
    assert (missing.is_guess, missing.fix_hint) == (True, "changeBg:beach.jpg -next;")
    chinese = view.overview("zh")
    assert chinese is not None
    assert any("找不到文件" in each.message for each in chinese.problems)


def test_changes_on_disk_change_the_stamp_and_are_read(view: GameView, project: Path) -> None:
    before = view.stamp()
    assert before == view.stamp()
    (project / START).write_text("一:二;\n")
    assert view.stamp() != before
    assert view.scene(START).text == "一:二;\n"
    changed = view.stamp()
    (project / "characters.json").write_text('["hero"]')
    assert view.stamp() != changed


def test_a_text_comes_with_the_parts_of_its_lines_and_without_carriage_returns(view: GameView, project: Path) -> None:
    (project / START).write_bytes("雪乃:你好;\r\nend;\r\n".encode())
    displayed = view.scene(START)
    assert displayed.text == "雪乃:你好;\nend;\n"
    assert [parts.sort for parts in displayed.parts] == ["speech", "command", "remark"]
    assert view.scene("game/config.txt").parts[0].sort == "command"


@pytest.mark.parametrize("path", ["game/scene/none.txt", "game/background/beach.jpg", "../x", "scene/start.txt", ""])
def test_only_the_games_own_texts_are_shown(view: GameView, path: str) -> None:
    with pytest.raises(NotFound):
        view.scene(path)


def test_a_binary_scene_is_listed_with_its_problem(view: GameView, project: Path) -> None:
    (project / "game/scene/broken.txt").write_bytes(b"\xff\xfe")
    displayed = view.overview("en")
    assert displayed is not None
    assert "broken.txt" in [scene.name for scene in displayed.scenes]
    assert ("game/scene/broken.txt", "WG125") in [(each.path, each.code) for each in displayed.problems]
    with pytest.raises(NotFound):
        view.scene("game/scene/broken.txt")


def test_files_have_their_kind_and_the_places_that_name_them(view: GameView) -> None:
    displayed = view.resources()
    kinds = {each.name: each.kind for each in displayed.resources}
    assert kinds == {
        "wave.json": "animation",
        "beach.jpg": "image",
        "title.png": "image",
        "a.mp3": "audio",
        "hero.model3.json": "live2d",
    }
    by_name = {each.name: each for each in displayed.resources}
    assert [(use.path, use.line) for use in by_name["a.mp3"].uses] == [("game/scene/next.txt", 1)]
    assert [(use.path, use.line) for use in by_name["title.png"].uses] == [("game/config.txt", 2)]
    assert by_name["beach.jpg"].is_unused
    assert [(each.path, each.uses[0].line) for each in displayed.missing] == [("game/background/beech.jpg", 1)]


def test_only_pictures_and_sounds_of_the_game_are_handed_out_and_nothing_behind_a_link(
    view: GameView, project: Path, tmp_path: Path
) -> None:
    assert view.file("game/background/beach.jpg") == ("image/jpeg", b"jpg")
    (tmp_path / "secret.png").write_text("secret")
    (project / "game/background/out.png").symlink_to(tmp_path / "secret.png")
    (project / "beside.png").write_text("x")
    for path in (START, "beside.png", "../secret.png", "game/background/out.png", "game/figure/hero.model3.json"):
        with pytest.raises(Failure):
            view.file(path)


def test_hidden_files_are_neither_listed_nor_served(project: Path, open_view: Open) -> None:
    (project / ".handrail").mkdir()
    rules = '{"contractVersion": "1.0.0", "rules": [{"effect": "READ", "path": "game/bgm/**", "decision": "deny"}]}'
    (project / ".handrail/policy.json").write_text(rules)
    view = open_view(project)
    assert "a.mp3" not in [each.name for each in view.resources().resources]
    with pytest.raises(NotFound):
        view.file("game/bgm/a.mp3")


def test_one_fix_or_all_that_are_safe_keep_the_ends_of_lines(view: GameView, project: Path) -> None:
    (project / START).write_bytes("changeBg:beech.jpg;\r\n雪乃:你好\r\n".encode())
    assert view.fix_file(START, None).content == "changeBg:beech.jpg;\r\n雪乃:你好;\r\n"
    displayed = view.fix_file(START, ProblemPlace(1, "WG201", 9))
    assert displayed.content == "changeBg:beach.jpg;\r\n雪乃:你好\r\n"
    assert "+changeBg:beach.jpg;" in displayed.diff


def test_fixing_a_problem_that_is_no_longer_there_is_a_conflict(view: GameView, project: Path) -> None:
    with pytest.raises(Conflict):
        view.fix_file(START, ProblemPlace(3, "WG201", 9))
    (project / "game/config.txt").write_text("\ufeffGame_name : 雪;\n")
    assert view.fix_file("game/config.txt", None).content == "\ufeffGame_name: 雪;\n"
