"""Scenes of the example game shown by its engine: the first one compared with starting Chromium, then others."""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from bench.budget import Budget
from bench.comparison import Comparison
from bench.rig import CALLER
from handrail.features.browser.chromium.headless import HeadlessChromium
from handrail.features.webgal.preview_ports import Destination
from handrail.features.webgal.previews.preview_session import PreviewSession
from handrail.features.webgal.previews.scene_finder import LOCAL_HOSTS
from handrail.kernel.approval import NoApprover
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.wiring import Wiring

_GAME = Path(__file__).parents[1] / "examples" / "webgal-demo"
_ROUNDS = 5
_STRIP = {"scenePath": "game/scene/letters.txt", "lines": list(range(2, 12))}
_DESTINATIONS = (Destination("letters.txt", 4), Destination("lighthouse.txt", 6))


def measure() -> list[Comparison | Budget]:
    return asyncio.run(_measure())


async def _measure() -> list[Comparison | Budget]:
    first, first_pictured, empty, again, pictured, strips = [], [], [], [], [], []
    for _ in range(_ROUNDS):
        empty.append(await _empty_page())
        project = _project()
        preview_session: PreviewSession = project.part("webgal").preview_session
        started = time.perf_counter()
        showing = await preview_session.show("game", _DESTINATIONS[0])
        first_pictured.append((time.perf_counter() - started) * 1000)
        first.append(showing.seconds * 1000)
        for turn in range(1, _ROUNDS + 1):
            destination = _DESTINATIONS[turn % len(_DESTINATIONS)]
            started = time.perf_counter()
            showing = await preview_session.show("game", destination)
            pictured.append((time.perf_counter() - started) * 1000)
            again.append(showing.seconds * 1000)
        started = time.perf_counter()
        await project.gate.run(Call("preview_scene", _STRIP, CALLER))
        strips.append((time.perf_counter() - started) * 1000)
        await preview_session.close()
    began, began_pictured, blank, moved, shown = map(statistics.median, (first, first_pictured, empty, again, pictured))
    strip = statistics.median(strips)
    peer = "Chromium, started on an empty page"
    return [
        Comparison("show the first scene, until the engine reports it", peer, began, blank, 3.2),
        Comparison("the same, with a screenshot", peer, began_pictured, blank, 6),
        Budget("show another scene, until the engine reports it", "the first scene", moved, began, moved, 300),
        Budget("the same, with a screenshot", "the first scene", shown, began_pictured, shown, 1300),
        Budget("a strip of 10 lines, JPEG, by `preview_scene`", "the first scene", strip, began_pictured, strip, 3000),
    ]


def _project() -> Project:
    return Wiring().open_project(_GAME, Path(tempfile.mkdtemp()), NoApprover(), flags={"terre": "off"})


async def _empty_page() -> float:
    started = time.perf_counter()
    browser = HeadlessChromium()
    await browser.open_page(LOCAL_HOSTS)
    took = (time.perf_counter() - started) * 1000
    await browser.close()
    return took
