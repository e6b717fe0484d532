"""What agents may do without asking: the rules of config.toml and what was allowed for a task, as one list."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from handrail.kernel.grants import has_ended, rule_of
from handrail.kernel.policy import rule_id, utc_now
from handrail.kernel.visible import one_line
from handrail.ports.errors import NotFound
from handrail.ports.grants import TaskGrant
from handrail.ports.policy import Rule
from handrail.ports.stores import Stores
from handrail.ports.waiting import settled

Row = dict[str, Any]
_KEPT_SECONDS = 600.0


async def listed(stores: Stores) -> list[Row]:
    """Each with an id by which it can be removed; what has ended is marked."""
    rows = [_of_rule(rule) for rule in await settled(stores.rules)]
    return [*rows, *(_of_grant(given) for given in await stores.grants.given())]


async def remove(stores: Stores, id: str) -> Row:
    """It counts for the next call, in every process. NotFound."""
    for rule in await settled(stores.rules):
        if rule_id(rule) == id and await settled(partial(stores.remove_rule, rule)):
            return _of_rule(rule)
    for given in await stores.grants.given():
        if given.id == id and await stores.grants.revoke(id):
            return _of_grant(given)
    raise NotFound(f"There is no rule {id}.", hint="`handrail rules` lists them.", id=id)


class RemovedRules:
    """What a person has removed a moment ago, to bring it back if that was a mistake."""

    def __init__(self, stores: Stores, clock: Callable[[], float] = time.monotonic) -> None:
        self._stores = stores
        self._clock = clock
        self._kept: dict[str, tuple[float, Rule | TaskGrant]] = {}

    async def remove(self, id: str) -> Row:
        found: list[Rule | TaskGrant] = [rule for rule in await settled(self._stores.rules) if rule_id(rule) == id]
        found += [given for given in await self._stores.grants.given() if given.id == id]
        row = await remove(self._stores, id)
        self._kept = {each: kept for each, kept in self._kept.items() if self._is_fresh(kept[0])}
        if found:
            self._kept[id] = self._clock(), found[0]
        return row

    async def restore(self, id: str) -> Row:
        """NotFound where it was not removed here within the last minutes."""
        at, kept = self._kept.pop(id, (0.0, None))
        if kept is None or not self._is_fresh(at):
            raise NotFound(f"The rule {id} can't be restored any more.", hint="Allow it again when it is asked.", id=id)
        if isinstance(kept, TaskGrant):
            return _of_grant(await self._stores.grants.give(kept.grant, caller=kept.caller, by=kept.by))
        await self._stores.allow("restored after it was removed", kept)
        return _of_rule(kept)

    def _is_fresh(self, at: float) -> bool:
        return self._clock() - at < _KEPT_SECONDS


def _of_rule(rule: Rule) -> Row:
    members = msgspec.to_builtins(rule)
    return {
        "id": rule_id(rule),
        "kind": "rule",
        **{name: one_line(value) if isinstance(value, str) else value for name, value in members.items()},
        "hasEnded": rule.has_expired(utc_now()),
    }


def _of_grant(given: TaskGrant) -> Row:
    grant = given.grant
    row = _of_rule(rule_of(grant))
    return {
        **row,
        "id": given.id,
        "kind": "task",
        "task": one_line(grant.task),
        "caller": one_line(given.caller),
        "by": one_line(given.by),
        "at": given.at,
        "hasEnded": has_ended(grant, utc_now()),
    }
