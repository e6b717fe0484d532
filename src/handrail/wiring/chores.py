"""What a server does on the side: old evidence goes, and what killed processes and lost callers left behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from handrail.features.desktop.host.execution import ROOT as DESKTOP_EVIDENCE
from handrail.kernel.evidence import utc_now
from handrail.kernel.pruning import Limits, prune
from handrail.kernel.queue_approver import LeftPrompts
from handrail.ports.errors import Conflict, Failure
from handrail.wiring.house import House

_TIDY_AFTER_SECONDS = 5
_TIDY_EVERY_SECONDS = 6 * 3600

logger = logging.getLogger(__name__)


@asynccontextmanager
async def tidying(house: House) -> AsyncIterator[None]:
    """While a server runs, old evidence and leftovers of killed ones go: soon after the start, then every few hours.

    Approvals whose callers went are withdrawn in their time.
    """

    async def tidy() -> None:
        await asyncio.sleep(_TIDY_AFTER_SECONDS)
        while True:
            for chore in (_sweep, _prune_evidence):
                try:
                    await asyncio.to_thread(chore, house)
                except Failure as failure:
                    logger.warning("what should go stays: %s", failure.message)
            await asyncio.sleep(_TIDY_EVERY_SECONDS)

    chores = [asyncio.create_task(tidy()), asyncio.create_task(LeftPrompts(house.prompts).watch())]
    try:
        yield
    finally:
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)


def _sweep(house: House) -> None:
    """Under the lock, so that no write of a live process is taken for a dead one's."""
    own = house.workspace.own
    if own.mode(".gitignore") is not None:
        with suppress(Conflict), house.workspace.lock(patience=0):  # who has no time to wait comes again later
            own.sweep_all(".")
    house.evidence.sweep()


def _prune_evidence(house: House) -> None:
    """The desktop's lies where its contract has it."""
    limits = Limits(timedelta(days=house.settings.evidence_max_days), house.settings.evidence_max_megabytes * 1_000_000)
    house.evidence.prune(limits, utc_now())
    prune(house.project, [DESKTOP_EVIDENCE], limits, utc_now())
