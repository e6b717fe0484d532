"""Lanes and one-time tokens, whatever comes first: each schedule is one order of all that is ready."""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from handrail.kernel.lanes import Lanes
from handrail.kernel.question_limit import QuestionLimit
from handrail.kernel.tokens import MemoryTokens
from handrail.ports.errors import AskedTooOften, Declined
from handrail.ports.identity import Caller
from handrail.ports.tokens import TokenScope
from tests.effort import SEED, count, tries
from tests.kernel.schedules import run

SCHEDULES = tries(150, 40_000)
SCOPE = TokenScope("agent", "write_to_file", "digest")


def schedules() -> range:
    return range(SEED * 1_000_000, SEED * 1_000_000 + SCHEDULES)


async def pause(chance: random.Random) -> None:
    for _ in range(chance.randrange(4)):
        await asyncio.sleep(0)


class Walkers:
    """Callers who take turns in lanes; some ask ahead, some give up, some are cancelled."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.lanes = Lanes()
        self.arrived: dict[str | None, list[int]] = {}
        self.begun: dict[str | None, list[int]] = {}
        self.inside: set[str | None] = set()

    async def walk(self, number: int, key: str | None) -> None:
        await pause(self.chance)
        turn = self.lanes.take(key)
        self.arrived.setdefault(key, []).append(number)
        try:
            if self.chance.random() < 0.2:
                await pause(self.chance)
                return  # refused before its turn came
            await turn.wait()
            if key is not None:
                assert key not in self.inside, "two at a time in one lane"
                self.inside.add(key)
            self.begun.setdefault(key, []).append(number)
            try:
                await pause(self.chance)
            finally:
                self.inside.discard(key)
        finally:
            turn.leave()

    async def all_walk(self) -> None:
        tasks = [asyncio.ensure_future(self.walk(number, self.chance.choice(["a", "b", None]))) for number in range(9)]
        for task in self.chance.sample(tasks, 2):
            await pause(self.chance)
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            assert outcome is None or isinstance(outcome, asyncio.CancelledError), outcome
        for key in ("a", "b"):
            begun = self.begun.get(key, [])
            assert begun == [number for number in self.arrived.get(key, []) if number in begun], "in order of arrival"
        assert vars(self.lanes)["_lanes"] == {}


@pytest.mark.trial("schedules")
@pytest.mark.timeout(1800)
def test_lanes_keep_their_order_and_nobody_waits_for_ever() -> None:
    for seed in schedules():
        count()
        run(seed, lambda chance: Walkers(chance).all_walk())


async def use_up(chance: random.Random) -> None:
    now = [0.0]
    tokens = MemoryTokens(lambda: now[0])
    used: list[str] = []
    right = [await tokens.issue(SCOPE, 60) for _ in range(3)]
    late = await tokens.issue(SCOPE, 1)
    now[0] = 2.0

    async def consume(token: str, scope: TokenScope) -> None:
        await pause(chance)
        with suppress(Declined):
            await tokens.consume(token, scope)
            used.append(token)

    wrong = TokenScope("another", SCOPE.method, SCOPE.params_digest)
    attempts = [(token, scope) for token in [*right, late, "guessed"] for scope in (SCOPE, SCOPE, wrong)]
    await asyncio.gather(*(consume(token, scope) for token, scope in attempts))
    assert sorted(used) == sorted(right), "each once, by whom it is for"


@pytest.mark.trial("schedules")
@pytest.mark.timeout(1800)
def test_a_token_is_good_once_whoever_comes_first() -> None:
    for seed in schedules():
        count()
        run(seed, use_up)


class Asked:
    """Stands for the store of questions of the last minute: every step of it lets others go first."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.counted: dict[str, int] = {}

    async def note(self, who: str, most: int) -> bool:
        await pause(self.chance)
        if self.counted.get(who, 0) >= most:
            return False
        self.counted[who] = self.counted.get(who, 0) + 1
        await pause(self.chance)
        return True

    async def forget_one(self, who: str) -> None:
        await pause(self.chance)
        self.counted[who] = self.counted.get(who, 0) - 1


async def ask_often(chance: random.Random) -> None:
    asked = Asked(chance)
    limit = QuestionLimit(asked, 2)
    callers = [Caller("stdio", "agent", "p", f"stdio:{number % 5}", "program") for number in range(20)]
    open_now: list[str] = []
    most: list[int] = [0]

    async def ask(caller: Caller) -> None:
        await pause(chance)
        with suppress(AskedTooOften):
            await limit.take(caller)
            open_now.append(caller.identity)
            most[0] = max(most[0], len(open_now))
            assert open_now.count(caller.identity) <= 2
            await pause(chance)
            open_now.remove(caller.identity)
            await limit.give_back(caller)

    await asyncio.gather(*map(ask, callers))
    assert 0 < most[0] <= 6
    assert not any(asked.counted.values()), "what was given back counts no more"


@pytest.mark.trial("schedules")
@pytest.mark.timeout(1800)
def test_no_order_of_questions_passes_their_limit() -> None:
    for seed in schedules():
        count()
        run(seed, ask_often)


def test_the_loop_finds_a_deadlock() -> None:
    async def wait(chance: random.Random) -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(AssertionError, match="everybody waits"):
        run(1, wait)


def test_the_loop_tries_different_orders() -> None:
    def order(seed: int) -> list[int]:
        done: list[int] = []

        async def work(chance: random.Random) -> None:
            def note(number: int) -> Callable[[], None]:
                return lambda: done.append(number)

            for number in range(6):
                asyncio.get_running_loop().call_soon(note(number))
            await asyncio.sleep(0)
            await asyncio.sleep(0)

        run(seed, work)
        return done

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(20)}) > 10
