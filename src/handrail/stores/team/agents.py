"""Implements the `Agents` port: members with the role of an agent."""

from collections.abc import Sequence

from handrail.ports.agents import PREFIX, Agent
from handrail.ports.errors import Conflict
from handrail.ports.team import Limits, Member
from handrail.stores.team.members import SAME_MOMENT, TeamMembers


class TeamAgents:
    """Reads the local copy of the members, which is refreshed when a request is authenticated."""

    def __init__(self, members: TeamMembers) -> None:
        self._members = members

    def all(self) -> Sequence[Agent]:
        return [_agent(each) for each in self._members.copy.members.values() if each.role == "agent"]

    def find(self, token: str) -> Agent | None:
        member = self._members.with_token(token)
        return _agent(member) if member is not None and member.role == "agent" else None

    def is_valid(self, identity: str) -> bool:
        if not identity.startswith(PREFIX):
            return True
        return identity.removeprefix(PREFIX) in self._members.copy.members

    async def is_still_valid(self, identity: str) -> bool:
        await self._members.refresh(SAME_MOMENT)
        return self.is_valid(identity)

    def stamp(self) -> object:
        return self._members.copy.version

    def add(self, name: str) -> tuple[Agent, str]:
        member, token = self._members.add(name, "agent", Limits(), owner="", by="console")
        return _agent(member), token

    def remove(self, name: str) -> Agent:
        return _agent(self._members.revoke(name))

    def restore(self, agent: Agent) -> None:
        raise Conflict("A revoked token stays revoked. Issue a new one.")


def _agent(member: Member) -> Agent:
    return Agent(member.id, member.name, member.created_at, member.token_hash)
