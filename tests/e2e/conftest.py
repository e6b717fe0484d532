from pathlib import Path

import pytest

from tests.wire.stage import furnish


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "pauses: the folder is swapped at random moments, not as fast as it goes")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small game in a folder of the test's own."""
    folder = tmp_path / "project"
    folder.mkdir()
    return furnish(folder)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"
