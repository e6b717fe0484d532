from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faces.http.running import Running


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for every test that doesn't change it."""
    with Running(tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")) as running:
        assert running.first_line.startswith("http://127.0.0.1:"), running.first_line
        yield running


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder
