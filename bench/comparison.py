"""What a measurement is: ours and the peer's in turns, medians, a ratio against what should be reached."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    what: str
    peer: str
    ours_ms: float
    peer_ms: float
    reach: float

    @property
    def ratio(self) -> float:
        return self.ours_ms / self.peer_ms

    def row(self) -> str:
        mark = "" if self.ratio <= self.reach else " (missed)"
        return (
            f"| {self.what} | {shown(self.ours_ms)} | {self.peer} | {shown(self.peer_ms)} "
            f"| {self.ratio:.2f}×{mark} | ≤ {self.reach:g}× |"
        )


HEADER = "| what | handrail | beside | peer | ratio | reach |\n|---|---|---|---|---|---|"


def shown(ms: float) -> str:
    return f"{ms * 1000:.1f} µs" if ms < 1 else f"{ms:.1f} ms"


def in_turns(
    ours: Callable[[], object], peer: Callable[[], object], rounds: int, warm_up: int = 1
) -> tuple[float, float]:
    """Medians in milliseconds."""
    for _ in range(warm_up):
        ours()
        peer()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for run, kept in zip((ours, peer), times, strict=True):
            started = time.perf_counter()
            run()
            kept.append((time.perf_counter() - started) * 1000)
    return statistics.median(times[0]), statistics.median(times[1])
