"""The cost of binding a click to what a person saw: the same click on the bus, bound and unbound, alternately."""

import json
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.browser import chromium, ours, pages
from bench.budget import Budget

_ROUNDS = {50: 60, 5000: 25}
_TARGET_MS = 3.0


def measure() -> list[Budget]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-bench-")))
        site = stack.enter_context(pages.serve())
        browser = stack.enter_context(chromium.start(ours.EXTENSION))
        server = stack.enter_context(ours.serve(folder / "bus"))
        ours.pair(browser, server)
        bus = ours.BusDriver(server)
        stack.callback(bus.close)
        return [_measure(bus, f"{site}/{count}", count, rounds) for count, rounds in _ROUNDS.items()]


def _measure(bus: ours.BusDriver, url: str, count: int, rounds: int) -> Budget:
    bus.open(url)
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds):
        row = pages.CLICKED[turn % len(pages.CLICKED)]
        seen = json.loads(bus.do("look", row).text)["seen"]
        bus.do("click", row)  # the first click after a picture takes longer
        order = (0, 1) if turn % 2 else (1, 0)
        for which in order:
            times[which].append((bus.do("click", row) if which else bus.bound_click(row, seen)).ms)
    bound, unbound = statistics.median(times[0]), statistics.median(times[1])
    what = f"a click that is bound to what a person saw, p50, {count:,} elements, on the bus"
    return Budget(what, "the same unbound", bound, unbound, max(bound - unbound, 0.0), _TARGET_MS)
