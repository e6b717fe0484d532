"""Which game of a project is used: a path's, the only one, or none until one is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.features.webgal.previews.scene_finder import SceneFile, find_game, find_scene, games_below, project_game
from handrail.ports.errors import NotFound, NotShown
from handrail.stores.local.files.folder import LocalFolder


@pytest.fixture
def files(tmp_path: Path) -> Iterator[LocalFolder]:
    folder = LocalFolder.open(str(tmp_path))
    yield folder
    folder.close()


def anything(_path: str) -> bool:
    return True


def put(folder: Path, *games: str) -> None:
    for game in games:
        scene = folder / game / "scene/start.txt"
        scene.parent.mkdir(parents=True)
        scene.write_text("a:b;\n")


@pytest.mark.parametrize("where", ["public/games", "games", "data/games"])
def test_the_only_game_of_a_terre_is_the_projects(tmp_path: Path, files: LocalFolder, where: str) -> None:
    put(tmp_path, f"{where}/海边 1/game")
    (tmp_path / where / "template").mkdir()
    (tmp_path / where / "list.json").write_text("[]")
    game = f"{where}/海边 1/game"
    assert find_game(files) == project_game(files, anything) == game
    assert games_below(files, ".", anything) == [game]
    assert find_scene(files, None, anything) == find_scene(files, "start", anything) == SceneFile(game, "start.txt")


def test_of_several_games_none_is_taken_for_the_projects_and_all_are_named(tmp_path: Path, files: LocalFolder) -> None:
    first, second = games = ["public/games/a/game", "public/games/b/game"]
    put(tmp_path, *games)
    assert find_game(files) is None
    with pytest.raises(NotFound) as raised:
        project_game(files, anything)
    assert raised.value.message == f"There are 2 WebGAL games in this project: {first}, {second}."
    assert raised.value.details == {"games": games}
    for path in (None, "start.txt"):
        with pytest.raises(NotShown, match="There are 2 WebGAL games"):
            find_scene(files, path, anything)
    assert games_below(files, ".", anything) == games
    assert games_below(files, "public/games/b", anything) == [second]
    assert find_game(files, f"{second}/scene/start.txt") == second
    assert find_scene(files, f"{second}/scene/start.txt", anything) == SceneFile(second, "start.txt")


def test_a_game_that_a_rule_hides_is_counted_and_not_named(tmp_path: Path, files: LocalFolder) -> None:
    put(tmp_path, "games/a/game", "games/secret/game", "games/b/game")
    with pytest.raises(NotFound) as raised:
        project_game(files, lambda path: "secret" not in path)
    assert raised.value.message == "There are 3 WebGAL games in this project: games/a/game, games/b/game and 1 more."
    with pytest.raises(NotFound, match=r"There are 3 WebGAL games in this project\.$"):
        project_game(files, lambda path: False)


def test_many_games_are_counted_and_not_all_named(tmp_path: Path, files: LocalFolder) -> None:
    put(tmp_path, *(f"games/{number:02}/game" for number in range(25)))
    with pytest.raises(NotFound, match=r"There are 25 .* games/19/game and 5 more\.$"):
        project_game(files, anything)


def test_a_game_of_the_projects_own_comes_before_a_collection(tmp_path: Path, files: LocalFolder) -> None:
    put(tmp_path, "game", "public/games/a/game")
    assert project_game(files, anything) == "game"
