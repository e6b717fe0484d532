"""The participants of the browser benchmarks: handrail on two layers and its peers, each with its own Chromium."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.browser import chromium, ours, pages, peers
from bench.browser.chromium import Chromium
from bench.browser.drivers import Driver, McpDriver, Tokenizer


@dataclass(frozen=True, slots=True)
class Participants:
    """A library is compared with the bus, a server of tools with our MCP server (`mcp`)."""

    site: str
    our_browser: Chromium
    tokens: Tokenizer
    bus: Driver
    mcp: Driver
    playwright: Driver
    playwright_mcp: McpDriver
    devtools_mcp: McpDriver
    raw_cdp: Driver
    pids: Mapping[str, Sequence[int]]
    """For each driver's name: the process ids of its browser and programs."""

    @property
    def drivers(self) -> Sequence[Driver]:
        return (self.bus, self.mcp, self.playwright, self.playwright_mcp, self.devtools_mcp)

    def driver(self, field: str) -> Driver:
        result: Driver = getattr(self, field)
        return result

    def visit(self, count: int) -> None:
        for driver in self.drivers:
            driver.open(f"{self.site}/{count}")


@contextmanager
def open_participants() -> Iterator[Participants]:
    """The bus and MCP use separate servers, because in one browser one of their tabs would be hidden."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-bench-")))
        site = stack.enter_context(pages.serve())
        browsers = [stack.enter_context(chromium.start(ours.EXTENSION)) for _ in range(2)]
        servers = [stack.enter_context(ours.serve(folder / name)) for name in ("bus", "mcp")]
        for browser, server in zip(browsers, servers, strict=True):
            ours.pair(browser, server)
        peer_browsers = [stack.enter_context(chromium.start()) for _ in range(4)]
        tokens = Tokenizer()
        stack.callback(tokens.close)
        bus, mcp = ours.BusDriver(servers[0]), ours.mcp(servers[1])
        playwright = peers.playwright(peer_browsers[0])
        playwright_mcp = peers.playwright_mcp(peer_browsers[1], str(folder / "peers"))
        devtools_mcp = peers.devtools_mcp(peer_browsers[2])
        drivers: list[Driver] = [bus, mcp, playwright, playwright_mcp, devtools_mcp]
        pairs = zip(drivers, (*browsers, *peer_browsers), strict=False)
        pids = {driver.name: [browser.pid, *driver.processes().values()] for driver, browser in pairs}
        pids[mcp.name].append(servers[1].pid)
        raw_cdp = peers.raw_cdp(peer_browsers[3])
        pids[raw_cdp.name] = [peer_browsers[3].pid, *raw_cdp.processes().values()]
        participants = Participants(
            site=site,
            our_browser=browsers[1],
            tokens=tokens,
            bus=bus,
            mcp=mcp,
            playwright=playwright,
            playwright_mcp=playwright_mcp,
            devtools_mcp=devtools_mcp,
            raw_cdp=raw_cdp,
            pids=pids,
        )
        for driver in (*participants.drivers, participants.raw_cdp):
            stack.callback(driver.close)
        yield participants
