"""Tokens that never leave the process are refused for the same reasons as those on disk, in words that say which."""

from dataclasses import replace

import pytest

from handrail.kernel.tokens import MemoryTokens
from handrail.ports.errors import Declined
from handrail.ports.tokens import TokenScope

SCOPE = TokenScope(caller="stdio:1", method="write_to_file", params_digest="ab" * 32)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


async def refused(tokens: MemoryTokens, token: str | None, scope: TokenScope = SCOPE) -> tuple[object, str]:
    with pytest.raises(Declined) as refusal:
        await tokens.consume(token, scope)
    assert refusal.value.hint == "Ask for a new token, for exactly this call."
    return refusal.value.details["reason"], refusal.value.message


async def test_a_token_is_good_once_for_its_own_call_and_each_refusal_says_why() -> None:
    clock = Clock()
    tokens = MemoryTokens(clock)
    token = await tokens.issue(SCOPE, 10)
    assert await refused(tokens, None) == ("missing", "This call needs a one-time token.")
    assert await refused(tokens, "") == ("missing", "This call needs a one-time token.")
    assert await refused(tokens, "\ud800") == ("invalid", "This token was never issued, or long ago.")
    another = replace(SCOPE, caller="stdio:2")
    assert await refused(tokens, token, another) == ("peer", "This token was issued to another caller.")
    method = ("method", "This token was issued for another tool than read_file.")
    assert await refused(tokens, token, replace(SCOPE, method="read_file")) == method
    other = replace(SCOPE, params_digest="cd" * 32)
    assert await refused(tokens, token, other) == ("params", "This token was issued for other parameters.")
    clock.now = 109.9
    await tokens.consume(token, SCOPE)
    assert await refused(tokens, token) == ("used", "This token was used before.")


async def test_a_token_ends_at_its_deadline_and_is_forgotten_when_the_next_is_issued() -> None:
    clock = Clock()
    tokens = MemoryTokens(clock)
    token = await tokens.issue(SCOPE, 10)
    clock.now = 110.0
    assert await refused(tokens, token) == ("expired", "This token has expired.")
    await tokens.issue(SCOPE, 10)
    assert await refused(tokens, token) == ("invalid", "This token was never issued, or long ago.")
