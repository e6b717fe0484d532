"""Registers the programs that use agents' tokens, so that nothing that they start may answer in a person's name."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.faces.http.credentials import agent_of
from handrail.ports.agents import Agent
from handrail.ports.waiting import run_in_thread

_SECONDS = 30.0
"""How long a client's port is known to be the same program's: the system gives a closed one away after a minute."""

_MOST_PIDS = 20

Address = tuple[str, int]
Register = Callable[[Address, Address, Sequence[int]], int | None]


class AgentClients:
    """`register` takes the ends of a connection and likely pids, and returns the client's pid; it blocks.

    `clock` is in seconds.
    """

    def __init__(self, register: Register, clock: Callable[[], float] = time.monotonic) -> None:
        self._register = register
        self._clock = clock
        self._pids: list[int] = []
        self._until: dict[tuple[str, int], float] = {}

    def wrap(self, app: ASGIApp) -> ASGIApp:
        async def registered(scope: Scope, receive: Receive, send: Send) -> None:
            if (agent := agent_of(scope)) is not None:
                await self.note(scope, agent)
            await app(scope, receive, send)

        return registered

    async def note(self, scope: Scope, agent: Agent) -> None:
        """Called before the request is answered, while the program that sent it still waits."""
        client, server, now = scope.get("client"), scope.get("server"), self._clock()
        if client is None or server is None or self._until.get(key := (agent.identity, int(client[1])), 0.0) > now:
            return
        self._until = {known: until for known, until in self._until.items() if until > now} | {key: now + _SECONDS}
        pid = await run_in_thread(lambda: self._register(_address(client), _address(server), self._pids))
        if pid is not None:
            self._pids = [pid, *(other for other in self._pids if other != pid)][:_MOST_PIDS]


def _address(end: Sequence[Any]) -> Address:
    return str(end[0]), int(end[1])
