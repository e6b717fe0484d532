"""`python -m tests.campaign`: runs the long trials and prints a table with attempts and failures."""

import argparse
import json
import random
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts import reruns
from tests.campaign import page
from tests.campaign.trials import Round, all_trials, passes, run_round

_INTERRUPTED = 130
FOLDER = Path(__file__).parents[2] / "build" / "campaign"
BEGUN = "begun.json"


def main() -> int:
    options = _options()
    if options.list:
        print(*all_trials(), sep="\n")
        return 0
    # Shells start background processes with SIGINT ignored, and the tests would inherit that.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    _begin(options)
    rounds, is_interrupted = list[Round](), False
    try:
        for done in _rounds(options):
            rounds.append(done)
    except KeyboardInterrupt:
        is_interrupted = True
    print(table(rounds), flush=True)
    if is_interrupted:
        print("Interrupted. Resume with: make campaign ARGS=--resume")
        return _INTERRUPTED
    if options.write:
        page.write(rounds)
    failed = [(test, one) for one in rounds for test in one.failed]
    if failed:
        print(f"Their output, and a script to repeat each of them: {FOLDER}/*/*/failed", flush=True)
    if len(failed) > reruns.remaining() or any(one.faults for one in rounds):
        return 1
    reruns.record(test for test, _ in failed)
    passed = [passes(test, one.seed, one.minutes) for test, one in failed]
    return 0 if all(passed) else 1


def _begin(options: argparse.Namespace) -> None:
    """Creates the folder for results. `--resume` keeps the last campaign's folder and options."""
    begun = FOLDER / BEGUN
    if options.resume:
        if not begun.exists():
            sys.exit("There is no campaign to resume. Start one with: make campaign")
        kept = json.loads(begun.read_text())
        options.seed, options.minutes, options.only = kept["seed"], kept["minutes"], kept["only"]
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    begun.write_text(json.dumps({"seed": options.seed, "minutes": options.minutes, "only": options.only}))


def _rounds(options: argparse.Namespace) -> Iterator[Round]:
    """Every trial once, then more rounds with other seeds of the trials that fit into the remaining time."""
    seed, minutes = options.seed, options.minutes
    began = time.monotonic()
    ends, at_most = began + minutes * 60, began + (options.at_most or minutes * 3) * 60
    first = run_round(options.only, seed, minutes, FOLDER / str(seed), until=ends, ends=at_most)
    yield first
    chance = random.Random(seed)
    while not options.once and (names := in_time(first, ends - time.monotonic(), chance)):
        seed += 1
        yield run_round(names, seed, minutes, FOLDER / str(seed), until=ends, ends=at_most)


def in_time(first: Round, remaining: float, chance: random.Random) -> list[str]:
    """Randomly chosen trials that should end in time, judging by the first round, with a third in reserve."""
    whole = sum(one.seconds for one in first.outcomes.values()) or 1.0
    budget, names = remaining / 1.33, list[str]()
    for name in chance.sample(list(first.outcomes), len(first.outcomes)):
        seconds = first.seconds * first.outcomes[name].seconds / whole
        if seconds < budget:
            budget -= seconds
            names.append(name)
    return names


def table(rounds: Sequence[Round]) -> str:
    names = sorted({name for one in rounds for name in one.outcomes})
    lines = ["", f"{'trial':<18}{'times':>7}{'tests':>8}{'of':>7}{'tried':>11}{'failed':>8}{'seconds':>9}"]
    for name in names:
        outcomes = [one.outcomes[name] for one in rounds if name in one.outcomes]
        failed = sum(len(one.failed) for one in outcomes)
        tests = sum(len(one.passed) for one in outcomes) + failed
        selected = sum(one.selected for one in outcomes)
        tried = sum(one.tried for one in outcomes)
        seconds = sum(one.seconds for one in outcomes)
        lines.append(f"{name:<18}{len(outcomes):>7}{tests:>8}{selected:>7}{tried:>11,}{failed:>8}{seconds:>9.0f}")
    for one in rounds:
        lines += [f"seed {one.seed}: {fault}" for fault in one.faults]
        for name, outcome in one.outcomes.items():
            options = f"--minutes {one.minutes:g} --only '{name}' --seed {one.seed} --once"
            lines += [f'failed: {test}; again: make campaign ARGS="{options}"' for test in sorted(outcome.failed)]
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    minutes = "how long; every trial runs at least one test, and longer campaigns make more attempts [20]"
    parser.add_argument("--minutes", type=float, default=20, help=minutes)
    at_most = "minutes after which running tests are ended and the campaign fails [three times --minutes]"
    parser.add_argument("--at-most", type=float, metavar="MINUTES", help=at_most)
    seed = "of the first round; each further round adds one [random]"
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help=seed)
    parser.add_argument("--only", nargs="*", default=[], metavar="TRIAL", help="only these trials")
    parser.add_argument("--once", action="store_true", help="only one round")
    resume = "continue the last campaign, which was interrupted or killed, without repeating its finished tests"
    parser.add_argument("--resume", action="store_true", help=resume)
    parser.add_argument("--write", action="store_true", help="add the results to docs/reliability.md")
    parser.add_argument("--list", action="store_true", help="list the trials")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
