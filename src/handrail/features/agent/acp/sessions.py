"""The agents' processes of a server, one per task: kept between messages, so that the agent remembers its work."""

from pathlib import Path

from handrail.features.agent.acp.known_agents import AcpAgent, agent_of, command
from handrail.features.agent.acp.session import AcpSession
from handrail.ports.errors import NotFound

_MOST = 4


class AcpSessions:
    def __init__(self, project: str, state: Path) -> None:
        self._project = project
        self._state = state
        self._open: dict[str, AcpSession] = {}

    async def of(self, task_id: str, model: str) -> AcpSession:
        """NotFound: it isn't installed. Offline, Timeout: it doesn't start, such as where no cage can be made."""
        agent = agent_of(model)
        assert agent is not None
        known = self._open.pop(task_id, None)
        if known is not None and not (known.is_alive and known.agent == agent):
            await known.close()
            known = None
        session = known or await self._started(agent)
        self._open[task_id] = session  # the one used last is the last
        await self._end_oldest()
        return session

    async def _started(self, agent: AcpAgent) -> AcpSession:
        program = agent.program
        if program is None:
            raise NotFound(
                f"{agent.title} isn't installed.", hint=f"Install `{agent.words[0]}`, or choose another agent."
            )
        session = AcpSession(agent)
        await session.open(command(agent, program, self._project, self._state), self._project)
        return session

    async def _end_oldest(self) -> None:
        """Of too many, the one that was used least recently; what it changed waits for review."""
        while len(self._open) > _MOST:
            await self._open.pop(next(iter(self._open))).close()

    async def close(self) -> None:
        for session in self._open.values():
            await session.close()
        self._open.clear()
