"""The desktop as an agent uses it over MCP: LibreOffice Calc, a click with its screenshots; and a screenshot of sway.

The first three have no peer: they are compared with a limit.
"""

import asyncio
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.browser.drivers import Tokenizer
from bench.comparison import Comparison, in_turns
from handrail.features.desktop.backends.linux import LinuxDesktop
from tests.desktop_apps import command, texts
from tests.desktop_session import DesktopSession
from tests.e2e.desktop_agent import DesktopAgent, desktop_agent, desktop_rig
from tests.sway_session import SwaySession

_ROWS, _COLUMNS = 50, 20
_CALC_MS, _CLICK_MS = 300, 150
_TOKENS, _TOKENS_PER_CELL = 400, 4
_ROUNDS = 20
_RULE = '[[rules]]\neffect = "UI_CONTROL"\ndecision = "allow"\n'
_ROW = re.compile(r"^ *[A-Z]+-[A-Z]+ \d+: ", re.MULTILINE)
_SHEET = {"route": {"window": {"titlePattern": "^cells.csv"}}, "options": {"includeScreenshot": False}}


def measure() -> Sequence[Comparison]:
    with _agent() as (session, agent):
        return [*_calc(session, agent), _click(session, agent), _sway()]


@contextmanager
def _agent() -> Iterator[tuple[DesktopSession, DesktopAgent]]:
    with (
        tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder,
        DesktopSession() as session,
        desktop_rig(session, Path(folder)) as rig,
    ):
        (rig.state / "config.toml").write_text(_RULE)
        with desktop_agent(session, rig) as agent:
            yield session, agent


def _calc(session: DesktopSession, agent: DesktopAgent) -> list[Comparison]:
    sheet = agent.project / "cells.csv"
    sheet.write_text("\n".join(",".join(str(row * _COLUMNS + n) for n in range(_COLUMNS)) for row in range(_ROWS)))
    options = ["--norestore", "--nologo", "--nolockcheck", "--infilter=CSV:44,34,76,1"]
    calc = session.start(["soffice", "--calc", *options, str(sheet)])
    cell = {"route": _SHEET["route"], "selector": {"byRole": "AXCell", "titleContains": "A1"}}
    while not agent.does("desktop_find", **cell)["matched"]:
        pass
    took = _median_ms(lambda: agent.does("desktop_observe", **_SHEET))
    reply = agent.gets(agent.begins("desktop_observe", **_SHEET))
    text = "".join(part["text"] for part in reply["content"] if part["type"] == "text")
    session.end(calc)
    cells = sum(line.count("|") + 1 for line in text.splitlines() if _ROW.match(line))
    tokenizer = Tokenizer()
    try:
        tokens = tokenizer.count(text)
    finally:
        tokenizer.close()
    what = f"`desktop_observe` of LibreOffice Calc with {_ROWS * _COLUMNS:,} filled cells"
    limit = f"{_TOKENS} + {_TOKENS_PER_CELL} for each of {cells} visible cells"
    return [
        Comparison(f"{what}, over MCP, p50", "limit", took, _CALC_MS, 1),
        Comparison(what, limit, tokens, _TOKENS + _TOKENS_PER_CELL * cells, 1, "tokens"),
    ]


def _click(session: DesktopSession, agent: DesktopAgent) -> Comparison:
    session.start(command("gtk3", "--title", "Clicked"))
    route = {"window": {"titlePattern": "^Clicked$"}}
    selector = {"byRole": "AXButton", "titleContains": texts.COUNT}
    button = agent.does("desktop_find", route=route, selector=selector)["elementRefs"][0]
    took = _median_ms(lambda: agent.does("desktop_click", target={"elementRef": button}))
    return Comparison("`desktop_click` over MCP with its screenshots, p50", "limit", took, _CLICK_MS, 1)


def _median_ms(do: Callable[[], Any]) -> float:
    times: list[float] = []
    do()
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        do()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def _sway() -> Comparison:
    with SwaySession() as session, session.entered(), asyncio.Runner() as runner:
        session.start(command("gtk3"))
        desktop = runner.run(_open_desktop())
        times = in_turns(lambda: runner.run(desktop.screenshot()), _grim, _ROUNDS, warm_up=3)
        runner.run(desktop.close())
    return Comparison("screenshot of sway as PNG", "`grim`", *times, target=1.5)


async def _open_desktop() -> LinuxDesktop:
    return LinuxDesktop()


def _grim() -> None:
    subprocess.run(["grim", "-"], stdout=subprocess.DEVNULL, check=True)
