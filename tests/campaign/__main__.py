"""`python -m tests.campaign`: runs the long trials and prints a table of what was tried and found."""

import argparse
import random
import signal
import sys
import time
from collections.abc import Sequence

from scripts import again
from tests.campaign.trials import Trial, all_trials

_INTERRUPTED = 130


def main() -> int:
    options = _options()
    # A shell has its background processes ignore the first, and so would the tests.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    deadline = time.monotonic() + options.minutes * 60
    trials = all_trials(options.seed)
    if options.list:
        print(*(trial.name for trial in trials), sep="\n")
        return 0
    if unknown := set(options.only) - {trial.name for trial in trials}:
        sys.exit(f"no such trial: {', '.join(sorted(unknown))}; --list names them")
    wanted = [trial for trial in trials if not options.only or trial.name in options.only]
    is_interrupted = False
    try:
        for trial in wanted:
            trial.run(options.seed)
        _go_on(wanted, options.seed, deadline)
    except KeyboardInterrupt:
        is_interrupted = True
    print(table(wanted), flush=True)
    if is_interrupted:
        print("Interrupted.")
        return _INTERRUPTED
    failed = [(trial, test, outcome.seed) for trial in wanted for outcome in trial.outcomes for test in outcome.failed]
    if len(failed) > again.left():
        return 1
    again.note(test for _, test, _ in failed)
    passed = [trial.passes(test, seed) for trial, test, seed in failed]
    return 0 if all(passed) else 1


def _go_on(trials: Sequence[Trial], seed: int, deadline: float) -> None:
    """Rounds with other seeds; what would not be done in time is not begun."""
    order = random.Random(seed)

    def fits(trial: Trial) -> bool:
        return time.monotonic() + trial.outcomes[-1].seconds < deadline

    while fitting := list(filter(fits, trials)):
        seed += 1
        for trial in order.sample(fitting, len(fitting)):
            if fits(trial):
                trial.run(seed)


def table(trials: Sequence[Trial]) -> str:
    lines = ["", f"{'trial':<14}{'times':>7}{'tests':>8}{'failed':>8}{'seconds':>9}"]
    for trial in trials:
        tests = sum(outcome.passed + len(outcome.failed) for outcome in trial.outcomes)
        failed = sum(len(outcome.failed) for outcome in trial.outcomes)
        seconds = sum(outcome.seconds for outcome in trial.outcomes)
        lines.append(f"{trial.name:<14}{len(trial.outcomes):>7}{tests:>8}{failed:>8}{seconds:>9.0f}")
    for trial in trials:
        for outcome in trial.outcomes:
            again = f"--minutes 0 --only {trial.name} --seed {outcome.seed}"
            lines += [f'failed: {test}; again: make campaign ARGS="{again}"' for test in outcome.failed]
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    minutes = "once every trial has run, begin nothing that would end later than that (20)"
    parser.add_argument("--minutes", type=float, default=20, help=minutes)
    seed = "of the first round; further rounds count on from it (a different one each time)"
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help=seed)
    parser.add_argument("--only", nargs="*", default=[], metavar="TRIAL", help="these trials alone")
    parser.add_argument("--list", action="store_true", help="name the trials and end")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
