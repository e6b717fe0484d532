"""`docs/performance.md` and other pages: the newest tables of each benchmark, between two marks."""

import os
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.browser.figures import Figures
from bench.budget import Budget
from bench.comparison import HEADER, Comparison

Result = Comparison | Budget | Figures

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs"
_END = "<!-- end of bench -->"


def tables(results: Sequence[Result]) -> str:
    """One table of everything that has a target, then the others."""
    compared = [result.row() for result in results if not isinstance(result, Figures)]
    others = [result.row().strip("\n") for result in results if isinstance(result, Figures)]
    return "\n\n".join(["\n".join([HEADER, *compared])] * bool(compared) + others)


def circumstances() -> str:
    """When, on which commit and at which load a measurement starts."""
    commit = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short=8", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    return f"Measured on {datetime.now(UTC):%Y-%m-%d}, commit {commit}, at a load of {os.getloadavg()[0]:.1f}."


def write(name: str, about: str, results: Sequence[Result], pages: Path = PAGES) -> None:
    begin = f"<!-- bench: {name} -->"
    for page in pages.glob("*.md"):
        before, found, rest = page.read_text().partition(begin)
        if found:
            after = rest.partition(_END)[2]
            page.write_text(f"{before}{begin}\n{about}\n\n{tables(results)}\n{_END}{after}")
            return
    raise SystemExit(f"No page in {pages} has a place for {name}: write {begin} and {_END} where its table belongs.")
