from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.gatehouse import Gatehouse


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Any]:
    """Builds a gatehouse; its audit must still be whole when the test is over."""
    built: list[Gatehouse] = []

    def build(*tools: Any, **more: Any) -> Gatehouse:
        built.append(Gatehouse(tmp_path, tools, **more))
        return built[-1]

    yield build
    for house in built:
        house.close()
