from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.gate_rig import GateRig


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Any]:
    """Builds a gate_rig; its audit must still be whole when the test is over."""
    built: list[GateRig] = []

    def build(*tools: Any, **more: Any) -> GateRig:
        built.append(GateRig(tmp_path, tools, **more))
        return built[-1]

    yield build
    for rig in built:
        rig.close()
