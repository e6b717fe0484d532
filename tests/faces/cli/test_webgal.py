"""`handrail webgal`: what a person sees of a check, what is fixed, and what CI gets."""

import json

import pytest

from handrail.features.webgal.cli.webgal import ranges, underlined
from tests.faces.cli.machine import Machine

START = "game/scene/start.txt"


@pytest.fixture
def game(machine: Machine) -> Machine:
    machine.put("game/background/beach.jpg", "")
    machine.put("game/config.txt", "Game_name:demo;\nTitle_img:beach.jpg;\n")
    return machine


def test_a_clean_game_ends_with_0(game: Machine) -> None:
    game.put(START, "雪乃:你好;\nend;\n")
    result = game.run("webgal", "check")
    assert (result.status, result.out, result.err) == (0, "No problems in 1 scene, 3 lines.\n", "")


def test_style_problems_alone_end_with_exit_code_0(game: Machine) -> None:
    game.put(START, "雪乃:none;\n")
    result = game.run("webgal", "check", HANDRAIL_LANG="en")
    assert result.status == 0
    assert result.out.endswith("1 problem in 1 scene, 2 lines: 1 style.\n")


def test_a_problem_is_shown_with_its_line_a_caret_and_the_mended_line(game: Machine) -> None:
    game.put(START, "end;\nchangeBg:beech.jpg;\n")
    result = game.run("webgal", "check")
    assert result.status == 1
    assert result.out.splitlines() == [
        "game/scene/start.txt:2:10: resource 找不到文件 game/background/beech.jpg，是否想写 beach.jpg？ [WG201]",
        "  2 │ changeBg:beech.jpg;",
        "    │          ^^^^^^^^^",
        "  → changeBg:beach.jpg;",
        "1 problem in 1 scene, 3 lines: 1 resource.",
    ]


@pytest.mark.parametrize(
    ("text", "caret_line", "line"),
    [
        ("雪乃:你好 -嗯;", "-嗯", "          ^^^"),
        ("\tchangeBg:a;", "\tchangeBg", "^^^^^^^^^^^^"),
        ("ｶﾅ:e\u0301x;", "x", "    ^"),
        ("end", "", "^"),
    ],
)
def test_the_caret_is_aligned_with_wide_characters(text: str, caret_line: str, line: str) -> None:
    start = text.index(caret_line)
    assert underlined(text, start, start + len(caret_line)) == line


def test_fixes_go_through_the_gate_are_undoable_and_leave_guesses_to_people(game: Machine) -> None:
    script = "  changeBg:beach.jpg\r\nchagneBg:beach.jpg;\r\n"
    (game.project / START).parent.mkdir(parents=True)
    (game.project / START).write_bytes(script.encode())
    result = game.run("webgal", "check", "--fix", "--json", "--answer", "allow")
    assert result.status == 1
    assert (game.project / START).read_bytes() == b"changeBg:beach.jpg;\r\nchagneBg:beach.jpg;\r\n"
    ((file,), (change,)) = result.json["files"], result.json["mended"]
    assert [problem["code"] for problem in file["problems"]] == ["WG105"]
    history = game.run("history", "--json").json["history"]
    assert [(entry["tool"], entry["target"]) for entry in history] == [("write_to_file", START)]
    assert game.run("undo", change["snapshotId"]).status == 0
    assert (game.project / START).read_bytes() == script.encode()


def test_a_fix_that_is_denied_changes_nothing(game: Machine) -> None:
    game.put(START, "雪乃:你好\n")
    result = game.run("webgal", "check", "--fix", "--answer", "deny")
    assert result.status == 1
    assert "denied" in result.err
    assert game.text(START) == "雪乃:你好\n"


def test_single_files_and_folders_are_checked_by_their_paths(game: Machine) -> None:
    game.put(START, "雪乃:你好\nchangeScene:two.txt;\n")
    game.put("game/scene/two.txt", "end\n")
    game.put("game/scene/three.txt", "end;\n")
    game.put("other/game/scene/start.txt", "wait:x;\n")

    def checked(*paths: str) -> list[str]:
        return [file["path"] for file in game.run("webgal", "check", "--json", *paths).json["files"]]

    assert checked(START) == [START]
    assert checked("game/scene/two.txt", START) == [START, "game/scene/two.txt"]
    assert checked("game") == checked() == [START, "game/scene/three.txt", "game/scene/two.txt"]
    assert checked("other") == ["other/game/scene/start.txt"]


def test_unusual_files_are_reported_and_do_not_stop_a_check(game: Machine) -> None:
    game.put(START, "end;\n")
    game.put("game/scene/名 %20'\"🎮.txt", "end;\n")
    (game.project / "game/scene/odd.txt").write_bytes(b"\xff\xfe\0")
    (game.project / "game/scene/out.txt").symlink_to("/etc/passwd")
    result = game.run("webgal", "check", "--json")
    report = {file["path"]: [problem["code"] for problem in file["problems"]] for file in result.json["files"]}
    assert report == {"game/scene/odd.txt": ["WG125"], "game/scene/名 %20'\"🎮.txt": ["WG402"]}


@pytest.mark.parametrize("path", ["gone.txt", "../elsewhere", "a.txt"])
def test_paths_outside_of_a_game_are_usage_errors(machine: Machine, path: str) -> None:
    result = machine.run("webgal", "check", path)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("Usage:")


def test_the_graph_is_a_picture_or_data(game: Machine) -> None:
    game.put(START, "changeScene:two.txt;\n")
    picture = game.run("webgal", "graph")
    assert picture.status == 0
    assert picture.out.startswith("<svg ")
    assert game.run("webgal", "graph", "--json").json == {
        "entry": "start.txt",
        "scenes": [{"name": "start.txt", "reachable": True}],
        "ways": [{"from": "start.txt", "to": "two.txt", "how": "changeScene", "line": 1, "missing": True}],
    }


def test_many_unused_files_are_summarized(game: Machine) -> None:
    game.put(START, "end;\n")
    for number in range(12):
        game.put(f"game/bgm/{number:02}.mp3", "")
    out = game.run("webgal", "check").out
    assert "game/bgm/09.mp3" in out
    assert "game/bgm/10.mp3" not in out
    assert "and 2 more" in out
    assert len(json.loads(game.run("webgal", "check", "--json").out)["files"]) == 12


def test_a_missing_semicolon_is_shown_once_a_file_other_mistakes_ten_times_and_all_are_counted(game: Machine) -> None:
    game.put(START, "雪乃:你好\n" * 40 + "wait:x;\n" * 12)
    result = game.run("webgal", "check")
    assert result.out.count("缺少分号 [WG101]") == 1
    assert f"{START}: and 39 more [WG101] on lines 2-40\n" in result.out
    assert result.out.count("不是数字 [WG116]") == 10
    assert f"{START}: and 2 more [WG116] on lines 51-52\n" in result.out
    assert "52 problems in" in result.out


def test_paths_are_those_of_the_current_folder_absolute_or_elsewhere(game: Machine) -> None:
    game.put(START, "wait:x;\n")
    game.put("../other/game/scene/start.txt", "雪乃:嗯\n")
    absolute = str(game.project / START)
    for path, code in ((absolute, "WG116"), ("../other", "WG101"), ("../other/game/scene/start.txt", "WG101")):
        result = game.run("webgal", "check", path)
        assert (result.status, f"[{code}]" in result.out) == (1, True), result


def test_in_a_folder_of_the_game_paths_are_those_of_this_folder_and_none_is_the_whole_game(game: Machine) -> None:
    game.put(START, "wait:x;\n")
    for folder, paths in (
        ("game/scene", ["start.txt"]),
        ("game/background", ["../scene/start.txt"]),
        ("game/scene", []),
    ):
        result = Machine(game.project / folder, game.state).run("webgal", "check", *paths)
        assert (result.status, result.out.startswith(f"{START}:1:6: syntax ")) == (1, True), result


def test_the_report_names_the_engine_that_the_game_ships(game: Machine) -> None:
    game.put(START, "setBgAni:shake;\n")
    game.put("index.html", '<title>WebGAL</title><script type="module" src="./assets/index.js"></script>')
    names = ["changeBg", "changeScene", "choose", "setVar", "setBgAni"]
    cases = "".join(f'case"{name}":return t.{name};' for name in names)
    game.put("assets/index.js", f'const a={{version:"WebGAL 4.2.9"}};switch(e){{{cases}}}')
    assert game.run("webgal", "check").out == "No problems in 1 scene, 2 lines, engine 4.2.9.\n"


def test_lines_are_named_in_runs_and_not_without_end() -> None:
    assert ranges([3, 4, 4, 5, 9]) == "3-5, 9"
    assert ranges(list(range(1, 99, 2))).endswith("23 …")


def test_a_path_that_does_not_exist_is_named_as_it_was_typed(game: Machine) -> None:
    game.write(START, "end;\n")
    result = game.run("webgal", "check", "/nowhere/start.txt")
    assert result.status == 2
    assert result.err.endswith("Error: No such file or folder: /nowhere/start.txt\n")
