"""Answers requests that are cancelled: because the server stops, or because a person revoked the agent's token."""

import asyncio
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handrail.faces.http.answers import refused
from handrail.faces.http.credentials import agent_of
from handrail.ports.agents import Agents

_END: Message = {"type": "http.response.body", "body": b"", "more_body": False}


class _Answer:
    """Sends a request's answer and, if the request is cancelled, an error or the end of what was begun."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._has_started = False

    async def send(self, message: Message) -> None:
        self._has_started = True
        await self._send(message)

    async def cancel(self, code: str, why: str) -> None:
        if not self._has_started:
            await refused(code, why)(self._scope, self._receive, self._send)
            return
        with suppress(RuntimeError):  # an answer with a content-length can't be ended early
            await self._send(_END)


class ShutdownAnswer:
    """The outermost middleware: tells clients that the server is stopping."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _Answer(scope, receive, send)
        try:
            await self._app(scope, receive, answer.send)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            await answer.cancel("UNAVAILABLE", "handrail is stopping; the call was stopped.")


class AgentRequests:
    """The running requests of agents, which end when the agent's token is revoked."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._running: dict[asyncio.Task[Any], str] = {}

    def wrap(self, app: ASGIApp) -> ASGIApp:
        async def tracked(scope: Scope, receive: Receive, send: Send) -> None:
            agent, task = agent_of(scope), asyncio.current_task()
            if agent is None or task is None or scope["type"] != "http":
                await app(scope, receive, send)
                return
            answer = _Answer(scope, receive, send)
            self._running[task] = agent.identity
            try:
                await app(scope, receive, answer.send)
            except asyncio.CancelledError:
                if self._agents.is_valid(agent.identity):
                    raise
                task.uncancel()
                await answer.cancel("UNAUTHORIZED", "A person has revoked this token.")
            finally:
                del self._running[task]

        return tracked

    def cancel_revoked(self) -> None:
        for task, identity in list(self._running.items()):
            if not self._agents.is_valid(identity):
                task.cancel()
