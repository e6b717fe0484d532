from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.features.desktop.tools.scripted_host import DesktopGate


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def open_gate(tmp_path: Path) -> Iterator[Callable[..., DesktopGate]]:
    gates: list[DesktopGate] = []

    def opening(*args: Any, **more: Any) -> DesktopGate:
        gates.append(DesktopGate(tmp_path, *args, **more))
        return gates[-1]

    yield opening
    for gate in gates:
        gate.rig.close()
