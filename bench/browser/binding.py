"""What it costs that a click is bound to what a person saw: the same click on the bus, bound and unbound, in turns."""

import json
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.browser import chromium, ours, pages
from bench.budget import Budget

_ROUNDS = {50: 60, 5000: 25}
_REACH_MS = 3.0


def measure() -> list[Budget]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-bench-")))
        site = stack.enter_context(pages.served())
        browser = stack.enter_context(chromium.started(ours.EXTENSION))
        server = stack.enter_context(ours.served(folder / "bus"))
        ours.pair(browser, server)
        bus = ours.BusDriver(server)
        stack.callback(bus.close)
        return [_measured(bus, f"{site}/{count}", count, rounds) for count, rounds in _ROUNDS.items()]


def _measured(bus: ours.BusDriver, url: str, count: int, rounds: int) -> Budget:
    bus.open(url)
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds):
        row = pages.CLICKED[turn % len(pages.CLICKED)]
        seen = json.loads(bus.do("look", row).text)["seen"]
        bus.do("click", row)  # the first click after a picture has its own price
        order = (0, 1) if turn % 2 else (1, 0)
        for which in order:
            times[which].append((bus.do("click", row) if which else bus.bound_click(row, seen)).ms)
    bound, unbound = statistics.median(times[0]), statistics.median(times[1])
    what = f"a click that is bound to what a person saw, p50, {count:,} elements, on the bus"
    return Budget(what, "the same unbound", bound, unbound, max(bound - unbound, 0.0), _REACH_MS)
