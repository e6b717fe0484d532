"""`python -m bench [NAME…]`: runs benchmarks and prints their tables; `--write` puts them into docs/performance.md."""

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
    desktop_use,
    desktop_waiting,
    dry_run,
    gate_overhead,
    gateway,
    hook,
    kernel,
    mixed_load,
    page,
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

_ALL: dict[str, Callable[[], Sequence[page.Result]]] = {
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
    "use": desktop_use.measure,
    "apps": apps.measure,
}


def main() -> None:
    words = sys.argv[1:]
    chosen = [word for word in words if word != "--write"] or list(_ALL)
    if unknown := set(chosen) - set(_ALL):
        sys.exit(f"No benchmark named {', '.join(sorted(unknown))}; known are {', '.join(_ALL)}.")
    for name in chosen:
        about = page.circumstances()
        results = list(_ALL[name]())
        print(f"{name}: {about}\n\n{page.tables(results)}\n", flush=True)
        if "--write" in words:
            page.write(name, about, results)


main()
