"""A measurement: medians of ours and the peer's, measured alternately, and their ratio compared with a target."""

import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """Values are milliseconds, or what `unit` names."""

    what: str
    peer: str
    ours: float
    theirs: float
    target: float
    unit: str = "ms"

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    def row(self) -> str:
        mark = "" if self.ratio <= self.target else " (missed)"
        return (
            f"| {self.what} | {self._format(self.ours)} | {self.peer} | {self._format(self.theirs)} "
            f"| {self.ratio:.2f}×{mark} | ≤ {self.target:.3g}× |"
        )

    def _format(self, value: float) -> str:
        return format_ms(value) if self.unit == "ms" else f"{value:,.0f} {self.unit}"


HEADER = "| what | handrail | compared with | peer | ratio | target |\n|---|---|---|---|---|---|"


def format_ms(ms: float) -> str:
    return f"{ms * 1000:.1f} µs" if ms < 1 else f"{ms:.1f} ms"


def cpu_seconds() -> float:
    """Of this process and its finished children; it doesn't depend on other load."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in usages)


def in_turns(
    ours: Callable[[], object],
    peer: Callable[[], object],
    rounds: int,
    warm_up: int = 1,
    before: Callable[[], object] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, float]:
    """Returns medians in milliseconds; `before` runs in each round and isn't counted."""
    for _ in range(warm_up):
        ours()
        peer()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        before()
        for run, samples in zip((ours, peer), times, strict=True):
            started = clock()
            run()
            samples.append((clock() - started) * 1000)
    return statistics.median(times[0]), statistics.median(times[1])
