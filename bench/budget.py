"""A measurement with an allowed time instead of a ratio: what was spent, and what may be."""

from dataclasses import dataclass

from bench.comparison import format_ms


@dataclass(frozen=True, slots=True)
class Budget:
    """`spent_ms` is the part of `ours_ms` that counts; `beside_ms` is the time without handrail."""

    what: str
    beside: str
    ours_ms: float
    beside_ms: float
    spent_ms: float
    target_ms: float

    def row(self) -> str:
        mark = "" if self.spent_ms <= self.target_ms else " (missed)"
        return (
            f"| {self.what} | {format_ms(self.ours_ms)} | {self.beside} | {format_ms(self.beside_ms)} "
            f"| {format_ms(self.spent_ms)}{mark} | ≤ {self.target_ms:g} ms |"
        )
