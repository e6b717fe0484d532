"""Files that an engine preloads for other scenes and that are missing are reported for those scenes."""

from handrail.features.webgal.preview_ports import Destination, Position, ShownScene
from handrail.features.webgal.script.preview_log import preview_log, scenes_named

TEXT = "changeBg:here.png;\nchoose:a:other.txt|b:deep/third.txt;\n"
OTHER = "雪乃:一;\nchangeBg:nowhere.png;\nchangeFigure:nowhere.png;\n"


def showing(missing: list[str], broken: list[str] | None = None) -> ShownScene:
    broken = broken or []
    return ShownScene("", Position("start.txt", 1, {}), b"", missing, missing, [], 0.0, "", broken, broken)


def test_a_missing_file_of_another_scene_is_reported_for_that_scene_only() -> None:
    assert scenes_named(TEXT) == ["other.txt", "deep/third.txt"]
    missing = ["background/nowhere.png", "background/here.png", "bgm/unknown.mp3"]
    log = preview_log(showing(missing), Destination("start.txt", 1), TEXT, "game", [("other.txt", OTHER)])
    assert log.first_error_line == 1
    assert log.lines[1:] == [
        "line 1: game/background/here.png is not there.",
        "other.txt, line 2: game/background/nowhere.png is not there.",
        "game/bgm/unknown.mp3 is not there.",
    ]
    log = preview_log(
        showing(["background/nowhere.png"]), Destination("start.txt", 1), TEXT, ".", [("other.txt", OTHER)]
    )
    assert log.first_error_line is None


def test_other_scenes_are_read_only_where_something_is_unaccounted_for() -> None:
    def never() -> "list[tuple[str, str]]":
        raise AssertionError("nothing is missing that this scene doesn't name")

    scenes = (each for _ in [0] for each in never())
    log = preview_log(showing(["background/here.png"]), Destination("start.txt", 1), TEXT, "game", scenes)
    assert log.first_error_line == 1


def test_a_picture_that_can_not_be_decoded_has_its_line() -> None:
    log = preview_log(showing([], ["background/here.png"]), Destination("start.txt", 1), TEXT, "game")
    assert log.first_error_line == 1
    assert log.lines[1].startswith("line 1: game/background/here.png can't be shown")
