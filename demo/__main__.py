"""`python -m demo`: runs the tour. The last line of its output is the path of the report."""

import argparse
import asyncio
import os
import shutil
import signal
import sys
from pathlib import Path

from demo.answers import parse_preset
from demo.demonstration import Demonstration
from demo.error_text import describe_error
from demo.tour_folder import FOLDER, TourFailed, fresh_tour_folder
from handrail.ports.errors import Failure

_NEEDED_PROGRAMS = ("Xvfb", "dbus-daemon", "openbox", "chromium")
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED = 130


def main() -> int:
    parser = argparse.ArgumentParser(prog="make demo", description="A tour of handrail. ANSWER=allow or ANSWER=deny.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="recreated each time")
    parser.add_argument("--quick", action="store_true", help="let the model answer at once")
    options = parser.parse_args()
    try:
        preset = parse_preset(os.environ.get("ANSWER"))
        _check_programs()
        with fresh_tour_folder(options.folder) as tour_folder:
            report = asyncio.run(_stoppable(Demonstration(tour_folder, preset, options.quick)))
    except (TourFailed, Failure, ValueError) as error:
        print(f"make demo: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"make demo: {describe_error(error, options.folder)}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("make demo: stopped, with everything that it had started.", file=sys.stderr)
        return _INTERRUPTED
    print(report, flush=True)
    return 0


async def _stoppable(demonstration: Demonstration) -> Path:
    """Signals cancel the tour; then everything that it started is ended in order, even if more signals come."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for number in _STOPPING:
        loop.add_signal_handler(number, task.cancel)
    try:
        return await demonstration.run()
    finally:
        for number in _STOPPING:
            loop.add_signal_handler(number, lambda: None)
        demonstration.programs.end()


def _check_programs() -> None:
    if missing := [name for name in _NEEDED_PROGRAMS if shutil.which(name) is None]:
        raise TourFailed(f"{', '.join(missing)} is missing: `make demo` installs it.")


if __name__ == "__main__":
    sys.exit(main())
