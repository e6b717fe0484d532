"""What the gate adds to an allowed read: validation, policy, lane, timeout and the audit record."""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

import msgspec

from bench.budget import Budget
from bench.rig import CALLER, open_bench
from handrail.kernel.call import Call

_TOOL, _PARAMS = "read_file", {"path": "file.txt"}
_ROUNDS = 5000


def measure() -> list[Budget]:
    with open_bench() as bench:
        (bench.project / "file.txt").write_text("x" * 1024)
        entry = bench.rig.gate.registry.find(_TOOL)
        typed = msgspec.convert(_PARAMS, entry.tool.params)

        def gated() -> Awaitable[object]:
            return bench.rig.gate.run(Call(_TOOL, _PARAMS, CALLER))

        def bare() -> Awaitable[object]:
            return entry.tool.run(entry.surface.port, Call(_TOOL, _PARAMS, CALLER), typed, None)

        ours, function = bench.run(_in_turns(gated, bare))
    return [
        Budget(
            "an allowed `read_file` of 1 KB through the gate, its record written, p50",
            "calling the tool's function",
            ours,
            function,
            spent_ms=ours - function,
            target_ms=0.2,
        )
    ]


async def _in_turns(*calls: Callable[[], Awaitable[object]]) -> list[float]:
    """Medians in milliseconds."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(_ROUNDS):
        for call, samples in zip(calls, times, strict=True):
            started = time.perf_counter()
            await call()
            samples.append((time.perf_counter() - started) * 1000)
        await asyncio.sleep(0)  # leftover work counts for neither
    return [statistics.median(samples[_ROUNDS // 10 :]) for samples in times]
