"""Takes the picture of the console's WebGAL page: a scene of the example with its marks, beside the engine."""

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests know how to drive the console
from tests.e2e.console_person import Browser, up
from tests.faces.http.running import ROOT

SCENE, LINE, SAID = "lighthouse.txt", "#line-11", "所以它没有地"


def take(home: Path, images: Path) -> None:
    """In both color schemes, at a line with a mistake that can be fixed."""
    project = home / "novel"
    shutil.copytree(ROOT / "examples" / "webgal-demo" / "game", project / "game")
    browser = Browser()
    with up(project, home / "novel-state") as rig:
        for scheme in ("light", "dark"):
            person = browser.person_at(rig, colorScheme=scheme, width=1320, height=800)
            person.does("go", "webgal")
            person.does("press", SCENE)
            person.does("wait", f'.source-area[aria-label*="{SCENE}"]')
            person.does("press", "Preview")
            person.does("clickIn", LINE, 0.1, 0.5)
            person.does("hear", SAID)
            person.does("wait", ".line-note .fix-hint")
            person.does("photograph", str(images / f"webgal-{scheme}.png"))
            person.leaves()
    browser.close()
