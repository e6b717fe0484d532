"""What a measurement is: ours and the peer's in turns, medians, a ratio against what should be reached."""

import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of times in milliseconds, or of what `unit` names."""

    what: str
    peer: str
    ours: float
    theirs: float
    reach: float
    unit: str = "ms"

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    def row(self) -> str:
        mark = "" if self.ratio <= self.reach else " (missed)"
        return (
            f"| {self.what} | {self._shown(self.ours)} | {self.peer} | {self._shown(self.theirs)} "
            f"| {self.ratio:.2f}×{mark} | ≤ {self.reach:.3g}× |"
        )

    def _shown(self, value: float) -> str:
        return shown(value) if self.unit == "ms" else f"{value:,.0f} {self.unit}"


HEADER = "| what | handrail | beside | peer | ratio | reach |\n|---|---|---|---|---|---|"


def shown(ms: float) -> str:
    return f"{ms * 1000:.1f} µs" if ms < 1 else f"{ms:.1f} ms"


def cpu_seconds() -> float:
    """Of this process and of those that it has waited for: the same however busy the machine is."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def in_turns(
    ours: Callable[[], object],
    peer: Callable[[], object],
    rounds: int,
    warm_up: int = 1,
    before: Callable[[], object] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, float]:
    """Medians in milliseconds; what `before` does each time is not counted."""
    for _ in range(warm_up):
        ours()
        peer()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        before()
        for run, kept in zip((ours, peer), times, strict=True):
            started = clock()
            run()
            kept.append((clock() - started) * 1000)
    return statistics.median(times[0]), statistics.median(times[1])
