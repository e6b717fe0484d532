import pytest


@pytest.fixture
def web() -> None:
    """What asks for it takes long, and comes first: see `SLOW` in `tests/schedule.py`."""
