"""Who is measured: handrail on two layers and its peers, all ready on a Chromium of their own."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
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
    pids: Mapping[str, Sequence[int]]
    """Of each driver by its name: its browser, and the programs that work for it."""

    @property
    def drivers(self) -> Sequence[Driver]:
        return (self.bus, self.mcp, self.playwright, self.playwright_mcp, self.devtools_mcp)

    def named(self, field: str) -> Driver:
        found: Driver = getattr(self, field)
        return found

    def visit(self, count: int) -> None:
        for driver in self.drivers:
            driver.open(f"{self.site}/{count}")


@contextmanager
def ready() -> Iterator[Everybody]:
    """The bus and MCP have a handrail each: in one browser, one of their tabs would be hidden."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handrail-bench-")))
        site = stack.enter_context(pages.served())
        browsers = [stack.enter_context(chromium.started(ours.EXTENSION)) for _ in range(2)]
        servers = [stack.enter_context(ours.served(folder / name)) for name in ("bus", "mcp")]
        for browser, server in zip(browsers, servers, strict=True):
            ours.pair(browser, server)
        theirs = [stack.enter_context(chromium.started()) for _ in range(4)]
        tokens = Tokenizer()
        stack.callback(tokens.close)
        bus, mcp = ours.BusDriver(servers[0]), ours.mcp(servers[1])
        playwright = peers.playwright(theirs[0])
        playwright_mcp = peers.playwright_mcp(theirs[1], str(folder / "peers"))
        devtools_mcp = peers.devtools_mcp(theirs[2])
        drivers: list[Driver] = [bus, mcp, playwright, playwright_mcp, devtools_mcp]
        used = zip(drivers, (*browsers, *theirs), strict=False)
        pids = {driver.name: [browser.pid, *driver.processes().values()] for driver, browser in used}
        pids[mcp.name].append(servers[1].pid)
        raw_cdp = peers.raw_cdp(theirs[3])
        pids[raw_cdp.name] = [theirs[3].pid, *raw_cdp.processes().values()]
        everybody = Everybody(
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
        for driver in (*everybody.drivers, everybody.raw_cdp):
            stack.callback(driver.close)
        yield everybody
