from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.webgal.lsp.workshop import Workshop


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    """A small game with something of everything."""
    workshop = Workshop(tmp_path / "project")
    for path in ("background/beach.jpg", "background/cg/my bg.png", "figure/hero.png", "bgm/theme.mp3"):
        workshop.put(f"game/{path}", "x" * 1500)
    workshop.put("game/vocal/v1.wav")
    workshop.put("game/video/op.mp4")
    workshop.put("game/figure/.hidden.png")
    workshop.put("game/animation/animationTable.json", '["wave"]')
    workshop.put("game/animation/wave.json", "[]")
    workshop.put("game/config.txt", "Game_name:demo;\nTitle_img:beach.jpg;\n")
    workshop.put("game/characters.json", '{"characters": [{"name": "雪乃", "figure": "hero.png"}]}\n')
    workshop.put("game/scene/start.txt", "雪乃:你好;\nchangeScene:next.txt;\n")
    workshop.put(
        "game/scene/next.txt", "setVar:love=1;\n雪乃:再见{love};\n老师:走吧;\nchangeBg:beach.jpg -next;\nend;\n"
    )
    yield workshop
    workshop.close()
