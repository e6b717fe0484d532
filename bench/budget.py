"""What a measurement is where a time is allowed, and not a ratio: what was spent beside what may be."""

from dataclasses import dataclass

from bench.comparison import shown


@dataclass(frozen=True, slots=True)
class Budget:
    """`spent_ms` is what counts of `ours_ms`; `beside_ms` is what it would take without us."""

    what: str
    beside: str
    ours_ms: float
    beside_ms: float
    spent_ms: float
    reach_ms: float

    def row(self) -> str:
        mark = "" if self.spent_ms <= self.reach_ms else " (missed)"
        return (
            f"| {self.what} | {shown(self.ours_ms)} | {self.beside} | {shown(self.beside_ms)} "
            f"| {shown(self.spent_ms)}{mark} | ≤ {self.reach_ms:g} ms |"
        )
