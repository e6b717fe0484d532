"""`python -m demo`: the tour from beginning to end; its last line is the path of the report."""

import argparse
import asyncio
import os
import shutil
import signal
import sys
from pathlib import Path

from demo.answers import preset_of
from demo.demonstration import Demonstration
from demo.ground import FOLDER, NotPossible, fresh_ground
from demo.trouble import told
from handrail.ports.errors import Failure

_NEEDED = ("Xvfb", "dbus-daemon", "openbox", "chromium")
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED = 130


def main() -> int:
    parser = argparse.ArgumentParser(prog="make demo", description="A tour of handrail. ANSWER=allow or ANSWER=deny.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="recreated each time")
    parser.add_argument("--quick", action="store_true", help="let the model answer at once")
    given = parser.parse_args()
    try:
        preset = preset_of(os.environ.get("ANSWER"))
        _check_programs()
        with fresh_ground(given.folder) as ground:
            report = asyncio.run(_stoppable(Demonstration(ground, preset, given.quick)))
    except (NotPossible, Failure, ValueError) as why:
        print(f"make demo: {why}", file=sys.stderr)
        return 1
    except OSError as why:
        print(f"make demo: {told(why, given.folder)}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("make demo: stopped; everything that it had started is ended.", file=sys.stderr)
        return _INTERRUPTED
    print(report, flush=True)
    return 0


async def _stoppable(demonstration: Demonstration) -> Path:
    """SIGINT and SIGTERM stop what is under way; what was started is ended in order, whatever comes then."""
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
    if missing := [name for name in _NEEDED if shutil.which(name) is None]:
        raise NotPossible(f"{', '.join(missing)} is missing: `make demo` installs it.")


if __name__ == "__main__":
    sys.exit(main())
