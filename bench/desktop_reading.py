"""Finding an element and reading a whole tree in windows of real programs, compared with pyatspi and dogtail.

Each runs warm in its own process; they alternate. Their results must be the same.
"""

import asyncio
import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.comparison import Comparison, in_turns
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.desktop_port import Query, Window
from tests.desktop_session import DesktopSession

_PEERS = Path(__file__).parent / "peers"
_PYTHON = "/usr/bin/python3"
_MOST_NODES = 2000
_ROUNDS = 5
_LOAD_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class _Subject:
    name: str
    command: Callable[[Path], Sequence[str]]
    """The command that starts it; it may use the folder."""
    title: str
    role: str
    contained: str
    finding: float
    reading: float
    """How many times faster it should be."""


class _Ours:
    """A reader that stays open, on a loop that runs only during requests."""

    def __init__(self, runner: asyncio.Runner, subject: _Subject) -> None:
        self._runner = runner
        self._reader = AtspiReader(AccessibilityBus())
        self._query = Query(role=subject.role, title_contains=subject.contained)
        self._window = runner.run(self._wait_for_window(subject.title))

    async def _wait_for_window(self, title: str) -> Window:
        """Returns the window once it contains the element to look for."""
        async with asyncio.timeout(_LOAD_SECONDS):
            while True:
                for window in await self._reader.windows():
                    if window.title == title and await self._reader.find(window, self._query):
                        return window
                await asyncio.sleep(0.1)

    def find(self) -> int:
        return len(self._runner.run(self._reader.find(self._window, self._query)))

    def tree(self) -> int:
        return self._runner.run(self._reader.tree(self._window, max_depth=100, max_nodes=_MOST_NODES)).count


class _Theirs:
    def __init__(self, client: str, subject: _Subject) -> None:
        self._subject = subject
        self._process = subprocess.Popen(
            [_PYTHON, str(_PEERS / "accessibility.py"), client],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> "_Theirs":
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.terminate()

    def find(self) -> int:
        return self._request("find", self._subject.title, self._subject.role, self._subject.contained)

    def tree(self) -> int:
        return self._request("tree", self._subject.title, _MOST_NODES)

    def _request(self, *order: str | int) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return int(json.loads(self._process.stdout.readline()))


def measure() -> list[Comparison]:
    comparisons: list[Comparison] = []
    for subject in _subjects():
        with DesktopSession() as session, session.entered():
            session.start(subject.command(session.folder))
            comparisons += _measure(subject)
    return comparisons


def _measure(subject: _Subject) -> Iterator[Comparison]:
    with asyncio.Runner() as runner, _Theirs("pyatspi", subject) as pyatspi, _Theirs("dogtail", subject) as dogtail:
        ours = _Ours(runner, subject)
        for client, peer in (("pyatspi", pyatspi), ("dogtail", dogtail)):
            _agree(ours.find(), peer.find())
            times = in_turns(ours.find, peer.find, _ROUNDS)
            yield Comparison(f"`find` by role and title, {subject.name}", client, *times, target=1 / subject.finding)
        _agree(ours.tree(), pyatspi.tree())
        times = in_turns(ours.tree, pyatspi.tree, _ROUNDS)
        yield Comparison(f"whole tree, {subject.name}, {ours.tree():,} nodes", "pyatspi", *times, 1 / subject.reading)


def _agree(ours: int, theirs: int) -> None:
    if ours != theirs:
        raise AssertionError(f"{ours} elements here and {theirs} there")


def _subjects() -> Iterator[_Subject]:
    yield _Subject(
        "LibreOffice Writer",
        lambda _: ["soffice", "--writer", "--norestore", "--nologo", "--nolockcheck"],
        "Untitled 1 - LibreOffice Writer",
        "menu item",
        "Special Character",
        finding=20,
        reading=3,
    )
    yield _Subject("Chromium", _chromium, "Many - Chromium", "push button", "Press 777", finding=20, reading=3)
    yield _Subject("GTK 3", _widgets("gtk3"), "Many", "push button", "Button 1777", finding=5, reading=3)
    yield _Subject("Qt 6", _widgets("qt6"), "Many", "push button", "Button 1777", finding=3, reading=1.5)


def _widgets(toolkit: str) -> Callable[[Path], Sequence[str]]:
    return lambda _: [_PYTHON, str(_PEERS / "many_widgets.py"), toolkit, "1900", "Many"]


def _chromium(folder: Path) -> Sequence[str]:
    rows = "".join(f"<p>Row {number} <a href=#>link</a> <button>Press {number}</button></p>" for number in range(1000))
    page = folder / "many.html"
    page.write_text(f"<!doctype html><title>Many</title>{rows}")
    options = ["--no-sandbox", "--no-first-run", "--password-store=basic", "--force-renderer-accessibility"]
    return ["chromium", *options, f"--user-data-dir={folder / 'chromium'}", page.as_uri()]
