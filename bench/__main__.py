"""`python -m bench [NAME…]`: measures and prints the table of docs/performance.md."""

import sys

from bench import dry_run, prompt_log, sandboxed_open, snapshot_listing, stdio, tree_search
from bench.comparison import HEADER

_ALL = {
    "search": tree_search.measure,
    "diff": dry_run.measure,
    "open": sandboxed_open.measure,
    "stdio": stdio.measure,
    "snapshots": snapshot_listing.measure,
    "prompts": prompt_log.measure,
}


def main() -> None:
    chosen = sys.argv[1:] or list(_ALL)
    if unknown := set(chosen) - set(_ALL):
        sys.exit(f"No benchmark named {', '.join(sorted(unknown))}; known are {', '.join(_ALL)}.")
    print(HEADER, flush=True)
    for name in chosen:
        for comparison in _ALL[name]():
            print(comparison.row(), flush=True)


main()
