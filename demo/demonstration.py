"""The tour, from the first program that is started to the report. Who stops it, and when, is not known here."""

import asyncio
import time
from pathlib import Path

from demo.answers import Preset, answering
from demo.desktop import open_desktop
from demo.ground import Ground, NotPossible
from demo.page import open_page
from demo.programs import Programs
from demo.rig import Rig, open_rig
from demo.teller import Teller
from handrail.kernel.task_ids import new_task_id

WISH = (
    "Players say that the pier is dark and that its bell never rings. Find out why, mend it, and show me that it works."
)


class Demonstration:
    """`programs` must be ended by whoever runs it."""

    def __init__(self, ground: Ground, preset: Preset | None, is_quick: bool) -> None:
        self.programs = Programs(ground.logs)
        self._ground = ground
        self._preset = preset
        self._is_quick = is_quick
        self._teller = Teller()
        self._task = new_task_id()

    async def run(self) -> Path:
        """The report."""
        began = time.monotonic()
        self._teller.title("handrail: a tour with a scripted model, on a copy of the example game")
        env = await open_desktop(self._ground, self.programs)
        rig = await open_rig(self._ground, self.programs, env, is_quick=self._is_quick)
        self._teller.line(
            f"A server, a browser and a desktop of its own run in {self._ground.folder}; nothing of yours is touched.\n"
            "Watch, and answer if you like, in the console. This address lets one browser in, within ten minutes:"
        )
        self._teller.address(await rig.console(f"chat/{self._task}"))
        async with answering(self._ground.state, self._preset, self._teller) as answers:
            await self._tour(rig)
            report = await rig.report(self._task)
            took = time.monotonic() - began
            self._teller.title(f"The tour is over: {answers.count} questions were answered, {took:.0f} s")
            if self._preset is None:
                await self._look_round(rig, report)
                report = await rig.report(self._task)  # with what was done meanwhile
        return report

    async def _tour(self, rig: Rig) -> None:
        """Until the agent waits for the person's next words."""
        async with open_page(await rig.console(""), self._task) as page:
            self._teller.says("Person", WISH)
            await page.say(WISH, mode="plan")
            async for event in page.events():
                self._teller.event(event)
                match event:
                    case {"type": "runStatus", "status": "waiting" | "ended", "trouble": str(trouble)}:
                        raise NotPossible(f"The tour came to a halt: {trouble}")
                    case {"type": "runStatus", "status": "waiting" | "ended"}:
                        return
        raise NotPossible(f"The server has ended in the middle of the tour; its log is in {self._ground.logs}.")

    async def _look_round(self, rig: Rig, report: Path) -> None:
        """Until Ctrl-C."""
        self._teller.line(
            f"Its report is {report}.\nThe console stays open for looking round, until Ctrl-C. Another address for it:"
        )
        self._teller.address(await rig.console(f"chat/{self._task}"))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            self._teller.line("")  # the terminal shows ^C where its cursor was
