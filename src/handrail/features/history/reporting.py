"""`handrail report`: which tasks there were, and one of them as a page."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.agent.offers import unmarked
from handrail.features.history.story import Exchange, Story, TaskSummary, Word, tasks, tell
from handrail.ports.atomic_file import Replacement
from handrail.ports.errors import Conflict, InputOutput
from handrail.ports.model import AssistantTurn, Note, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from handrail.kernel.project import Project
    from handrail.ports.browser_store import BrowserStores
    from handrail.ports.model import Turn

_MOST_TURNS = 1_000_000
_MARKED_WITHIN = 256


def task_summaries(project: Project) -> Sequence[TaskSummary]:
    return tasks(project.audit, project.location)


def write_report(project: Project, task: str | None, to: Path, *, force: bool = False) -> Story:
    """Of a task, or of every call. The page is whole or not there; it is its owner's alone.

    Conflict where there is a file that isn't a report, unless it is forced.
    """
    if not force and not _may_be_replaced(to):
        raise Conflict(f"{to} is there already and isn't a report.", hint="Name another file, or add --force.")
    story, pieces = report_of(project, task)
    _write(to, pieces)
    return story


def report_of(project: Project, task: str | None) -> tuple[Story, Iterable[str]]:
    """Of a task, or of every call. Blocks, and runs a loop of its own: not to be called from within one."""
    from handrail.features.history.report.page import page

    title, words, exchanges = (
        ("", (), {}) if task is None else asyncio.run(conversation_of(project.stores.browser(), task))
    )
    story = tell(project.audit, project.evidence, project.location, task, title=title, words=words, exchanges=exchanges)
    return story, page(story, datetime.now(UTC))


async def conversation_of(stores: BrowserStores, task: str) -> tuple[str, Sequence[Word], Mapping[str, Exchange]]:
    """The task's title, what was said in it and what its agent gave and got, where it is one of the browser's."""
    try:
        found = await stores.tasks.find(task)
        if found is None:
            return "", (), {}
        words = [Word(said.role, said.content, said.timestamp) for said in await stores.tasks.messages(task)]
        turns = await stores.runs.page(task, None, _MOST_TURNS)
        words += [Word("system", one.turn.text, one.at) for one in turns if isinstance(one.turn, Note)]
        return found.title, words, _exchanges([one.turn for one in turns])
    finally:
        await stores.close()


def _exchanges(turns: Sequence[Turn]) -> dict[str, Exchange]:
    told = {turn.execution_id: unmarked(turn.text) for turn in turns if isinstance(turn, ToolResult)}
    uses = [use for turn in turns if isinstance(turn, AssistantTurn) for use in turn.uses]
    return {use.execution_id: Exchange(use.arguments, told.get(use.execution_id, "")) for use in uses}


def _may_be_replaced(file: Path) -> bool:
    from handrail.features.history.report.page import MARK

    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            return MARK.encode() in opened.read(_MARKED_WITHIN)
    except FileNotFoundError:
        return not file.is_symlink()
    except OSError:
        return False


def _write(to: Path, pieces: Iterable[str]) -> None:
    try:
        page = Replacement(to.absolute())
        try:
            for piece in pieces:
                page.write(piece.encode())
            page.commit()
        finally:
            page.close()
    except OSError as error:
        raise InputOutput(f"The report can't be written to {to}: {error.strerror or error}.") from None
