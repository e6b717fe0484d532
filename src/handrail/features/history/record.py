"""The record while a server runs: checkpoints of what any process wrote, and a word at the start about damage."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from handrail.kernel.audit import Audit
from handrail.kernel.checks import Check
from handrail.kernel.record_check import quick_check
from handrail.ports.errors import Failure

if TYPE_CHECKING:
    from handrail.kernel.checkpoint_maker import CheckpointMaker
    from handrail.kernel.checks import CheckContext
    from handrail.kernel.project import Project

logger = logging.getLogger(__name__)

_LOOK_EVERY = 60.0
"""Each process signs its own records; this is for those that were killed before they could."""

_FIX = "`handrail audit verify` says more, `handrail audit accept` takes the state as it is for the right one."

_YOURS = "If that was you, `handrail audit accept` says so; if not, look at the file."


@asynccontextmanager
async def kept_record(project: Project) -> AsyncIterator[None]:
    keeper = project.audit.keeper
    if keeper is None:
        yield
        return
    try:
        found = await asyncio.to_thread(quick_check, keeper.stores, project.audit)
        for fault in found.faults:
            logger.error("the record is not as it was written: %s", fault)
        for edit in found.edits:
            logger.info("%s: if that was you, `handrail audit accept` says so", edit)
    except Failure as failure:
        logger.error("the record can't be checked: %s", failure.message)
    keeping = asyncio.create_task(_keep(keeper)) if project.is_server else None
    try:
        yield
    finally:
        if keeping is not None:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)


async def _keep(keeper: CheckpointMaker) -> None:
    """What other processes have written is signed too, also where they were killed."""
    while True:
        try:
            await asyncio.to_thread(keeper.checkpoint)
        except (Failure, OSError) as failure:
            logger.warning("no checkpoint of the audit was made: %s", failure)
        await asyncio.sleep(_LOOK_EVERY)


def checks(context: CheckContext) -> Iterator[Check]:
    try:
        stores = context.program.open_stores(context.state)
        found = quick_check(stores.record(), Audit(stores.audit))
    except Failure as failure:
        yield Check("record", False, failure.message, failure.hint or _FIX, required=False)
        return
    for fault in found.faults:
        yield Check("record", False, fault, _FIX)
    for edit in found.edits:
        yield Check("record", False, edit, _YOURS, required=False)
    if not found.faults and not found.edits:
        witness = stores.record().witness
        seen = "no witness is set up" if witness is None else f"witness {witness.name}"
        yield Check("record", True, f"as it was at the last checkpoint; {seen}", required=False)
