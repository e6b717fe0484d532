import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.features.browser.bus.bench_bus import Stage
from tests.features.browser.bus.virtual_time import VirtualTime

Play = Callable[[Callable[[Stage], Coroutine[Any, Any, Any]]], Any]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Plays a scene on a stage, in virtual time."""

    def run(scene: Callable[[Stage], Coroutine[Any, Any, Any]]) -> Any:
        async def whole() -> Any:
            stage = Stage(tmp_path / "state")
            await stage.bus.start()
            try:
                return await scene(stage)
            finally:
                await stage.bus.close()

        with asyncio.Runner(loop_factory=VirtualTime) as runner:
            return runner.run(whole())

    return run
