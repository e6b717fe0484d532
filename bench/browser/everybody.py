"""Who is measured: handrail on two layers and its peers, all ready on a Chromium of their own."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.browser import chromium, ours, pages, peers
from bench.browser.chromium import Chromium
from bench.browser.drivers import Driver, McpDriver, Tokenizer


@dataclass(frozen=True, slots=True)
class Everybody:
    """A library stands beside the bus, a server of tools beside ours: `mcp`."""

    site: str
    our_browser: Chromium
    tokens: Tokenizer
    bus: Driver
    mcp: Driver
    playwright: Driver
    playwright_mcp: McpDriver
    devtools_mcp: McpDriver
    raw_cdp: Driver

    @property
    def drivers(self) -> Sequence[Driver]:
        return (self.bus, self.mcp, self.playwright, self.playwright_mcp, self.devtools_mcp)

    def visit(self, count: int) -> None:
        for driver in self.drivers:
            driver.open(f"{self.site}/{count}")


@contextmanager
def ready() -> Iterator[Everybody]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-bench-")))
        site = stack.enter_context(pages.served())
        our_browser = stack.enter_context(chromium.started(ours.EXTENSION))
        theirs = [stack.enter_context(chromium.started()) for _ in range(4)]
        server = stack.enter_context(ours.served(folder))
        ours.pair(our_browser, server)
        tokens = Tokenizer()
        stack.callback(tokens.close)
        everybody = Everybody(
            site=site,
            our_browser=our_browser,
            tokens=tokens,
            bus=ours.BusDriver(server),
            mcp=ours.mcp(server),
            playwright=peers.playwright(theirs[0]),
            playwright_mcp=peers.playwright_mcp(theirs[1], str(folder)),
            devtools_mcp=peers.devtools_mcp(theirs[2]),
            raw_cdp=peers.raw_cdp(theirs[3]),
        )
        for driver in (*everybody.drivers, everybody.raw_cdp):
            stack.callback(driver.close)
        yield everybody
