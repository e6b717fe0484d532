"""A session bus for the tests of all examples."""

from collections.abc import Iterator

import pytest

from tests.session_bus import SessionBus


@pytest.fixture(scope="module")
def session() -> Iterator[SessionBus]:
    with SessionBus() as session:
        yield session
