"""A house on a temporary project, called in this process."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from handrail import app
from handrail.contract.call import Call, Caller
from handrail.core.approvals import PresetAnswer

_CALLER = Caller("bench", "bench", "bench")


class Bench:
    def __init__(self, project: Path, state: Path) -> None:
        self.project = project
        self._house = app.open_house(project, state, PresetAnswer("allow"))
        self._loop = asyncio.new_event_loop()

    def call(self, tool: str, **params: Any) -> Any:
        return self._loop.run_until_complete(self._house.gate.run(Call(tool, params, _CALLER))).result

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
        self._house.close()


@contextmanager
def opened() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        bench = Bench(project, state)
        try:
            yield bench
        finally:
            bench.close()
