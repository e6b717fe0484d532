"""Lists the tasks of a project, and exports one as a page."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.agent.offers import unmarked
from handrail.features.history.story import CallContent, Message, Story, TaskSummary, build_story, list_tasks
from handrail.ports.atomic_file import Replacement
from handrail.ports.errors import Conflict, InputOutput
from handrail.ports.model import AssistantTurn, Note, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from handrail.kernel.project import Project
    from handrail.ports.browser_store import BrowserStores
    from handrail.ports.model import Turn

_MOST_TURNS = 1_000_000
_MARK_WITHIN = 256


def task_summaries(project: Project) -> Sequence[TaskSummary]:
    return list_tasks(project.audit, project.location)


def write_report(project: Project, task: str | None, to: Path, *, force: bool = False) -> Story:
    """Exports a task or every call. The file is written completely or not at all, and only its owner can read it.

    Raises Conflict if the file exists and isn't a report, unless `force` is set.
    """
    if not force and not _may_replace(to):
        raise Conflict(f"{to} exists and isn't a report.", hint="Choose another file, or add --force.")
    story, pieces = make_report(project, task)
    _write(to, pieces)
    return story


def make_report(project: Project, task: str | None) -> tuple[Story, Iterable[str]]:
    """Makes the report of a task or of every call. Blocks and runs its own event loop, so don't call it from one."""
    from handrail.features.history.report.page import page

    title, messages, contents = (
        ("", (), {}) if task is None else asyncio.run(read_conversation(project.stores.browser(), task))
    )
    story = build_story(
        project.audit, project.evidence, project.location, task, title=title, messages=messages, contents=contents
    )
    return story, page(story, datetime.now(UTC))


async def read_conversation(
    stores: BrowserStores, task: str
) -> tuple[str, Sequence[Message], Mapping[str, CallContent]]:
    """Returns the title, messages and call contents of a task that has a conversation."""
    try:
        task_entry = await stores.tasks.find(task)
        if task_entry is None:
            return "", (), {}
        messages = [
            Message(message.role, message.content, message.timestamp) for message in await stores.tasks.messages(task)
        ]
        turns = await stores.runs.page(task, None, _MOST_TURNS)
        messages += [Message("system", entry.turn.text, entry.at) for entry in turns if isinstance(entry.turn, Note)]
        return task_entry.title, messages, _call_contents([entry.turn for entry in turns])
    finally:
        await stores.close()


def _call_contents(turns: Sequence[Turn]) -> dict[str, CallContent]:
    results = {turn.execution_id: unmarked(turn.text) for turn in turns if isinstance(turn, ToolResult)}
    uses = [use for turn in turns if isinstance(turn, AssistantTurn) for use in turn.uses]
    return {use.execution_id: CallContent(use.arguments, results.get(use.execution_id, "")) for use in uses}


def _may_replace(file: Path) -> bool:
    from handrail.features.history.report.page import MARK

    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            return MARK.encode() in opened.read(_MARK_WITHIN)
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
