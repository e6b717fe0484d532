"""Maintains the audit while a server runs: signs checkpoints, reports damage and removes old evidence."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from handrail.kernel.audit import Audit
from handrail.kernel.checks import Check
from handrail.kernel.evidence import utc_now
from handrail.kernel.pruning import Limits
from handrail.kernel.record_check import quick_check
from handrail.ports.errors import Failure

if TYPE_CHECKING:
    from handrail.kernel.checkpoint_maker import CheckpointMaker
    from handrail.kernel.checks import CheckContext
    from handrail.kernel.project import Project

logger = logging.getLogger(__name__)

_CHECKPOINT_EVERY = 60.0
"""Each process signs its own records; this is for processes that were killed before they could."""

_FAULT_HINT = "`handrail audit verify` shows details, `handrail audit accept` accepts the current state."

_EDIT_HINT = "If that was you, accept it with `handrail audit accept`; if not, check the file."


@asynccontextmanager
async def maintain_record(project: Project) -> AsyncIterator[None]:
    keeper = project.audit.keeper
    if keeper is None:
        yield
        return
    try:
        findings = await asyncio.to_thread(quick_check, keeper.stores, project.audit)
        for fault in findings.faults:
            logger.error("the record was changed: %s", fault)
        for edit in findings.edits:
            logger.info("%s: if that was you, accept it with `handrail audit accept`", edit)
    except Failure as failure:
        logger.error("the record can't be checked: %s", failure.message)
    task = asyncio.create_task(_make_checkpoints(keeper)) if project.is_server else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _make_checkpoints(keeper: CheckpointMaker) -> None:
    """Also signs what other processes wrote before they were killed."""
    while True:
        try:
            await asyncio.to_thread(keeper.checkpoint)
        except (Failure, OSError) as failure:
            logger.warning("no checkpoint of the audit was made: %s", failure)
        await asyncio.sleep(_CHECKPOINT_EVERY)


def checks(context: CheckContext) -> Iterator[Check]:
    try:
        stores = context.program.open_stores(context.state)
        findings = quick_check(stores.record(), Audit(stores.audit))
    except Failure as failure:
        yield Check("record", False, failure.message, failure.hint or _FAULT_HINT, required=False)
        return
    for fault in findings.faults:
        yield Check("record", False, fault, _FAULT_HINT)
    for edit in findings.edits:
        yield Check("record", False, edit, _EDIT_HINT, required=False)
    if not findings.faults and not findings.edits:
        witness = stores.record().witness
        intact = "as it was at the last checkpoint; no witness is set up"
        if witness is not None:
            intact = f"as it was at the last checkpoint; witness {witness.name}"
        yield Check("record", True, intact, required=False)


def tidy(project: Project) -> None:
    """Removes old evidence according to the settings, and records which."""
    settings = project.settings
    project.evidence.sweep()
    project.evidence.make_private()
    limits = Limits(timedelta(days=settings.evidence_max_days), settings.evidence_max_megabytes * 1_000_000)
    days = project.evidence.prune(limits, utc_now())
    if days:
        project.audit.append({"event": "pruned", "project": project.location, "days": days})
