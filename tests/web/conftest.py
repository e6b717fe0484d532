import pytest


@pytest.fixture
def web() -> None:
    """Tests that use it are slow and run first: see `SLOW` in `tests/schedule.py`."""
