"""`python -m bench [NAME…]`: runs benchmarks and prints the tables of docs/performance.md."""

import sys
from collections.abc import Callable, Sequence

from bench import (
    agent,
    apps,
    cage,
    console_first,
    console_news,
    console_talk,
    desktop_health,
    desktop_reading,
    desktop_screen,
    desktop_waiting,
    dry_run,
    gate_overhead,
    gateway,
    hook,
    kernel,
    mixed_load,
    prompt_log,
    review,
    sandboxed_open,
    snapshot_listing,
    start,
    stdio,
    team,
    tree_search,
    webgal_check,
    webgal_editor,
    webgal_preview,
)
from bench.browser import binding, stories
from bench.browser import measure as browser
from bench.browser.figures import Figures
from bench.budget import Budget
from bench.comparison import HEADER, Comparison

_ALL: dict[str, Callable[[], Sequence[Comparison | Budget | Figures]]] = {
    "search": tree_search.measure,
    "diff": dry_run.measure,
    "open": sandboxed_open.measure,
    "start": start.measure,
    "hook": hook.measure,
    "cage": cage.measure,
    "stdio": stdio.measure,
    "snapshots": snapshot_listing.measure,
    "review": review.measure,
    "prompts": prompt_log.measure,
    "console": console_news.measure,
    "first": console_first.measure,
    "talk": console_talk.measure,
    "agent": agent.measure,
    "gate": gate_overhead.measure,
    "gateway": gateway.measure,
    "kernel": kernel.measure,
    "load": mixed_load.measure,
    "team": team.measure,
    "webgal": webgal_check.measure,
    "editor": webgal_editor.measure,
    "preview": webgal_preview.measure,
    "browser": browser.measure_small,
    "browser-5000": browser.measure_large,
    "stories": stories.measure,
    "binding": binding.measure,
    "screen": desktop_screen.measure,
    "reading": desktop_reading.measure,
    "waiting": desktop_waiting.measure,
    "health": desktop_health.measure,
    "apps": apps.measure,
}


def main() -> None:
    chosen = sys.argv[1:] or list(_ALL)
    if unknown := set(chosen) - set(_ALL):
        sys.exit(f"No benchmark named {', '.join(sorted(unknown))}; known are {', '.join(_ALL)}.")
    print(HEADER, flush=True)
    for name in chosen:
        for result in _ALL[name]():
            print(result.row(), flush=True)


main()
