"""Everybody drives the same page in turns; what comes out are ratios against what should be reached."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.browser import pages
from bench.browser.cpu import spent_ms
from bench.browser.drivers import Answer, Driver
from bench.browser.everybody import Everybody, ready
from bench.browser.figures import Figures, memory
from bench.comparison import Comparison, shown

_ROUNDS: Mapping[int, Mapping[str, int]] = {
    50: {"page": 30, "click": 60, "type": 30, "screenshot": 15, "text": 30},
    5000: {"page": 7, "click": 15, "type": 9, "screenshot": 7, "text": 9},
}
_EMPTY_ROUNDS = 300
_ROWS: Mapping[str, Sequence[int]] = {"click": pages.CLICKED, "type": pages.TYPED}
_CALLED = {
    "click": "a click by ref, its checks included",
    "type": "typing into a field",
    "screenshot": "a screenshot",
    "text": "the page's text",
    "page": "a view of the page",
}
_MOST_TOKENS = 350
_FEWER_TOKENS = 3


@dataclass(frozen=True, slots=True)
class Goal:
    """One peer for each: who is nearest to it. `reach` is for 50 and for 5,000 elements."""

    what: str
    layer: str
    ours: str
    peer: str
    reach: Mapping[int, float]


_GOALS = (
    Goal("type", "on the bus", "bus", "playwright", {50: 1, 5000: 1}),
    Goal("text", "on the bus", "bus", "playwright", {50: 1.5, 5000: 1.5}),
    Goal("click", "on the bus", "bus", "playwright", {50: 0.5, 5000: 0.5}),
    Goal("page", "over MCP", "mcp", "playwright_mcp", {50: 0.4, 5000: 0.1}),
    Goal("screenshot", "over MCP", "mcp", "devtools_mcp", {50: 1, 5000: 1}),
)


@dataclass(frozen=True, slots=True)
class Series:
    """What each driver answered, by its name, and the time that the processors took for one answer."""

    answers: Mapping[str, Sequence[Answer]]
    cpu_ms: Mapping[str, float]

    def ms(self, driver: Driver) -> float:
        return statistics.median(answer.ms for answer in self.answers[driver.name])

    def text(self, driver: Driver) -> str:
        return self.answers[driver.name][-1].text


def measure_small() -> list[Comparison | Figures]:
    return _measure(50, with_empty=True)


def measure_large() -> list[Comparison | Figures]:
    return _measure(5000, with_empty=False)


def _measure(count: int, *, with_empty: bool) -> list[Comparison | Figures]:
    with ready() as everybody:
        empty = [_empty(everybody)] if with_empty else []
        everybody.visit(count)
        series = {
            what: _in_turns(everybody, everybody.drivers, what, rounds) for what, rounds in _ROUNDS[count].items()
        }
        goals = [_compared(everybody, count, goal, series[goal.what]) for goal in _GOALS]
        tokens = _tokens(everybody, count, series)
        return [*empty, *goals, *tokens, *_figures(everybody, count, series), memory(everybody)]


def _in_turns(everybody: Everybody, drivers: Sequence[Driver], what: str, rounds: int, warm_up: int = 2) -> Series:
    rows = _ROWS.get(what, (0,))
    answers: dict[str, list[Answer]] = {driver.name: [] for driver in drivers}
    before: dict[str, float] = {}
    for number in range(rounds + warm_up):
        if number == warm_up:
            before = {driver.name: spent_ms(everybody.pids[driver.name]) for driver in drivers}
        for driver in drivers:
            answers[driver.name].append(driver.do(what, rows[number % len(rows)]))
    cpu = {name: (spent_ms(everybody.pids[name]) - spent) / rounds for name, spent in before.items()}
    return Series({name: kept[warm_up:] for name, kept in answers.items()}, cpu)


def _empty(everybody: Everybody) -> Comparison:
    everybody.visit(50)
    series = _in_turns(everybody, (everybody.bus, everybody.raw_cdp), "nothing", _EMPTY_ROUNDS, warm_up=30)
    times = series.ms(everybody.bus), series.ms(everybody.raw_cdp)
    return Comparison("an action that does nothing, on the bus", "raw CDP", *times, reach=3)


def _compared(everybody: Everybody, count: int, goal: Goal, series: Series) -> Comparison:
    ours, peer = everybody.named(goal.ours), everybody.named(goal.peer)
    return Comparison(
        f"{_CALLED[goal.what]}, {count:,} elements, {goal.layer}, p50",
        peer.name,
        series.ms(ours),
        series.ms(peer),
        reach=goal.reach[count],
    )


def _tokens(everybody: Everybody, count: int, series: Mapping[str, Series]) -> list[Comparison]:
    """Peers answer a click without what it has changed: who wants to know looks at the page again."""

    def length(what: str, driver: Driver) -> int:
        return everybody.tokens.count(series[what].text(driver))

    view = f"what a model reads of a view of the page, {count:,} elements"
    click = f"what a model reads until it knows what a click has changed, {count:,} elements"
    ours = everybody.mcp
    return [
        Comparison(view, "the most it should be", length("page", ours), _MOST_TOKENS, reach=1, unit="tokens"),
        *(
            Comparison(
                click,
                f"{peer.name}, its view too",
                length("click", ours),
                length("click", peer) + length("page", peer),
                reach=1 / _FEWER_TOKENS,
                unit="tokens",
            )
            for peer in (everybody.playwright_mcp, everybody.devtools_mcp)
        ),
    ]


def _figures(everybody: Everybody, count: int, series: Mapping[str, Series]) -> list[Figures]:
    names = [driver.name for driver in everybody.drivers]
    times = [(what, [one.ms(driver) for driver in everybody.drivers]) for what, one in series.items()]
    spent = [(what, [one.cpu_ms[name] for name in names]) for what, one in series.items()]
    return [
        Figures(
            (title, *names), [(f"{_CALLED[what]}, {count:,} elements", *map(shown, values)) for what, values in rows]
        )
        for title, rows in (("p50", times), ("processor time of one, its browser included", spent))
    ]
