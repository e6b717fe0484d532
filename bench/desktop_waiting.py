"""How late `desktop.waitUntil` says that its condition came true, beside a client that asks `find` every 500 ms."""

import asyncio
import random
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from bench.comparison import Comparison
from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus, Ref
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.reader import AtspiReader
from handrail.features.desktop.platform import Query
from tests.desktop_apps import Toolkit, command, texts
from tests.desktop_session import DesktopSession
from tests.e2e.desktop_bridge import DesktopClient, Refused, bridge

_ROUNDS = 15
_GLANCE = 0.002
_POLL = 0.5
_LONGEST_MS = 10_000
_NAMES: dict[Toolkit, str] = {"gtk3": "GTK 3", "qt6": "Qt 6"}


def measure() -> list[Comparison]:
    return [_measured(toolkit, name) for toolkit, name in _NAMES.items()]


def _measured(toolkit: Toolkit, name: str) -> Comparison:
    with DesktopSession() as session, session.entered(), asyncio.Runner() as runner:
        session.start(command(toolkit))
        button = runner.run(_Button.found())
        with bridge(session, session.folder) as client, ThreadPoolExecutor() as pool:
            _warm_up(client)
            late = _lateness(client, pool, lambda title: runner.run(button.press(title)))
        runner.run(button.bus.close())
    ours, theirs = (statistics.median(times) for times in late)
    what = f"`desktop.waitUntil`, from the change to the answer, {name}"
    return Comparison(what, "`find` every 500 ms", ours, theirs, reach=1 / 5)


def _warm_up(client: DesktopClient) -> None:
    while True:
        try:
            client.call("find", selector={"titleContains": texts.UNCHANGED})
        except Refused as refused:
            if refused.error["code"] != "DESKTOP_HOST_NOT_READY":
                raise
            time.sleep(0.05)
        else:
            return


def _lateness(
    client: DesktopClient, pool: ThreadPoolExecutor, press: Callable[[str], float]
) -> tuple[list[float], list[float]]:
    """In milliseconds: of who is told and of who polls, in turns."""
    chance = random.Random(1)
    late: tuple[list[float], list[float]] = ([], [])
    for number in range(_ROUNDS):
        for index, wait in enumerate((_told, _polled)):
            title = texts.CHANGED.format(2 * number + index + 1)
            answered = pool.submit(wait, client, title)
            time.sleep(0.2 + chance.random() * _POLL)
            changed = press(title)
            late[index].append((answered.result() - changed) * 1000)
    return late


def _told(client: DesktopClient, title: str) -> float:
    client.call("waitUntil", condition={"selectorExists": {"titleContains": title}}, timeoutMs=_LONGEST_MS)
    return time.monotonic()


def _polled(client: DesktopClient, title: str) -> float:
    while not client.call("find", selector={"titleContains": title})["matched"]:
        time.sleep(_POLL)
    return time.monotonic()


class _Button:
    """Pressed beside the host, whose lane the wait holds."""

    def __init__(self, bus: AccessibilityBus, button: Ref, label: Ref) -> None:
        self.bus = bus
        self._button = button
        self._label = label

    @classmethod
    async def found(cls) -> "_Button":
        bus = AccessibilityBus()
        reader = AtspiReader(bus)
        window = next(window for window in await reader.windows() if window.title == texts.TITLE)
        refs = []
        for query in (Query("AXButton", texts.CHANGE_LATER), Query("AXStaticText", texts.UNCHANGED)):
            [found] = await reader.find(window, query)
            refs.append(await bus.ref(found.element.handle))
        button, label = refs
        assert button is not None
        assert label is not None
        return cls(bus, button, label)

    async def press(self, title: str) -> float:
        """When the label had changed: some toolkits show the press for a while before they act on it."""
        await self.bus.tell(self._button, Call(calls.ACTION, "DoAction", "i", 0))
        while True:
            if (await self.bus.ask(self._label, calls.NAME))[0].value == title:
                return time.monotonic()
            await asyncio.sleep(_GLANCE)
