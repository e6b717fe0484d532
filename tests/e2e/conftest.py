from pathlib import Path

import pytest

from tests.wire.stage import furnish


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small game in a folder of the test's own."""
    folder = tmp_path / "project"
    folder.mkdir()
    return furnish(folder)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"
