from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.console_person import Browser, Person, cancel_all, up
from tests.faces.http.running import Running
from tests.wire.stage import furnish


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "pauses: the folder is swapped at random moments, not as fast as it goes")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small game in the test's own folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return furnish(folder)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A running `handrail up` that the tests of one file share; each uses its own ids and titles."""
    folder = tmp_path_factory.mktemp("rig")
    (folder / "project").mkdir()
    (folder / "project" / "a.txt").write_text("one\n")
    with up(folder / "project", folder / "state") as rig:
        yield rig


@pytest.fixture
def new_rig(project: Path, state: Path) -> Iterator[Running]:
    """A signed-in window that no test has used yet."""
    with up(project, state) as rig:
        yield rig


@pytest.fixture
def person(browser: Browser, rig: Running) -> Iterator[Person]:
    person = browser.person_at(rig)
    yield person
    person.leaves()
    cancel_all(rig)  # questions left by a failed test must not appear before the next test's question
