"""A safe fix never changes what the player sees or what happens, except to what was evidently meant."""

import pytest

from handrail.core.webgal.mending import mended
from tests.core.webgal.game import game


def fixed(script: str, **around: frozenset[str]) -> str:
    project = game(script, **around)
    return mended(script, lambda text: project.findings_of(text, "start.txt"))


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
def test_what_the_player_reads_is_not_cut_at_slashes(line: str, after: str) -> None:
    assert fixed(line) == after
