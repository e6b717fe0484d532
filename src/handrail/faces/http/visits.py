"""Requests of agents that are under way: they end when a person revokes the agent's token."""

import asyncio
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.faces.http.answers import refused
from handrail.faces.http.credentials import agent_of
from handrail.ports.agents import Agents

_END: Message = {"type": "http.response.body", "body": b"", "more_body": False}


class Visits:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._under_way: dict[asyncio.Task[Any], str] = {}

    def around(self, app: ASGIApp) -> ASGIApp:
        async def noted(scope: Scope, receive: Receive, send: Send) -> None:
            agent, task = agent_of(scope), asyncio.current_task()
            if agent is None or task is None or scope["type"] != "http":
                await app(scope, receive, send)
                return
            has_started = False

            async def noting(message: Message) -> None:
                nonlocal has_started
                has_started = True
                await send(message)

            self._under_way[task] = agent.identity
            try:
                await app(scope, receive, noting)
            except asyncio.CancelledError:
                if self._agents.is_valid(agent.identity):
                    raise
                task.uncancel()
                if not has_started:
                    await refused("UNAUTHORIZED", "A person has revoked this token.")(scope, receive, send)
                    return
                with suppress(RuntimeError):  # an answer that announced its length can't be ended early
                    await send(_END)
            finally:
                del self._under_way[task]

        return noted

    def end_revoked(self) -> None:
        for task, identity in list(self._under_way.items()):
            if not self._agents.is_valid(identity):
                task.cancel()
