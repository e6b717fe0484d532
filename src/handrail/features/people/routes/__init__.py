"""The queue of questions in the console."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handrail.faces.http.context import HttpContext
from handrail.faces.http.mount import Mount
from handrail.faces.socketio.rooms import Rooms
from handrail.features.people.routes import prompts
from handrail.features.people.routes.prompt_board import PromptBoard


def mount(context: HttpContext) -> Mount:
    queue = context.project.stores.prompts
    board = PromptBoard(queue)

    @asynccontextmanager
    async def running(address: str, rooms: Rooms) -> AsyncIterator[None]:
        async with board.run():
            yield

    return Mount(prompts.routes(queue, board, context.person), {"ui_prompts": ("entries", board.follow)}, running)
