"""Three tasks that people give to an agent, with each server of browser tools: calls, tokens and time."""

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
from bench.comparison import Comparison, format_ms

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
class Transcript:
    """Everything that a model reads (calls and answers), and the time that calls took."""

    texts: list[str] = field(default_factory=list)
    ms: float = 0.0

    @property
    def last(self) -> str:
        return self.texts[-1]


class BrowsingAgent:
    """An agent that looks at the page only if the last answer doesn't show what it needs."""

    def __init__(self, driver: McpDriver, look: Call, ref: Callable[[str, str], str]) -> None:
        self._driver = driver
        self._look = look
        self._ref = ref
        self.tools = driver.tools
        self.transcript = Transcript()

    def call(self, call: Call) -> str:
        answer = self._driver.call(call)
        self.transcript.texts += [f"{call[0]} {dict(call[1])}", answer.text]
        self.transcript.ms += answer.ms
        return answer.text

    def open(self, url: str) -> None:
        self.call(self.tools.open(url))

    def ref(self, name: str) -> str:
        try:
            return self._ref(self.transcript.last, name)
        except (SystemExit, IndexError):
            return self._ref(self.call(self._look), name)

    def wait_for_text(self, words: str) -> None:
        """A page may be late; if the answer didn't show the text, looks again."""
        deadline = time.monotonic() + 10
        while words not in self.transcript.last:
            if time.monotonic() > deadline:
                raise SystemExit(f"{self._driver.name} never saw {words!r}: {self.transcript.last[:2000]}")
            self.call(self._look)

    def type(self, name: str, text: str) -> None:
        self.call(self.tools.type(self.ref(name), text))

    def click(self, name: str) -> None:
        self.call(self.tools.click(self.ref(name)))


def _sign_in(agent: BrowsingAgent, site: str) -> None:
    agent.open(f"{site}/sign-in")
    user, password, button = agent.ref("User"), agent.ref("Password"), agent.ref("Sign in now")
    for call in (agent.tools.type(user, "bob"), agent.tools.type(password, "secret"), agent.tools.click(button)):
        agent.call(call)
    agent.wait_for_text("Wrong password for bob")


def _orders(agent: BrowsingAgent, site: str) -> None:
    agent.open(f"{site}/orders")
    agent.type("Filter", "1234")
    agent.click("Open order 1234")
    agent.wait_for_text("Ada Lovelace")


def _bank(agent: BrowsingAgent, site: str) -> None:
    agent.open(f"{site}/bank")
    agent.wait_for_text("1,284.50")


_STORIES: Mapping[str, Callable[[BrowsingAgent, str], None]] = {
    "learn why sign-in failed": _sign_in,
    "filter 2,000 rows and open one": _orders,
    "read a dashboard's balance": _bank,
}


@dataclass(frozen=True, slots=True)
class Participant:
    driver: McpDriver
    look: Call
    ref: Callable[[str, str], str]

    def agent(self) -> BrowsingAgent:
        return BrowsingAgent(self.driver, self.look, self.ref)


def measure() -> list[Comparison | Figures]:
    with ExitStack() as stack:
        site = stack.enter_context(_serve())
        tokens = Tokenizer()
        stack.callback(tokens.close)
        participants = list(_participants(stack))
        rows: list[Comparison | Figures] = []
        figures: list[Sequence[str]] = []
        for story, play in _STORIES.items():
            transcript = [_play(participant, play, site) for participant in participants]
            counted = [
                (len(each[-1].texts) // 2, tokens.count("\n".join(each[-1].texts)), _ms(each)) for each in transcript
            ]
            figures += [
                (story, participant.driver.name, f"{each[0]}", f"{each[1]:,}", format_ms(each[2]))
                for participant, each in zip(participants, counted, strict=True)
            ]
            (_, our_tokens, our_ms), *theirs = counted
            for participant, (_, their_tokens, their_ms) in zip(participants[1:], theirs, strict=True):
                rows.append(
                    Comparison(
                        f"{story}: tokens", participant.driver.name, our_tokens, their_tokens, target=1, unit="tokens"
                    )
                )
                rows.append(
                    Comparison(f"{story}: time in tools, p50", participant.driver.name, our_ms, their_ms, target=1)
                )
        return [*rows, Figures(("story", "tools", "calls", "tokens", "time in tools, p50"), figures)]


def _ms(transcript: Sequence[Transcript]) -> float:
    return statistics.median(each.ms for each in transcript)


def _play(participant: Participant, play: Callable[[BrowsingAgent, str], None], site: str) -> list[Transcript]:
    transcript = []
    for _ in range(_ROUNDS + 1):
        agent = participant.agent()
        play(agent, site)
        transcript.append(agent.transcript)
    return transcript[1:]


def _participants(stack: ExitStack) -> Iterator[Participant]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-bench-")))
    browsers = [
        stack.enter_context(chromium.start(ours.EXTENSION)),
        *(stack.enter_context(chromium.start()) for _ in range(2)),
    ]
    server = stack.enter_context(ours.serve(folder / "ours"))
    ours.pair(browsers[0], server)
    drivers = [
        ours.mcp(server),
        peers.playwright_mcp(browsers[1], str(folder / "peers")),
        peers.devtools_mcp(browsers[2]),
    ]
    for driver in drivers:
        stack.callback(driver.close)
    yield Participant(drivers[0], ("browser_page", {}), by_pattern(r"\[(\d+) (?:[^\]]* )?NAME\b[^\]]*\]"))
    yield Participant(drivers[1], drivers[1].tools.rest["index"], by_pattern(r'"NAME" \[ref=(\w+)\]'))
    yield Participant(drivers[2], drivers[2].tools.rest["index"], by_pattern(r'uid=(\w+) \w+ "NAME"'))


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
def _serve() -> Iterator[str]:
    site = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    serving = threading.Thread(target=site.serve_forever)
    serving.start()
    try:
        yield f"http://127.0.0.1:{site.server_port}"
    finally:
        site.shutdown()
        serving.join()
        site.server_close()
