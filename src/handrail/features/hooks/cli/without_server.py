"""A hook while no server runs: the same gate, in this process. Slower, because everything has to be loaded first."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.hooks.hook_event import Asker, answer_event
from handrail.kernel.queue_approver import AskInQueue

if TYPE_CHECKING:
    from handrail.features.hooks.cli.fast import Arguments
    from handrail.features.hooks.hook_event import HookAnswer
    from handrail.kernel.program import Program
    from handrail.kernel.project import Project

_LOADING_SECONDS = 2.0


def answer(program: Program, arguments: Arguments, data: bytes) -> tuple[int, bytes, bytes]:
    state = None if arguments.state is None else Path(arguments.state)
    project = program.open_project(Path(arguments.project), state, AskInQueue())
    try:
        program.machine.register_agent(project.stores.path)
        asker = Asker(program.machine.agent_identity(), f"uid:{os.getuid()} pid:{os.getpid()}")
        seconds = max(0.5, arguments.seconds - min(_LOADING_SECONDS, arguments.seconds / 4))
        found = asyncio.run(_answered(project, asker, arguments.client, data, seconds))
    finally:
        project.close()
    return found.status, found.out, found.err


async def _answered(project: Project, asker: Asker, client: str, data: bytes, seconds: float) -> HookAnswer:
    async def forever() -> None:
        await asyncio.get_running_loop().create_future()

    async with project.in_use():
        return await answer_event(project, asker, client, data, seconds, forever)
