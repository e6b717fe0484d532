"""A temporary project with handrail in this process."""

import asyncio
import tempfile
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from handrail import wiring as app
from handrail.kernel.approval import PresetAnswer
from handrail.kernel.call import Call
from handrail.ports.identity import Caller

CALLER = Caller("bench", "bench", "bench", "bench")

T = TypeVar("T")


class Bench:
    def __init__(self, project: Path, state: Path) -> None:
        self.project = project
        self.rig = app.Wiring().open_project(project, state, PresetAnswer("allow"))
        self._loop = asyncio.new_event_loop()

    def call(self, tool: str, **params: Any) -> Any:
        return self.run(self.rig.gate.run(Call(tool, params, CALLER))).result

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
        self.rig.close()


@contextmanager
def open_bench() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        bench = Bench(project, state)
        try:
            yield bench
        finally:
            bench.close()
