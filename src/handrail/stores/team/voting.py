"""Stores votes on approvals, and the rules for how many votes an approval needs."""

import secrets
from collections.abc import Sequence

import msgspec

from handrail.ports.errors import Conflict
from handrail.ports.team import ApprovalRule, Limits, Vote
from handrail.stores.team.database import Row, TeamDatabase

_RULES = "SELECT id, limits, votes FROM approval_rule ORDER BY created_at, id"


class TeamVotes:
    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    async def cast(self, request_id: str, vote: Vote) -> None:
        query = "INSERT INTO vote (request_id, member, name, answer) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
        if await self._database.execute(query, request_id, vote.member, vote.name, vote.answer):
            return
        if vote not in await self.of(request_id):
            raise Conflict("You have already voted on this with another answer.")

    async def of(self, request_id: str) -> Sequence[Vote]:
        query = "SELECT member, name, answer FROM vote WHERE request_id = $1 ORDER BY at, member"
        return [Vote(*row) for row in await self._database.rows(query, request_id)]


class TeamApprovalRules:
    def __init__(self, database: TeamDatabase) -> None:
        self._database = database

    def add(self, limits: Limits, votes: int) -> ApprovalRule:
        rule = ApprovalRule(secrets.token_hex(4), limits, votes)
        query = "INSERT INTO approval_rule (id, limits, votes) VALUES ($1, $2, $3)"
        self._database.run(lambda rows: rows.execute(query, rule.id, msgspec.json.encode(limits), votes))
        return rule

    def remove(self, id: str) -> bool:
        query = "DELETE FROM approval_rule WHERE id = $1"
        return str(self._database.run(lambda rows: rows.execute(query, id))) == "DELETE 1"

    def all(self) -> Sequence[ApprovalRule]:
        return [_rule(row) for row in self._database.run(lambda rows: rows.fetch(_RULES))]

    async def current(self) -> Sequence[ApprovalRule]:
        return [_rule(row) for row in await self._database.rows(_RULES)]


def _rule(row: Row) -> ApprovalRule:
    id, limits, votes = row
    return ApprovalRule(id, msgspec.json.decode(limits, type=Limits), votes)
