"""Runs a hook without a server: the same gate, in this process. Slower, because everything has to be imported first."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.hooks.hook_event import HookCaller, answer_event
from handrail.kernel.queue_approver import AskInQueue

if TYPE_CHECKING:
    from handrail.features.hooks.cli.fast import Arguments
    from handrail.features.hooks.hook_event import HookAnswer
    from handrail.kernel.program import Program
    from handrail.kernel.project import Project

_IMPORT_SECONDS = 2.0


def answer(program: Program, arguments: Arguments, data: bytes) -> tuple[int, bytes, bytes]:
    state = None if arguments.state is None else Path(arguments.state)
    project = program.open_project(Path(arguments.project), state, AskInQueue())
    try:
        program.machine.register_agent(project.stores.path)
        hook_caller = HookCaller(program.machine.agent_identity())
        seconds = max(0.5, arguments.seconds - min(_IMPORT_SECONDS, arguments.seconds / 4))
        hook_answer = asyncio.run(_answer_event(project, hook_caller, arguments.client, data, seconds))
    finally:
        project.close()
    return hook_answer.status, hook_answer.out, hook_answer.err


async def _answer_event(
    project: Project, hook_caller: HookCaller, client: str, data: bytes, seconds: float
) -> HookAnswer:
    async def forever() -> None:
        await asyncio.get_running_loop().create_future()

    async with project.in_use():
        return await answer_event(project, hook_caller, client, data, seconds, forever)
