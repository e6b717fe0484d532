"""The rules of config.toml and the permissions given for a task, as one list."""

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


async def list_rules(stores: Stores) -> list[Row]:
    """Each row has an id by which it can be removed; rules that have ended are marked."""
    rows = [_rule_row(rule) for rule in await run_in_thread(stores.rules)]
    return [*rows, *(_grant_row(grant) for grant in await stores.grants.all())]


async def remove(stores: Stores, id: str) -> Row:
    """Takes effect with the next call, in every process. NotFound."""
    for rule in await run_in_thread(stores.rules):
        if rule_id(rule) == id and await run_in_thread(partial(stores.remove_rule, rule)):
            return _rule_row(rule)
    for task_grant in await stores.grants.all():
        if task_grant.id == id and await stores.grants.revoke(id):
            return _grant_row(task_grant)
    raise NotFound(f"There is no rule {id}.", hint="`handrail rules` lists them.", id=id)


def row_of(one: Rule | TaskGrant) -> Row:
    return _grant_row(one) if isinstance(one, TaskGrant) else _rule_row(one)


def _rule_row(rule: Rule) -> Row:
    members = msgspec.to_builtins(rule)
    return {
        "id": rule_id(rule),
        "kind": "rule",
        **{name: one_line(value) if isinstance(value, str) else value for name, value in members.items()},
        "hasEnded": rule.has_expired(utc_now()),
    }


def _grant_row(task_grant: TaskGrant) -> Row:
    grant = task_grant.grant
    row = _rule_row(rule_from_grant(grant))
    return {
        **row,
        "id": task_grant.id,
        "kind": "task",
        "task": one_line(grant.task),
        "caller": one_line(task_grant.caller),
        "by": one_line(task_grant.by),
        "at": task_grant.at,
        "hasEnded": has_expired(grant, utc_now()),
    }
