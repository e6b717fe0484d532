"""How late `desktop.waitUntil` reports that its condition is met, compared with a client that polls every 500 ms."""

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
from handrail.features.desktop.desktop_port import Query
from tests.desktop_apps import Toolkit, command, texts
from tests.desktop_session import DesktopSession
from tests.e2e.desktop_bridge import DesktopClient, Refused, bridge

_ROUNDS = 15
_CHECK_SECONDS = 0.002
_POLL_SECONDS = 0.5
_LONGEST_MS = 10_000
_NAMES: dict[Toolkit, str] = {"gtk3": "GTK 3", "qt6": "Qt 6"}


def measure() -> list[Comparison]:
    return [_measure(toolkit, name) for toolkit, name in _NAMES.items()]


def _measure(toolkit: Toolkit, name: str) -> Comparison:
    with DesktopSession() as session, session.entered(), asyncio.Runner() as runner:
        session.start(command(toolkit))
        button = runner.run(_Button.find_button())
        with bridge(session, session.folder) as client, ThreadPoolExecutor() as pool:
            _warm_up(client)
            late = _lateness(client, pool, lambda title: runner.run(button.press(title)))
        runner.run(button.bus.close())
    ours, theirs = (statistics.median(times) for times in late)
    what = f"`desktop.waitUntil`, from the change to the answer, {name}"
    return Comparison(what, "`find` every 500 ms", ours, theirs, target=1 / 5)


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
    """In milliseconds, of waiting and of polling, alternately."""
    chance = random.Random(1)
    delays: tuple[list[float], list[float]] = ([], [])
    for number in range(_ROUNDS):
        for index, wait in enumerate((_wait_until, _poll)):
            title = texts.CHANGED.format(2 * number + index + 1)
            answer_time = pool.submit(wait, client, title)
            time.sleep(0.2 + chance.random() * _POLL_SECONDS)
            changed = press(title)
            delays[index].append((answer_time.result() - changed) * 1000)
    return delays


def _wait_until(client: DesktopClient, title: str) -> float:
    client.call("waitUntil", condition={"selectorExists": {"titleContains": title}}, timeoutMs=_LONGEST_MS)
    return time.monotonic()


def _poll(client: DesktopClient, title: str) -> float:
    while not client.call("find", selector={"titleContains": title})["matched"]:
        time.sleep(_POLL_SECONDS)
    return time.monotonic()


class _Button:
    """Pressed without the host, whose lane is taken by the wait."""

    def __init__(self, bus: AccessibilityBus, button: Ref, label: Ref) -> None:
        self.bus = bus
        self._button = button
        self._label = label

    @classmethod
    async def find_button(cls) -> "_Button":
        bus = AccessibilityBus()
        reader = AtspiReader(bus)
        window = next(window for window in await reader.windows() if window.title == texts.TITLE)
        refs = []
        for query in (Query("AXButton", texts.CHANGE_LATER), Query("AXStaticText", texts.UNCHANGED)):
            [find_button] = await reader.find(window, query)
            refs.append(await bus.ref(find_button.element.handle))
        button, label = refs
        assert button is not None
        assert label is not None
        return cls(bus, button, label)

    async def press(self, title: str) -> float:
        """Returns when the label has changed: some toolkits show the press for a while before they act on it."""
        await self.bus.send_once(self._button, Call(calls.ACTION, "DoAction", "i", 0))
        while True:
            if (await self.bus.ask(self._label, calls.NAME))[0].value == title:
                return time.monotonic()
            await asyncio.sleep(_CHECK_SECONDS)
