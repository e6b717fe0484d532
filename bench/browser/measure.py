"""Everybody drives the same page in turns; what comes out are ratios against what should be reached."""

import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.browser import chromium, ours, pages, peers
from bench.browser.drivers import Answer, Driver, McpDriver, Tokenizer
from bench.comparison import Comparison

_ROUNDS: Mapping[int, Mapping[str, int]] = {
    50: {"nothing": 100, "index": 40, "click": 60, "type": 30, "screenshot": 15, "text": 15},
    5000: {"index": 12, "click": 30, "type": 12, "screenshot": 9, "text": 7},
}
_ROWS: Mapping[str, Sequence[int]] = {"click": pages.CLICKED, "type": pages.TYPED}
_LIBRARY, _MCP = "the bus", "MCP"
"""Which of handrail's two layers stands beside a peer: a library beside the bus, a server of tools beside ours."""


@dataclass(frozen=True, slots=True)
class Everybody:
    bus: Driver
    mcp: Driver
    playwright: Driver
    playwright_mcp: McpDriver
    devtools_mcp: McpDriver
    raw_cdp: Driver

    def __iter__(self) -> Iterator[Driver]:
        return iter((self.bus, self.mcp, self.playwright, self.playwright_mcp, self.devtools_mcp))


Answers = Mapping[str, Sequence[Answer]]
"""By the driver's name, all its answers to one question."""
