"""Completions fit the place where they are offered."""

import pytest

from handrail.features.webgal.lsp.completion import MAX_COMPLETIONS
from tests.features.webgal.lsp.workshop import Workshop


@pytest.mark.parametrize(
    ("text", "some"),
    [
        ("cha‸", ["changeBg:", "changeFigure:", "雪乃:", "老师:", "end;"]),
        ("‸:你好;", ["雪乃", "changeBg"]),
        ("changeBg:‸", ["beach.jpg", "cg/my bg.png", "none"]),
        ("changeFigure:‸;", ["hero.png", "none"]),
        ("bgm:th‸", ["theme.mp3", "none"]),
        ("playEffect:‸", ["v1.wav", "none"]),
        ("playVideo:‸", ["op.mp4", "none"]),
        ("changeScene:‸", ["next.txt", "start.txt"]),
        ("changeBg:beach.jpg -‸", ["next", "when=", "ease=", "transform="]),
        ("雪乃:你好 -‸", ["vocal=", "left", "v1.wav"]),
        ("intro:x -backgroundImage=‸", ["beach.jpg"]),
        ("setAnimation:‸", ["wave", "enter", "shake"]),
        ("changeBg:beach.jpg -enter=w‸", ["wave", "shake"]),
        ("雪乃:{l‸", ["love", "Game_name"]),
        ("jumpLabel:x -when=lo‸", ["love", "true"]),
        ("setVar:x=lo‸", ["love", "false"]),
        ("setVar:‸", ["love"]),
        ("choose:(lo‸", ["love"]),
    ],
)
def test_matching_completions_are_offered(workshop: Workshop, text: str, some: list[str]) -> None:
    assert set(some) <= set(workshop.words(text))


@pytest.mark.parametrize(
    ("text", "all_of_it"),
    [
        ("label:a;\nlabel:b;\njumpLabel:‸", ["a", "b"]),
        ("label:a;\nchoose:x:‸", ["a", "next.txt", "start.txt"]),
        ("label:a;\nchoose:x:a|y:‸;", ["a", "next.txt", "start.txt"]),
        ("changeBg:beach.jpg -next=‸", ["true", "false"]),
        ("intro:x -fontSize=‸", ["small", "medium", "large"]),
        ("pixiPerform:‸", ["rain", "snow", "heavySnow", "cherryBlossoms"]),
        ("setAnimation:wave -target=‸", ["fig-left", "fig-center", "fig-right", "bg-main", "stage-main"]),
        ("雪乃:你‸好;", []),
        ("end; cha‸", []),
        ("choose:x‸", []),
        ("wait:‸", []),
        ("changeBg:beach.jpg -unheard=‸", []),
    ],
)
def test_nothing_else_is_offered(workshop: Workshop, text: str, all_of_it: list[str]) -> None:
    assert workshop.words(text) == all_of_it


def test_an_argument_already_present_is_not_offered_again(workshop: Workshop) -> None:
    words = workshop.words("changeBg:beach.jpg -‸ -next;")
    assert "next" not in words
    assert "ease=" in words


def test_transforms_are_offered_whole(workshop: Workshop) -> None:
    assert workshop.words("setTransform:‸")[0] == '{"position":{"x":0,"y":0}}'
    assert workshop.words("changeFigure:hero.png -transform=‸") == workshop.words("setTransform:‸")


def test_a_completion_replaces_the_word_from_its_start(workshop: Workshop) -> None:
    assert workshop.offered("changeBg: cg/m‸;").start == 10
    assert workshop.offered("jumpLabel:x -when=day>1&&lo‸").start == 25
    assert workshop.offered("雪乃:{lo‸").start == 4


def test_settings_are_offered_in_the_settings_file(workshop: Workshop) -> None:
    assert "Title_bgm:" in workshop.words("Tit‸", "game/config.txt")
    assert workshop.words("Title_img:‸", "game/config.txt") == ["beach.jpg", "cg/my bg.png"]
    assert workshop.offered("Game_Logo:beach.jpg|‸", "game/config.txt").start == 20
    assert workshop.words("Game_name:‸", "game/config.txt") == []


def test_with_too_many_files_only_matching_ones_are_offered(workshop: Workshop) -> None:
    for number in range(MAX_COMPLETIONS + 20):
        workshop.put(f"game/background/p{number:04}.png")
    all_of_them = workshop.offered("changeBg:‸")
    assert (len(all_of_them.items), all_of_them.is_incomplete) == (MAX_COMPLETIONS, True)
    few = workshop.offered("changeBg:p0517‸")
    assert ([offer.text for offer in few.items], few.is_incomplete) == (["p0517.png"], True)
