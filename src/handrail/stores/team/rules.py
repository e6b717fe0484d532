"""Stores permission rules for the whole team."""

from collections.abc import Sequence

import msgspec

from handrail.ports.policy import Rule
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.members import SAME_MOMENT, TeamMembers


class TeamRules:
    def __init__(self, database: TeamDatabase, members: TeamMembers) -> None:
        self._database = database
        self._members = members

    async def refresh(self) -> None:
        await self._members.refresh(SAME_MOMENT)

    def stamp(self) -> object:
        return self._members.copy.version

    def all(self) -> Sequence[Rule]:
        return self._members.load().rules

    async def allow(self, remark: str, rule: Rule) -> None:
        added = "INSERT INTO rule (rule, remark) VALUES ($1, $2)"
        await self._database.execute(added, msgspec.json.encode(rule), remark)

    def remove(self, rule: Rule) -> bool:
        removal = "DELETE FROM rule WHERE rule = $1"
        return str(self._database.run(lambda rows: rows.execute(removal, msgspec.json.encode(rule)))) != "DELETE 0"
