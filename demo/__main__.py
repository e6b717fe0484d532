"""`python -m demo`: the tour from beginning to end; its last line is the path of the report."""

import argparse
import asyncio
import os
import shutil
import signal
import sys
import time
from pathlib import Path

from demo.answers import Preset, answering, preset_of
from demo.desktop import open_desktop
from demo.ground import ROOT, Ground, NotPossible, fresh_ground
from demo.house import House, open_house
from demo.page import open_page
from demo.programs import Programs
from demo.teller import Teller
from handrail.core.mimo.task_ids import new_task_id

WISH = "Players say that the pier is dark and that its bell never rings. Find out why, mend it, and show me that it works."
_NEEDED = ("Xvfb", "dbus-daemon", "openbox", "chromium")
_INTERRUPTED = 130


def main() -> int:
    parser = argparse.ArgumentParser(prog="make demo", description="A tour of handrail. ANSWER=allow or ANSWER=deny.")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "demo", help="made anew each time")
    folder: Path = parser.parse_args().folder
    teller = Teller()
    try:
        preset = preset_of(os.environ.get("ANSWER"))
        _check_programs()
        with fresh_ground(folder) as ground:
            report = asyncio.run(_stoppable(ground, preset, teller))
    except (NotPossible, ValueError) as why:
        print(f"make demo: {why}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("make demo: stopped; everything that it had started is ended.", file=sys.stderr)
        return _INTERRUPTED
    print(report, flush=True)
    return 0


async def _stoppable(ground: Ground, preset: Preset | None, teller: Teller) -> Path:
    """SIGINT and SIGTERM stop what is under way; what was started is ended in order, whatever comes then."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    programs = Programs(ground.logs)
    try:
        return await _demonstrate(ground, programs, preset, teller)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, lambda: None)
        programs.end()


async def _demonstrate(ground: Ground, programs: Programs, preset: Preset | None, teller: Teller) -> Path:
    began = time.monotonic()
    teller.title("handrail: a tour with a scripted model, on a copy of the example game")
    env = await open_desktop(ground, programs)
    house = await open_house(ground, programs, env)
    task = new_task_id()
    teller.line(f"Server, browser and a desktop of its own run in {ground.folder}. Nothing of yours is touched.")
    teller.line("Watch, and answer if you like, in the console; this address lets one browser in, within ten minutes:")
    teller.address(await house.console(f"chat/{task}"))
    async with answering(ground.state, preset, teller) as answers:
        await _tour(house, task, teller)
        report = await house.report(task)
        took = time.monotonic() - began
        teller.title(f"The tour is over: {answers.count} questions were answered, {took:.0f} s")
        if preset is None:
            report = await _look_round(house, task, teller, report)
    return report


async def _tour(house: House, task: str, teller: Teller) -> None:
    """Until the agent waits for the person's next words."""
    async with open_page("127.0.0.1", house.port, house.token, task) as page:
        teller.says("Person", WISH)
        await page.say(WISH, mode="plan")
        async for event in page.events():
            teller.event(event)
            if event["type"] == "runStatus" and event["status"] in ("waiting", "ended"):
                if trouble := event.get("trouble"):
                    raise NotPossible(f"The tour came to a halt: {trouble}")
                return
    raise NotPossible(f"The server has ended in the middle of the tour; its log is in {house.ground.logs}.")


async def _look_round(house: House, task: str, teller: Teller, report: Path) -> Path:
    """Until Ctrl-C. What was done meanwhile is in the report, too."""
    teller.line(f"Its report is {report}.")
    teller.line("The console stays open for looking round, until Ctrl-C. Another address for it:")
    teller.address(await house.console(f"chat/{task}"))
    me = asyncio.current_task()
    assert me is not None
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        me.uncancel()
    return await house.report(task)


def _check_programs() -> None:
    if missing := [name for name in _NEEDED if shutil.which(name) is None]:
        raise NotPossible(f"{', '.join(missing)} is missing: `make demo` installs it.")


if __name__ == "__main__":
    sys.exit(main())
