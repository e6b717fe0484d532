"""Runs the version of handrail that PYTHONPATH leads to: each line of stdin names a measurement, whose times it prints.

It supports the old code and the new one; all it needs from them is a gate that takes calls.
"""

import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any


class SyncCounter:
    """Counts how often this process waits for the disk, except for SQLite's own waits in its library."""

    def __init__(self) -> None:
        self.count = 0
        for name in ("fsync", "fdatasync"):
            setattr(os, name, self._count(getattr(os, name)))

    def _count(self, real: Any) -> Any:
        def counting(descriptor: int) -> None:
            self.count += 1
            real(descriptor)

        return counting


syncs = SyncCounter()  # before other modules import these functions

try:
    from handrail.kernel.approval import PresetAnswer
    from handrail.kernel.call import Call
    from handrail.kernel.threads import in_thread
    from handrail.ports.identity import Caller
    from handrail.wiring import Wiring

    open_project: Any = Wiring().open_project
except ImportError:  # version 0.1
    from handrail.app import open_house as open_project  # type: ignore[import-not-found, no-redef]
    from handrail.contract.call import Call, Caller  # type: ignore[import-not-found, no-redef]
    from handrail.core.approvals import PresetAnswer  # type: ignore[import-not-found, no-redef]
    from handrail.core.threads import in_thread  # type: ignore[import-not-found, no-redef]

CALLERS = 8
CONCURRENT_READS = 8
_HANG_SECONDS = 30.0
ALLOWED = '[[rules]]\ntool = "write_to_file"\ndecision = "allow"\n'


def _caller(number: int) -> Any:
    """Version 0.1 has no identities."""
    words = ["bench", f"caller {number}", "bench", f"bench:{number}"]
    return Caller(*words[: len(Caller.__match_args__[:4])])


class Child:
    def __init__(self, folder: Path, syncs: SyncCounter) -> None:
        (folder / "project").mkdir()
        (folder / "state").mkdir()
        (folder / "project/file.txt").write_text("x" * 1024)
        (folder / "state/config.toml").write_text(ALLOWED)
        self.rig = open_project(folder / "project", folder / "state", PresetAnswer("deny"))
        self._syncs = syncs
        self._written = 0

    async def call(self, tool: str, caller: int = 0, **params: Any) -> float:
        started = time.perf_counter()
        await self.rig.gate.run(Call(tool, params, _caller(caller)))
        return (time.perf_counter() - started) * 1000

    async def read(self, rounds: int) -> Any:
        return [await self.call("read_file", path="file.txt") for _ in range(rounds)]

    async def write(self, rounds: int) -> Any:
        times, syncs = [], []
        for _ in range(rounds):
            self._written += 1
            content = f"{self._written}\n" * 20
            await self.call("write_to_file", path="written.txt", content=content, dryRun=True)
            before = self._syncs.count
            times.append(await self.call("write_to_file", path="written.txt", content=content, dryRun=False))
            syncs.append(self._syncs.count - before)
        return {"times": times, "syncs": syncs}

    async def sequential(self, rounds: int) -> Any:
        """Reads per second in threads, one after the other, as from a client that waits for each answer."""
        count = rounds * CALLERS * CONCURRENT_READS
        started = time.perf_counter()
        for number in range(count):
            await asyncio.create_task(self._list_files(number % CALLERS))
        return count / (time.perf_counter() - started)

    async def crowd(self, rounds: int, *, hangs: bool) -> Any:
        """Eight callers with eight concurrent reads each. With `hangs`, the last one's hang until the others end."""
        release = threading.Event()
        timeout = threading.Timer(_HANG_SECONDS, release.set)
        timeout.start()
        others, hanging = CALLERS, list[asyncio.Task[Any]]()
        if hangs:
            others -= 1
            call = Call("list_files", {}, _caller(others))
            hanging = [asyncio.create_task(in_thread(call, release.wait)) for _ in range(CONCURRENT_READS)]
            await asyncio.sleep(0)
        times: list[float] = []
        started = time.perf_counter()
        for _ in range(rounds):
            times += await asyncio.gather(
                *(self._list_files(number % others) for number in range(others * CONCURRENT_READS))
            )
        rate = len(times) / (time.perf_counter() - started)
        timeout.cancel()
        release.set()
        await asyncio.gather(*hanging)
        return {"times": times, "rate": rate}

    async def _list_files(self, caller: int) -> float:
        return await self.call("list_files", caller, path=".", globs=["*"])

    async def run(self, what: str, rounds: int) -> Any:
        if what in ("crowd", "hanging"):
            return await self.crowd(rounds, hangs=what == "hanging")
        return await getattr(self, what)(rounds)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        child = Child(Path(folder), syncs)
        with asyncio.Runner() as runner:
            print("ready", flush=True)
            for line in sys.stdin:
                what, rounds = line.split()
                print(json.dumps(runner.run(child.run(what, int(rounds)))), flush=True)
        child.rig.close()


if __name__ == "__main__":
    main()
