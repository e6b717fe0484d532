"""What agents may do without asking: the rules of config.toml and what was allowed for a task, as one list."""

from functools import partial
from typing import Any

import msgspec

from handrail.kernel.grants import has_expired, rule_from_grant
from handrail.kernel.policy import rule_id, utc_now
from handrail.kernel.visible import one_line
from handrail.ports.errors import NotFound
from handrail.ports.grants import TaskGrant
from handrail.ports.policy import Rule
from handrail.ports.stores import Stores
from handrail.ports.waiting import run_in_thread

Row = dict[str, Any]


async def listed(stores: Stores) -> list[Row]:
    """Each with an id by which it can be removed; what has ended is marked."""
    rows = [_of_rule(rule) for rule in await run_in_thread(stores.rules)]
    return [*rows, *(_of_grant(given) for given in await stores.grants.all())]


async def remove(stores: Stores, id: str) -> Row:
    """It counts for the next call, in every process. NotFound."""
    for rule in await run_in_thread(stores.rules):
        if rule_id(rule) == id and await run_in_thread(partial(stores.remove_rule, rule)):
            return _of_rule(rule)
    for given in await stores.grants.all():
        if given.id == id and await stores.grants.revoke(id):
            return _of_grant(given)
    raise NotFound(f"There is no rule {id}.", hint="`handrail rules` lists them.", id=id)


def row_of(one: Rule | TaskGrant) -> Row:
    return _of_grant(one) if isinstance(one, TaskGrant) else _of_rule(one)


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
    row = _of_rule(rule_from_grant(grant))
    return {
        **row,
        "id": given.id,
        "kind": "task",
        "task": one_line(grant.task),
        "caller": one_line(given.caller),
        "by": one_line(given.by),
        "at": given.at,
        "hasEnded": has_expired(grant, utc_now()),
    }
