"""One session bus of the tests' own for all the examples, with a display where programs need one."""

from collections.abc import Iterator

import pytest

from tests.session_bus import SessionBus


@pytest.fixture(scope="module")
def session() -> Iterator[SessionBus]:
    with SessionBus() as session:
        yield session
