"""All participants drive the same page alternately; the results are ratios, compared with targets."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.browser import pages
from bench.browser.cpu import spent_ms
from bench.browser.drivers import Answer, Driver
from bench.browser.figures import Figures, memory
from bench.browser.participants import Participants, open_participants
from bench.comparison import Comparison, format_ms

_ROUNDS: Mapping[int, Mapping[str, int]] = {
    50: {"page": 30, "click": 60, "type": 30, "screenshot": 15, "text": 30},
    5000: {"page": 7, "click": 15, "type": 9, "screenshot": 7, "text": 9},
}
_EMPTY_ROUNDS = 300
_ROWS: Mapping[str, Sequence[int]] = {"click": pages.CLICKED, "type": pages.TYPED}
_TITLES = {
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
    """The peer that is closest in each task. `target` has the values for 50 and 5,000 elements."""

    what: str
    layer: str
    ours: str
    peer: str
    target: Mapping[int, float]


_GOALS = (
    Goal("type", "on the bus", "bus", "playwright", {50: 1, 5000: 1}),
    Goal("text", "on the bus", "bus", "playwright", {50: 1.5, 5000: 1.5}),
    Goal("click", "on the bus", "bus", "playwright", {50: 0.5, 5000: 0.5}),
    Goal("page", "over MCP", "mcp", "playwright_mcp", {50: 0.4, 5000: 0.1}),
    Goal("screenshot", "over MCP", "mcp", "devtools_mcp", {50: 1, 5000: 1}),
)


@dataclass(frozen=True, slots=True)
class Series:
    """The answers by driver name, and the processor time of one answer."""

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
    with open_participants() as participants:
        empty = [_empty(participants)] if with_empty else []
        participants.visit(count)
        series = {
            what: _in_turns(participants, participants.drivers, what, rounds) for what, rounds in _ROUNDS[count].items()
        }
        goals = [_compare_goal(participants, count, goal, series[goal.what]) for goal in _GOALS]
        tokens = _tokens(participants, count, series)
        return [*empty, *goals, *tokens, *_figures(participants, count, series), memory(participants)]


def _in_turns(
    participants: Participants, drivers: Sequence[Driver], what: str, rounds: int, warm_up: int = 2
) -> Series:
    rows = _ROWS.get(what, (0,))
    answers: dict[str, list[Answer]] = {driver.name: [] for driver in drivers}
    before: dict[str, float] = {}
    for number in range(rounds + warm_up):
        if number == warm_up:
            before = {driver.name: spent_ms(participants.pids[driver.name]) for driver in drivers}
        for driver in drivers:
            answers[driver.name].append(driver.do(what, rows[number % len(rows)]))
    cpu = {name: (spent_ms(participants.pids[name]) - spent) / rounds for name, spent in before.items()}
    return Series({name: samples[warm_up:] for name, samples in answers.items()}, cpu)


def _empty(participants: Participants) -> Comparison:
    participants.visit(50)
    series = _in_turns(participants, (participants.bus, participants.raw_cdp), "nothing", _EMPTY_ROUNDS, warm_up=30)
    times = series.ms(participants.bus), series.ms(participants.raw_cdp)
    return Comparison("an action that does nothing, on the bus", "raw CDP", *times, target=3)


def _compare_goal(participants: Participants, count: int, goal: Goal, series: Series) -> Comparison:
    ours, peer = participants.driver(goal.ours), participants.driver(goal.peer)
    return Comparison(
        f"{_TITLES[goal.what]}, {count:,} elements, {goal.layer}, p50",
        peer.name,
        series.ms(ours),
        series.ms(peer),
        target=goal.target[count],
    )


def _tokens(participants: Participants, count: int, series: Mapping[str, Series]) -> list[Comparison]:
    """Peers answer a click without the changes, so a model has to read the page again."""

    def length(what: str, driver: Driver) -> int:
        return participants.tokens.count(series[what].text(driver))

    view = f"tokens in a view of the page, {count:,} elements"
    click = f"tokens until the model knows what a click changed, {count:,} elements"
    ours = participants.mcp
    return [
        Comparison(view, "limit", length("page", ours), _MOST_TOKENS, target=1, unit="tokens"),
        *(
            Comparison(
                click,
                f"{peer.name}, with its view",
                length("click", ours),
                length("click", peer) + length("page", peer),
                target=1 / _FEWER_TOKENS,
                unit="tokens",
            )
            for peer in (participants.playwright_mcp, participants.devtools_mcp)
        ),
    ]


def _figures(participants: Participants, count: int, series: Mapping[str, Series]) -> list[Figures]:
    names = [driver.name for driver in participants.drivers]
    times = [(what, [one.ms(driver) for driver in participants.drivers]) for what, one in series.items()]
    spent = [(what, [one.cpu_ms[name] for name in names]) for what, one in series.items()]
    return [
        Figures(
            (title, *names),
            [(f"{_TITLES[what]}, {count:,} elements", *map(format_ms, values)) for what, values in rows],
        )
        for title, rows in (("p50", times), ("processor time per action, browser included", spent))
    ]
