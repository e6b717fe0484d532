"""Everybody drives the same page in turns; what comes out are ratios against what should be reached."""

import statistics
from collections.abc import Mapping, Sequence

from bench.browser import pages
from bench.browser.drivers import Answer, Driver
from bench.browser.everybody import Everybody, ready
from bench.browser.figures import Figures, memory
from bench.comparison import Comparison, shown

_ROUNDS: Mapping[int, Mapping[str, int]] = {
    50: {"index": 40, "page": 30, "click": 60, "type": 30, "screenshot": 15, "text": 15},
    5000: {"index": 5, "page": 5, "click": 9, "type": 7, "screenshot": 5, "text": 5},
}
_EMPTY_ROUNDS = 300
_ROWS: Mapping[str, Sequence[int]] = {"click": pages.CLICKED, "type": pages.TYPED}
_CALLED = {
    "click": "a click by ref, its checks included, p50",
    "index": "an index of what is in view",
    "type": "typing into a field",
    "screenshot": "a screenshot",
    "text": "the readable text",
    "page": "a view of the page",
}
_READ = {"click": "a click's answer", "index": "an index"}
# How much faster than Playwright, @playwright/mcp and chrome-devtools-mcp.
_REACH = {"click": (2, 5, 10), "index": (3, 5, 8)}
_FEWER_TOKENS = 3
_MOST_TOKENS = 350

Answers = Mapping[str, Sequence[Answer]]
"""Of each driver, by its name."""


def measure_small() -> list[Comparison | Figures]:
    return _measure(50, with_empty=True)


def measure_large() -> list[Comparison | Figures]:
    return _measure(5000, with_empty=False)


def _measure(count: int, *, with_empty: bool) -> list[Comparison | Figures]:
    with ready() as everybody:
        empty = [_empty(everybody)] if with_empty else []
        answers: dict[tuple[int, str], Answers] = {}
        everybody.visit(count)
        for what, rounds in _ROUNDS[count].items():
            answers[count, what] = _in_turns(everybody.drivers, what, rounds)
        compared = [
            comparison
            for (count, what), told in answers.items()
            if what in _REACH
            for comparison in (*_times(everybody, count, what, told), *_tokens(everybody, count, what, told))
        ]
        compared += [*_until_seen(everybody, count, answers), *_goals(everybody, count, answers)]
        return [*empty, *compared, _all_figures(everybody, answers), memory(everybody)]


def _in_turns(drivers: Sequence[Driver], what: str, rounds: int, warm_up: int = 2) -> Answers:
    rows = _ROWS.get(what, (0,))
    told: dict[str, list[Answer]] = {driver.name: [] for driver in drivers}
    for number in range(rounds + warm_up):
        for driver in drivers:
            told[driver.name].append(driver.do(what, rows[number % len(rows)]))
    return {name: kept[warm_up:] for name, kept in told.items()}


def _empty(everybody: Everybody) -> Comparison:
    everybody.visit(50)
    pair = (everybody.bus, everybody.raw_cdp)
    times = [_median(answers) for answers in _in_turns(pair, "nothing", _EMPTY_ROUNDS, warm_up=30).values()]
    return Comparison("an action that does nothing, on the bus", "raw CDP", *times, reach=3)


def _times(everybody: Everybody, count: int, what: str, told: Answers) -> list[Comparison]:
    beside = (
        ("on the bus", everybody.bus, everybody.playwright),
        ("over MCP", everybody.mcp, everybody.playwright_mcp),
        ("over MCP", everybody.mcp, everybody.devtools_mcp),
    )
    return [
        Comparison(
            f"{_CALLED[what]}, {count:,} elements, {layer}",
            peer.name,
            _median(told[ours.name]),
            _median(told[peer.name]),
            reach=1 / faster,
        )
        for (layer, ours, peer), faster in zip(beside, _REACH[what], strict=True)
    ]


def _tokens(everybody: Everybody, count: int, what: str, told: Answers) -> list[Comparison]:
    return [
        Comparison(
            f"what a model reads of {_READ[what]}, {count:,} elements",
            peer.name,
            _length(everybody, told, everybody.mcp),
            _length(everybody, told, peer),
            reach=1 / _FEWER_TOKENS,
            unit="tokens",
        )
        for peer in (everybody.playwright_mcp, everybody.devtools_mcp)
    ]


def _until_seen(everybody: Everybody, count: int, answers: Mapping[tuple[int, str], Answers]) -> list[Comparison]:
    """Peers answer a click without what it has changed: who wants to know takes an index after it."""
    clicked, indexed = answers[count, "click"], answers[count, "index"]
    return [
        Comparison(
            f"the same until it knows what a click has changed, {count:,} elements",
            f"{peer.name}, its index too",
            _length(everybody, clicked, everybody.mcp),
            _length(everybody, clicked, peer) + _length(everybody, indexed, peer),
            reach=1 / _FEWER_TOKENS,
            unit="tokens",
        )
        for peer in (everybody.playwright_mcp, everybody.devtools_mcp)
    ]


def _goals(everybody: Everybody, count: int, answers: Mapping[tuple[int, str], Answers]) -> list[Comparison]:
    """One peer each: who types or reads text most quickly, and who is nearest to a view of the page and a picture."""
    beside: Sequence[tuple[str, str, Driver, Driver, float]] = (
        ("type", "on the bus", everybody.bus, everybody.playwright, 1),
        ("text", "on the bus", everybody.bus, everybody.playwright, 1.5),
        ("page", "over MCP", everybody.mcp, everybody.playwright_mcp, 0.4 if count < 1000 else 0.1),
        ("screenshot", "over MCP", everybody.mcp, everybody.devtools_mcp, 1),
    )
    rows = [
        Comparison(
            f"{_CALLED[what]}, {count:,} elements, {layer}, p50",
            peer.name,
            _median(answers[count, what][ours.name]),
            _median(answers[count, what][peer.name]),
            reach=reach,
        )
        for what, layer, ours, peer, reach in beside
    ]
    tokens = _length(everybody, answers[count, "page"], everybody.mcp)
    words = f"what a model reads of a view of the page, {count:,} elements"
    return [*rows, Comparison(words, "the most it should be", tokens, _MOST_TOKENS, reach=1, unit="tokens")]


def _length(everybody: Everybody, told: Answers, driver: Driver) -> int:
    return everybody.tokens.count(told[driver.name][-1].text)


def _all_figures(everybody: Everybody, answers: Mapping[tuple[int, str], Answers]) -> Figures:
    names = [driver.name for driver in everybody.drivers]
    return Figures(
        ("p50", *names),
        [
            (f"{_CALLED[what]}, {count:,} elements", *(shown(_median(told[name])) for name in names))
            for (count, what), told in answers.items()
        ],
    )


def _median(answers: Sequence[Answer]) -> float:
    return statistics.median(answer.ms for answer in answers)
