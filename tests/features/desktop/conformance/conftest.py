from collections.abc import AsyncIterator, Iterator
from typing import cast

import pytest

from handrail.features.desktop.desktop_port import DesktopPort
from tests.desktop_apps import Toolkit
from tests.desktop_session import DesktopSession
from tests.features.desktop.conformance.grounds import (
    DEBIAN_13,
    LONG,
    TOOLKITS,
    Debian13Ground,
    Ground,
    LinuxGround,
    SwayGround,
)
from tests.features.desktop.conformance.workbench import Workbench, window_of
from tests.sway_session import SwaySession


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs every test on every ground and, if it takes one, in every toolkit (or in the first)."""
    if "toolkit" in metafunc.fixturenames:
        pairs = [(ground, toolkit) for ground, toolkits in TOOLKITS.items() for toolkit in toolkits]
        metafunc.parametrize(
            ("ground_name", "toolkit"),
            [pytest.param(*pair, id="-".join(pair), marks=_trial(*pair)) for pair in pairs],
            scope="session",
        )
    elif "ground_name" in metafunc.fixturenames:
        metafunc.parametrize("ground_name", [name for name in TOOLKITS if name not in LONG], scope="session")


def _trial(ground: str, toolkit: Toolkit) -> pytest.MarkDecorator:
    name = ground if ground in LONG else "toolkits"
    return pytest.mark.trial(name, is_long=ground in LONG or toolkit != TOOLKITS[ground][0])


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def linux_ground(desktop_session: DesktopSession) -> Ground:
    return LinuxGround(desktop_session)


@pytest.fixture(scope="session")
def sway_ground() -> Iterator[Ground]:
    with SwaySession() as session:
        yield SwayGround(session)


@pytest.fixture(scope="session")
def debian13_ground(desktop_session: DesktopSession) -> Ground:
    assert (DEBIAN_13 / "finished").exists(), "scripts/debian13 build/debian-13 makes it, and so does `make campaign`"
    return Debian13Ground(desktop_session)


@pytest.fixture(scope="session")
def ground(ground_name: str, request: pytest.FixtureRequest) -> Ground:
    return cast(Ground, request.getfixturevalue(f"{ground_name}_ground"))


@pytest.fixture(scope="module")
async def desktop(ground: Ground) -> AsyncIterator[DesktopPort]:
    with ground.entered():
        app = ground.open()
        yield app
        await app.close()


@pytest.fixture
async def bench(ground: Ground, desktop: DesktopPort, toolkit: Toolkit) -> Workbench:
    app = ground.app(toolkit)
    return Workbench(ground, desktop, app, await window_of(desktop, app))
