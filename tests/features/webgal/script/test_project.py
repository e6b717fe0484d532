"""Problems that only the whole game shows, and how little is checked again after a change."""

import pytest

from handrail.features.webgal.script import scene as scene_module
from handrail.features.webgal.script.engine import Engine
from handrail.features.webgal.script.findings import Finding, kind_of
from handrail.features.webgal.script.graph_picture import svg
from tests.features.webgal.script.game import FILES, game

USED = """\
changeBg:bg.png;
changeBg:beach.jpg;
changeBg:Night.PNG;
unlockCg:cg/my bg-1.png;
changeFigure:a.png;
changeFigure:hero.json?type=spine;
changeFigure:hero.skel;
bgm:a.mp3;
playEffect:v1.wav;
playVideo:op.mp4;
"""


def codes(findings: dict[str, list[Finding]]) -> dict[str, list[str]]:
    return {path: [finding.code for finding in mine] for path, mine in findings.items()}


def test_a_clean_game_has_no_findings() -> None:
    assert game(USED + "changeScene:scene1.txt;\n", "end;\n").everything() == {}


def test_an_absent_or_empty_folder_is_reported_once_per_game() -> None:
    scene = "changeBg:a.png;\nchangeBg:b.png;\nbgm:x.mp3;\n"
    project = game(f"{scene}changeScene:scene1.txt;\n", scene, files=("bgm/.gitkeep", "figure/x/a.png"))
    findings = codes(project.everything())
    assert [code for mine in findings.values() for code in mine if code == "WG202"] == ["WG202", "WG202"]
    assert [finding.code for finding in project.findings("start.txt")] == ["WG202", "WG202"]


def test_files_behind_a_link_are_not_reported_as_missing() -> None:
    project = game("changeFigure:live2d/model.json;\nchangeBg:bg.png;", files=("background/bg.png",), links=("figure",))
    assert project.findings("start.txt") == []


@pytest.mark.parametrize(
    ("expected", "on_disk"),
    [
        ("cafe\u0301.png", "cafe\u0301.png"),
        ("a%20b.png", "a b.png"),
        ("a#1.png", "a#1.png"),
        ("100%.png", "100%.png"),
        ("./sub//x.png", "sub/x.png"),
        ("x.png?v=2", "x.png"),
        ("🎮 '\".png", "🎮 '\".png"),
    ],
)
def test_a_name_is_found_as_a_browser_would_find_it(expected: str, on_disk: str) -> None:
    project = game(f"changeBg:{expected};", files=(f"background/{on_disk}",))
    assert {finding.code for finding in project.findings("start.txt")} <= {"WG307"}


def test_an_unreachable_scene_is_reported_unless_names_are_computed_at_run_time() -> None:
    assert codes(game("end;", "end;", files=()).overall()) == {"scene/scene1.txt": ["WG402"]}
    assert game("callScene:scene1.txt;", "end;", files=()).overall() == {}
    assert game("choose:a:scene1.txt|b:c;\nlabel:c;\nend;", "end;", files=()).overall() == {}
    assert game("changeScene:{next};\nsetVar:next=1;", "end;", files=()).overall() == {}


def test_a_variable_that_no_way_sets_before_it_is_read_is_reported() -> None:
    later = game("雪乃:{hp};\nsetVar:hp=1;\nchangeScene:scene1.txt;", "雪乃:{hp};\nend;", files=())
    assert codes(later.overall()) == {"scene/start.txt": ["WG406"]}
    ahead = game("雪乃:{hp};\nchoose:a:x|b:y;\nlabel:x;\nsetVar:hp=1;\nlabel:y;\n雪乃:{hp};\nend;", files=())
    assert [(each.line, each.code) for each in ahead.overall()["scene/start.txt"]] == [(1, "WG406")]
    for silent in (
        game("setVar:hp=1;\n雪乃:{hp};\nend;", files=()),
        game("callScene:scene1.txt;\n雪乃:{hp};\nend;", "setVar:hp=1;", files=()),
        game("label:a;\n雪乃:{hp};\nsetVar:hp=1;\njumpLabel:a;", files=()),
        game("雪乃:{hp};\nsetVar:hp=1 -global;\nend;", files=()),
        game("雪乃:{hp};\nchangeScene:scene1.txt;", "setVar:hp=1;\nchangeScene:start.txt;", files=()),
    ):
        assert codes(silent.overall()) == {}


def test_an_option_behind_which_nothing_follows_is_reported() -> None:
    assert codes(game("choose:a:x|b:y;\nlabel:y;\nend;\nlabel:x;\n; the rest is missing", files=()).overall()) == {
        "scene/start.txt": ["WG407"]
    }
    assert codes(game("choose:a:scene1.txt|b:y;\nlabel:y;\nend;", "; empty", files=()).overall()) == {
        "scene/start.txt": ["WG407"]
    }
    project = game("callScene:scene1.txt;\nend;", "choose:a:x|b:y;\nlabel:y;\n雪乃:b;\nlabel:x;", files=())
    assert codes(project.overall()) == {}


@pytest.mark.parametrize(
    ("written", "real"), [("caf\u00e9.png", "cafe\u0301.png"), ("cafe\u0301.png", "caf\u00e9.png")]
)
def test_a_name_in_another_unicode_form_is_another_file_to_a_web_server(written: str, real: str) -> None:
    (finding,) = game(f"changeBg:{written};", files=(f"background/{real}",)).findings("start.txt")
    assert finding.code == "WG210"
    assert finding.edit is not None
    assert finding.edit.text == real
    assert game(f"changeBg:{real};", files=(f"background/{real}",)).findings("start.txt") == []


def test_keys_of_animation_files_are_checked() -> None:
    text = '[{"alhpa": 0,\n"duration": 0}, {"positon": {"X": 1}, "scale": {"x": 1}}]'
    project = game("end;", files=("animation/mine.json",), animation_files=(("animation/mine.json", text),))
    findings = project.overall()["animation/mine.json"]
    assert [(each.code, each.line, each.values["near"]) for each in findings if each.code == "WG133"] == [
        ("WG133", 1, "alpha"),
        ("WG133", 2, "position"),
    ]


def test_an_animation_file_must_be_a_list_of_frames() -> None:
    project = game("end;", files=("animation/mine.json",), animation_files=(("animation/mine.json", '{"alpha": 0}'),))
    assert [each.code for each in project.overall()["animation/mine.json"]] == ["WG140"]


def test_commands_of_the_shipped_engine_are_accepted() -> None:
    script = "setBgAni:shake;\nbgm:a.mp3 -loop=1;"
    engine = Engine("4.2.9", frozenset({"setBgAni"}), frozenset({"loop"}))
    assert codes({"": game(script).findings("start.txt")}) == {"": ["WG105", "WG308"]}
    assert game(script, engine=engine).findings("start.txt") == []


def test_a_scene_that_lies_elsewhere_may_lead_to_every_scene_and_name_every_file() -> None:
    assert game("changeScene:https://example.com/next.txt;", "end;").overall() == {}
    assert set(game("changeBg:https://example.com/a.png;", "end;").overall()) >= {"scene/scene1.txt", "bgm/a.mp3"}


def test_a_game_without_a_first_scene_says_so() -> None:
    project = game("end;", files=())
    project.update("other.txt", "end;")
    project.remove("start.txt")
    assert codes(project.overall()) == {"scene/start.txt": ["WG209"]}


def test_unused_files_are_reported_unless_names_are_computed() -> None:
    assert set(game("end;").overall()) == {path for path in FILES if not path.startswith("animation/")}
    assert not any(path.startswith("background/") for path in game("changeBg:{x};").overall())
    project = game("end;", config="Title_img:bg.png;\nGame_Logo:beach.jpg|Night.PNG;\n", mentions="url(a.png)")
    paths = set(project.overall())
    assert not paths & {"background/bg.png", "background/beach.jpg", "background/Night.PNG", "figure/a.png"}


def test_endless_scene_changes_are_reported() -> None:
    project = game("changeScene:scene1.txt;", ";\nsetVar:a=1;\nchangeScene:scene2.txt;", "changeScene:scene1.txt;")
    findings = codes(project.overall())
    assert findings["scene/scene1.txt"] == findings["scene/scene2.txt"] == ["WG123"]
    assert "WG123" not in codes(game("雪乃:a;\nchangeScene:start.txt;").overall()).get("scene/start.txt", [])


def test_a_duplicate_label_is_an_error_only_if_something_jumps_to_it() -> None:
    def kinds(script: str) -> list[str]:
        return [kind_of(finding) for finding in game(script).findings("start.txt")]

    assert kinds("label:a;\nlabel:a;") == ["style"]
    assert kinds("雪乃:b;\nlabel:a;\n雪乃:c;\nlabel:a;\njumpLabel:a;") == ["syntax"]


def test_settings_set_variables_and_other_scenes_do() -> None:
    assert game("雪乃:{heroine}{score}{name};", "setVar:score=1;\ngetUserInput:name;", config="heroine:x;").findings(
        "start.txt"
    ) == []  # fmt: skip


def test_the_settings_are_checked() -> None:
    logos = "Game_Logo:none.png|bg.png|none;"
    config = f"Game_nam:x;\nTitle_img:beech.jpg;\nGame_key : a;\nTitle_bgm:A.mp3;\n{logos}\nOwn_key:1;\n"
    settings = game("end;", config=config).settings(config)
    assert [(finding.line, finding.code) for finding in settings] == [
        (1, "WG405"),
        (2, "WG201"),
        (3, "WG124"),
        (4, "WG203"),
        (5, "WG201"),
    ]


def test_the_graph_lists_scenes_transitions_and_missing_scenes() -> None:
    project = game("choose:去:scene1.txt|回:gone.txt;\ncallScene:scene1.txt;", "end;", "end;", files=())
    data = project.graph().as_data()
    assert data["entry"] == "start.txt"
    assert data["scenes"] == [
        {"name": "scene1.txt", "reachable": True},
        {"name": "scene2.txt", "reachable": False},
        {"name": "start.txt", "reachable": True},
    ]
    assert data["ways"] == [
        {"from": "start.txt", "to": "scene1.txt", "how": "choose", "line": 1},
        {"from": "start.txt", "to": "gone.txt", "how": "choose", "line": 1, "missing": True},
        {"from": "start.txt", "to": "scene1.txt", "how": "callScene", "line": 2},
    ]


def test_the_picture_of_the_graph_shows_every_scene_and_spells_names_out() -> None:
    project = game('choose:去:scene1.txt|回:<"&>.txt;', "changeScene:start.txt;", "changeScene:scene2.txt;", files=())
    picture = svg(project.graph())
    for name in ("start.txt", "scene1.txt", "scene2.txt", "&lt;&quot;&amp;&gt;.txt"):
        assert f">{name}</text>" in picture
    assert picture.count('class="missing"') == 1


def test_a_changed_line_causes_only_its_scene_to_be_checked_again() -> None:
    scenes = [f"雪乃:第{number}句;\nsetVar:v{number}=1;\n" for number in range(50)]
    project = game("changeScene:scene1.txt;", *scenes)
    before = project.everything()
    kept = {name: project.findings(name) for name in project.scenes}
    project.update("scene3.txt", scenes[2] + "雪乃:改了;")
    assert project.everything() == before
    assert [name for name in kept if project.findings(name) is not kept[name]] == ["scene3.txt"]


def test_a_new_variable_speaker_or_removed_scene_reaches_the_scenes_that_ask_for_it() -> None:
    project = game("雪乃:{score};\nsetVar:other=1;", "end;")
    assert [finding.code for finding in project.findings("start.txt")] == ["WG403"]
    project.update("scene1.txt", "setVar:score=1;")
    assert project.findings("start.txt") == []
    project.remove("scene1.txt")
    assert [finding.code for finding in project.findings("start.txt")] == ["WG403"]


def test_fifty_thousand_lines_of_random_text_are_checked_without_an_error() -> None:
    scene_module.clear_caches()
    script = "\n".join(f"雪乃:第{number}句 -v1.wav;" for number in range(50_000)) + "\n\0\ud83c 🎮\u2028;"
    assert len(game(script).scenes["start.txt"].lines) == 50_001
