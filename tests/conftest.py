"""What every test may rely on: no browser, server, desktop host or keyring of the user's, unless it wants that."""

import os
from collections.abc import Iterator

import pytest

from tests.desktop_session import DesktopSession

os.environ["HANDRAIL_CALL_PERSON"] = "false"
os.environ["HANDRAIL_DESKTOP"] = "false"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"


@pytest.fixture(scope="session")
def desktop_session() -> Iterator[DesktopSession]:
    """The desktop that all tests of one worker share; this process is not on it by itself, see `entered`."""
    with DesktopSession() as session:
        yield session
