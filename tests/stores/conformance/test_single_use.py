"""Tokens, claims, consents, grants, questions and owners, on this machine and in a team's database."""

import asyncio
from dataclasses import replace

import pytest

from handrail.ports.approval_card import Grant
from handrail.ports.consents import ConsentRequest
from handrail.ports.errors import Declined
from handrail.ports.identity import Caller
from handrail.ports.task_owners import Owner
from handrail.ports.tokens import TokenScope, TokenStore
from tests.stores.conformance.conftest import ProcessStores

SCOPE = TokenScope(caller="mcp:claude:pid:17", method="write_to_file", params_digest="ab" * 32)
CALLER = Caller("mcp", "claude", "http", "agent:claude.1")
TO = ConsentRequest("com.example.notes", "Notes", "add", "d1", "a1", "p1")


async def refusal(tokens: TokenStore, token: str | None, scope: TokenScope = SCOPE) -> str:
    with pytest.raises(Declined) as refused:
        await tokens.consume(token, scope)
    return str(refused.value.details["reason"])


async def outcome(tokens: TokenStore, token: str) -> str:
    try:
        await tokens.consume(token, SCOPE)
    except Declined as refused:
        return str(refused.details["reason"])
    return "won"


async def test_a_token_works_once_in_its_own_scope_and_a_wrong_use_does_not_consume_it(stores: ProcessStores) -> None:
    token = await stores.tokens.issue(SCOPE, 60)
    assert await refusal(stores.tokens, token, replace(SCOPE, caller="another")) == "peer"
    assert await refusal(stores.tokens, token, replace(SCOPE, method="another")) == "method"
    assert await refusal(stores.tokens, token, replace(SCOPE, params_digest="cd" * 32)) == "params"
    await stores.tokens.consume(token, SCOPE)
    assert await refusal(stores.tokens, token) == "used"


@pytest.mark.parametrize(
    ("token", "why"), [(None, "missing"), ("", "missing"), ("' OR 1=1 --", "invalid"), ("\ud800", "invalid")]
)
async def test_unknown_tokens_are_refused(stores: ProcessStores, token: str | None, why: str) -> None:
    assert await refusal(stores.tokens, token) == why


async def test_a_token_expires(stores: ProcessStores) -> None:
    assert await refusal(stores.tokens, await stores.tokens.issue(SCOPE, 0)) == "expired"


async def test_a_token_used_concurrently_in_two_processes_works_once(
    stores: ProcessStores, other: ProcessStores
) -> None:
    for _ in range(5):
        token = await stores.tokens.issue(SCOPE, 60)
        results = await asyncio.gather(*(outcome(each.tokens, token) for each in (stores, other) * 10))
        assert sorted(results) == ["used"] * 19 + ["won"]


async def test_a_key_claimed_concurrently_in_two_processes_is_granted_once(
    stores: ProcessStores, other: ProcessStores
) -> None:
    claims = await asyncio.gather(*(each.once.claim("prompt-1") for each in (stores, other) * 10))
    assert claims.count(True) == 1
    assert await stores.once.claim("prompt-2")


async def test_a_consent_applies_until_it_is_revoked_or_its_subject_changes(
    stores: ProcessStores, other: ProcessStores
) -> None:
    grant = await stores.consents.add(CALLER, TO, is_for_app=False, by="ada")
    assert await other.consents.find(CALLER, TO) == grant
    assert await other.consents.find(CALLER, replace(TO, tool_digest="d2")) is None
    assert await other.consents.stale_reason(CALLER, replace(TO, tool_digest="d2")) == "descriptor"
    assert await other.consents.stale_reason(CALLER, replace(TO, program="p2")) == "program"
    assert await other.consents.find(CALLER, replace(TO, tool="remove")) is None
    assert await stores.consents.revoke(grant.id)
    assert not await stores.consents.revoke(grant.id)
    assert await other.consents.find(CALLER, TO) is None
    await stores.consents.restore(grant)
    assert await other.consents.all() == [grant]


async def test_a_consent_to_an_app_covers_all_its_tools(stores: ProcessStores) -> None:
    await stores.consents.add(CALLER, TO, is_for_app=True, by="ada")
    assert await stores.consents.find(CALLER, replace(TO, tool="remove")) is not None
    assert await stores.consents.find(replace(CALLER, agent="agent:other.1"), TO) is None


async def test_grants_end_with_their_task(stores: ProcessStores, other: ProcessStores) -> None:
    grant = Grant(tools=("write_to_file",), path="a.txt", identity="agent:claude.1", task="t1")
    first = await stores.grants.add(grant, caller="claude", by="ada")
    second = await stores.grants.add(replace_task(grant, "t2"), caller="claude", by="ada")
    assert await other.grants.for_task("agent:claude.1", "t1") == [first]
    assert await other.grants.for_task("agent:other.1", "t1") == []
    assert await other.grants.end_for("agent:claude.1", "t1") == 1
    assert await stores.grants.all() == [second]
    assert await stores.grants.revoke(second.id)
    assert await other.grants.end_for("agent:claude.1", None) == 0
    await stores.grants.add(grant, caller="claude", by="ada")
    third = await stores.grants.add(replace_task(grant, "t3"), caller="claude", by="ada")
    await other.grants.end_task("t1")
    assert await stores.grants.all() == [third]


def replace_task(grant: Grant, task: str) -> Grant:
    return Grant(tools=grant.tools, path=grant.path, identity=grant.identity, task=task)


async def test_asking_from_two_processes_does_not_raise_the_limit(stores: ProcessStores, other: ProcessStores) -> None:
    results = await asyncio.gather(*(kept.questions.note("agent:claude.1", 3) for kept in (stores, other) * 4))
    assert results.count(True) == 3
    assert await stores.questions.note("agent:other.1", 3)
    await other.questions.forget_one("agent:claude.1")
    assert await stores.questions.note("agent:claude.1", 3)


async def test_the_first_user_of_a_task_owns_it(stores: ProcessStores, other: ProcessStores) -> None:
    mine, theirs = Owner("agent:a.1", "agent:a.1"), Owner("agent:b.1", "agent:b.1")
    owners = await asyncio.gather(stores.owners.claim("t", mine), other.owners.claim("t", theirs))
    assert owners[0] == owners[1]
    await stores.owners.give("t", theirs)
    assert await stores.owners.claim("t", mine) == theirs
