"""The tour, from starting the first program to the report. Signals are handled in `__main__.py`."""

import asyncio
import time
from pathlib import Path

from demo.answers import Preset, answer_questions
from demo.desktop import open_desktop
from demo.page import open_page
from demo.programs import Programs
from demo.rig import Rig, open_rig
from demo.tour_folder import TourFailed, TourFolder
from demo.tour_printer import TourPrinter
from handrail.kernel.task_ids import new_task_id

WISH = (
    "Players say that the pier is dark and that its bell never rings. Find out why, fix it, and show me that it works."
)


class Demonstration:
    """The caller has to end `programs`."""

    def __init__(self, tour_folder: TourFolder, preset: Preset | None, is_quick: bool) -> None:
        self.programs = Programs(tour_folder.logs)
        self._tour_folder = tour_folder
        self._preset = preset
        self._is_quick = is_quick
        self._printer = TourPrinter()
        self._task = new_task_id()

    async def run(self) -> Path:
        """Returns the report's path."""
        started = time.monotonic()
        self._printer.title("handrail: a tour with a scripted model, on a copy of the example game")
        env = await open_desktop(self._tour_folder, self.programs)
        rig = await open_rig(self._tour_folder, self.programs, env, is_quick=self._is_quick)
        self._printer.line(
            f"It runs its own server, browser and desktop in {self._tour_folder.folder}; nothing of yours is touched.\n"
            "Watch, and answer if you like, in the console (one-time link, expires in 10 min):"
        )
        self._printer.address(await rig.console(f"chat/{self._task}"))
        async with answer_questions(self._tour_folder.state, self._preset, self._printer) as answers:
            await self._tour(rig)
            report = await rig.report(self._task)
            seconds = time.monotonic() - started
            self._printer.title(f"The tour is over: {answers.count} questions were answered in {seconds:.0f} s")
            if self._preset is None:
                await self._keep_open(rig, report)
                report = await rig.report(self._task)  # with what was done since
        return report

    async def _tour(self, rig: Rig) -> None:
        """Runs until the agent waits for the person's next message."""
        async with open_page(await rig.console(""), self._task) as page:
            self._printer.says("Person", WISH)
            await page.say(WISH, mode="plan")
            async for event in page.events():
                self._printer.event(event)
                match event:
                    case {"type": "runStatus", "status": "waiting" | "ended", "trouble": str(trouble)}:
                        raise TourFailed(f"The tour stopped: {trouble}")
                    case {"type": "runStatus", "status": "waiting" | "ended"}:
                        return
        raise TourFailed(f"The server ended in the middle of the tour; its log is in {self._tour_folder.logs}.")

    async def _keep_open(self, rig: Rig, report: Path) -> None:
        """Runs until Ctrl-C."""
        self._printer.line(f"Its report is {report}.\nThe console stays open until Ctrl-C. Another one-time link:")
        self._printer.address(await rig.console(f"chat/{self._task}"))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            self._printer.line("")  # continues below the ^C that the terminal shows
