"""Three things that people ask of an agent, with each server of browser tools: calls, tokens and time they take."""

import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.browser import chromium, ours, peers
from bench.browser.drivers import Call, McpDriver, Tokenizer, by_pattern
from bench.browser.figures import Figures
from bench.comparison import Comparison, shown

_ROUNDS = 5
_STYLE = "<!doctype html><meta charset=utf-8><style>body{font:15px sans-serif}.gone{display:none}</style>"
_SIGN_IN = f"""{_STYLE}<title>Sign in</title><h1>Sign in</h1><nav><a href="#a">Help</a> <a href="#b">Prices</a></nav>
<form onsubmit="event.preventDefault();setTimeout(()=>said.textContent='Wrong password for bob',30)">
<label>User <input name="user"></label> <label>Password <input type="password" name="pass"></label>
<button>Sign in now</button></form><div id="said"></div><p class="gone">Signed in as bob</p>"""
_ROWS = "".join(
    f"<tr data-name='order {row}'><td>order {row}</td><td>{row * 7 % 900} €</td>"
    f"<td><a href='/order?{row}'>Open order {row}</a></td></tr>"
    for row in range(2000)
)
_TABLE = f"""{_STYLE}<title>Orders</title><h1>Orders</h1><label>Filter <input id="filter"></label>
<table>{_ROWS}</table><script>filter.oninput=()=>{{for(const row of document.querySelectorAll("tr"))
row.hidden=!row.dataset.name.endsWith(" "+filter.value)}}</script>"""
_CARDS = "".join(
    f"<section><h2>Card {card}</h2><p>Last used {card} days ago</p><a href='#{card}'>More</a></section>"
    for card in range(30)
)
_DASHBOARD = f"""{_STYLE}<title>Bank</title><h1>Your accounts</h1><section><h2>Balance</h2><p>1,284.50 €</p></section>
<p class="gone">Balance 9,999.00 €</p>{_CARDS}"""
_ORDER = f"{_STYLE}<title>Order</title><h1>Order 1234</h1><p>Paid by Ada Lovelace</p>"
_PAGES = {"/sign-in": _SIGN_IN, "/orders": _TABLE, "/bank": _DASHBOARD, "/order": _ORDER}


@dataclass
class Told:
    """All that was said until the end: `texts` is what a model reads, calls and answers."""

    texts: list[str] = field(default_factory=list)
    ms: float = 0.0

    @property
    def last(self) -> str:
        return self.texts[-1]


class Hand:
    """An agent that looks only when it has to: an answer that shows what it needs is enough."""

    def __init__(self, driver: McpDriver, look: Call, ref: Callable[[str, str], str]) -> None:
        self._driver = driver
        self._look = look
        self._ref = ref
        self.speech = driver.speech
        self.told = Told()

    def call(self, call: Call) -> str:
        answer = self._driver.call(call)
        self.told.texts += [f"{call[0]} {dict(call[1])}", answer.text]
        self.told.ms += answer.ms
        return answer.text

    def open(self, url: str) -> None:
        self.call(self.speech.open(url))

    def ref(self, name: str) -> str:
        try:
            return self._ref(self.told.last, name)
        except (SystemExit, IndexError):
            return self._ref(self.call(self._look), name)

    def sees(self, words: str) -> None:
        """A page may be a moment late; who was told nothing looks again."""
        until = time.monotonic() + 10
        while words not in self.told.last:
            if time.monotonic() > until:
                raise SystemExit(f"{self._driver.name} never saw {words!r}: {self.told.last[:2000]}")
            self.call(self._look)

    def type(self, name: str, text: str) -> None:
        self.call(self.speech.type(self.ref(name), text))

    def click(self, name: str) -> None:
        self.call(self.speech.click(self.ref(name)))


def _sign_in(hand: Hand, site: str) -> None:
    hand.open(f"{site}/sign-in")
    user, password, button = hand.ref("User"), hand.ref("Password"), hand.ref("Sign in now")
    for call in (hand.speech.type(user, "bob"), hand.speech.type(password, "secret"), hand.speech.click(button)):
        hand.call(call)
    hand.sees("Wrong password for bob")


def _orders(hand: Hand, site: str) -> None:
    hand.open(f"{site}/orders")
    hand.type("Filter", "1234")
    hand.click("Open order 1234")
    hand.sees("Ada Lovelace")


def _bank(hand: Hand, site: str) -> None:
    hand.open(f"{site}/bank")
    hand.sees("1,284.50")


_STORIES: Mapping[str, Callable[[Hand, str], None]] = {
    "learn why sign-in failed": _sign_in,
    "filter 2,000 rows and open one": _orders,
    "read a dashboard's balance": _bank,
}


@dataclass(frozen=True, slots=True)
class Player:
    driver: McpDriver
    look: Call
    ref: Callable[[str, str], str]

    def hand(self) -> Hand:
        return Hand(self.driver, self.look, self.ref)


def measure() -> list[Comparison | Figures]:
    with ExitStack() as stack:
        site = stack.enter_context(_served())
        tokens = Tokenizer()
        stack.callback(tokens.close)
        players = list(_players(stack))
        rows: list[Comparison | Figures] = []
        figures: list[Sequence[str]] = []
        for story, play in _STORIES.items():
            told = [_played(player, play, site) for player in players]
            counted = [(len(each[-1].texts) // 2, tokens.count("\n".join(each[-1].texts)), _ms(each)) for each in told]
            figures += [
                (story, player.driver.name, f"{each[0]}", f"{each[1]:,}", shown(each[2]))
                for player, each in zip(players, counted, strict=True)
            ]
            (_, our_tokens, our_ms), *theirs = counted
            for player, (_, their_tokens, their_ms) in zip(players[1:], theirs, strict=True):
                rows.append(
                    Comparison(f"{story}: tokens", player.driver.name, our_tokens, their_tokens, reach=1, unit="tokens")
                )
                rows.append(Comparison(f"{story}: time in tools, p50", player.driver.name, our_ms, their_ms, reach=1))
        return [*rows, Figures(("story", "tools", "calls", "tokens", "time in tools, p50"), figures)]


def _ms(told: Sequence[Told]) -> float:
    return statistics.median(each.ms for each in told)


def _played(player: Player, play: Callable[[Hand, str], None], site: str) -> list[Told]:
    told = []
    for _ in range(_ROUNDS + 1):
        hand = player.hand()
        play(hand, site)
        told.append(hand.told)
    return told[1:]


def _players(stack: ExitStack) -> Iterator[Player]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-bench-")))
    browsers = [
        stack.enter_context(chromium.started(ours.EXTENSION)),
        *(stack.enter_context(chromium.started()) for _ in range(2)),
    ]
    server = stack.enter_context(ours.served(folder / "ours"))
    ours.pair(browsers[0], server)
    drivers = [
        ours.mcp(server),
        peers.playwright_mcp(browsers[1], str(folder / "peers")),
        peers.devtools_mcp(browsers[2]),
    ]
    for driver in drivers:
        stack.callback(driver.close)
    yield Player(drivers[0], ("browser_page", {}), by_pattern(r"\[(\d+) (?:[^\]]* )?NAME\b[^\]]*\]"))
    yield Player(drivers[1], drivers[1].speech.rest["index"], by_pattern(r'"NAME" \[ref=(\w+)\]'))
    yield Player(drivers[2], drivers[2].speech.rest["index"], by_pattern(r'uid=(\w+) \w+ "NAME"'))


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = _PAGES.get(self.path.partition("?")[0], "").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def _served() -> Iterator[str]:
    site = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    serving = threading.Thread(target=site.serve_forever)
    serving.start()
    try:
        yield f"http://127.0.0.1:{site.server_port}"
    finally:
        site.shutdown()
        serving.join()
        site.server_close()
