"""An approval applies once, to one caller and one call, until it expires."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from handrail.ports.errors import Declined
from handrail.ports.tokens import TokenScope
from handrail.stores.local.state_tables import state_database
from handrail.stores.local.tokens import SqliteTokens
from tests.stores.processes import finish, finish_killed, release_together, start

SCOPE = TokenScope(caller="mcp:claude:pid:17", method="write_to_file", params_digest="ab" * 32)


class Clock:
    def __init__(self) -> None:
        self.now = 1_771_070_400.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "handrail.db"


@pytest.fixture
def tokens(path: Path, clock: Clock) -> Iterator[SqliteTokens]:
    database = state_database(path)
    yield SqliteTokens(database, clock)
    database.close()


async def reason(tokens: SqliteTokens, token: str | None, scope: TokenScope = SCOPE) -> str:
    with pytest.raises(Declined) as refusal:
        await tokens.consume(token, scope)
    return str(refusal.value.details["reason"])


async def test_a_token_is_a_random_uuid_as_the_desktop_contract_has_it(tokens: SqliteTokens) -> None:
    issued = {await tokens.issue(SCOPE, 60) for _ in range(100)}
    assert len(issued) == 100
    assert {UUID(token).version for token in issued} == {4}


async def test_a_token_used_twice_is_refused_the_second_time(tokens: SqliteTokens) -> None:
    token = await tokens.issue(SCOPE, 60)
    await tokens.consume(token, SCOPE)
    assert await reason(tokens, token) == "used"


@pytest.mark.parametrize("token", [None, ""])
async def test_no_token_is_missing(tokens: SqliteTokens, token: str | None) -> None:
    assert await reason(tokens, token) == "missing"


@pytest.mark.parametrize("token", ["x", "00000000-0000-4000-8000-000000000000", "' OR 1=1 --", "\ud800", "a" * 100_000])
async def test_a_token_that_was_never_issued_is_invalid(tokens: SqliteTokens, token: str) -> None:
    await tokens.issue(SCOPE, 60)
    assert await reason(tokens, token) == "invalid"


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (replace(SCOPE, caller="mcp:claude:pid:18"), "peer"),
        (replace(SCOPE, method="replace_in_file"), "method"),
        (replace(SCOPE, params_digest="ab" * 31 + "ac"), "params"),
        (TokenScope("x", "y", "z"), "peer"),
    ],
)
async def test_a_token_works_only_in_its_own_scope_and_a_wrong_use_does_not_consume_it(
    tokens: SqliteTokens, other: TokenScope, why: str
) -> None:
    token = await tokens.issue(SCOPE, 60)
    assert await reason(tokens, token, other) == why
    await tokens.consume(token, SCOPE)


async def test_a_token_expires_at_its_deadline(tokens: SqliteTokens, clock: Clock) -> None:
    early, late = await tokens.issue(SCOPE, 60), await tokens.issue(SCOPE, 60)
    clock.now += 59.999
    await tokens.consume(early, SCOPE)
    clock.now += 0.001
    assert await reason(tokens, late) == "expired"
    assert await reason(tokens, early) == "used"


async def test_another_caller_learns_nothing_about_a_token(tokens: SqliteTokens, clock: Clock) -> None:
    stranger = replace(SCOPE, caller="somebody else")
    used, unused = await tokens.issue(SCOPE, 60), await tokens.issue(SCOPE, 60)
    await tokens.consume(used, SCOPE)
    clock.now += 100
    assert [await reason(tokens, token, stranger) for token in (used, unused)] == ["peer", "peer"]


async def test_rows_of_long_expired_tokens_are_purged(tokens: SqliteTokens, clock: Clock, path: Path) -> None:
    old = await tokens.issue(SCOPE, 60)
    clock.now += 2 * 3600
    await tokens.issue(SCOPE, 60)
    with sqlite3.connect(path) as rows:
        assert rows.execute("SELECT count(*) FROM token").fetchone() == (1,)
    assert await reason(tokens, old) == "invalid"


async def test_the_store_never_contains_a_token(tokens: SqliteTokens, path: Path) -> None:
    token = await tokens.issue(SCOPE, 60)
    await tokens.consume(token, SCOPE)
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert SCOPE.params_digest.encode() in content
    assert token.encode() not in content


@pytest.mark.parametrize("is_shared", [True, False])
async def test_only_one_of_100_uses_in_threads_succeeds(path: Path, clock: Clock, is_shared: bool) -> None:
    shared = state_database(path)
    token = await SqliteTokens(shared, clock).issue(SCOPE, 60)
    outcomes: list[str] = []
    together = threading.Barrier(100)

    def use() -> None:
        database = shared if is_shared else state_database(path, patience=60)
        together.wait()
        try:
            asyncio.run(SqliteTokens(database, clock).consume(token, SCOPE))
            outcomes.append("won")
        except Declined as refusal:
            outcomes.append(refusal.details["reason"])
        finally:
            if not is_shared:
                database.close()

    threads = [threading.Thread(target=use) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    shared.close()
    assert sorted(outcomes) == ["used"] * 99 + ["won"]


_USER = """
import asyncio, sys, threading
from pathlib import Path
from handrail.ports.errors import Declined
from handrail.ports.tokens import TokenScope
from handrail.stores.local.state_tables import state_database
from handrail.stores.local.tokens import SqliteTokens
path, token, *scope = sys.argv[1:]
tokens = SqliteTokens(state_database(Path(path), patience=60), lambda: 1_771_070_400.0)
print("ready", flush=True)
sys.stdin.readline()
def use():
    try:
        asyncio.run(tokens.consume(token, TokenScope(*scope)))
        print("won\\n", end="", flush=True)
    except Declined as refusal:
        print(refusal.details["reason"] + "\\n", end="", flush=True)
threads = [threading.Thread(target=use) for _ in range(10)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


@pytest.mark.trial("race", is_long=True)
async def test_only_one_of_100_uses_in_10_processes_succeeds(tokens: SqliteTokens, path: Path) -> None:
    token = await tokens.issue(SCOPE, 60)
    users = [start(_USER, path, token, SCOPE.caller, SCOPE.method, SCOPE.params_digest) for _ in range(10)]
    release_together(users)
    outcomes = [outcome for user in users for outcome in finish(user).split()]
    assert sorted(outcomes) == ["used"] * 99 + ["won"]


_DYING = """
import asyncio, os, signal, sys
from pathlib import Path
from handrail.ports.tokens import TokenScope
from handrail.stores.local.state_tables import state_database
from handrail.stores.local.tokens import SqliteTokens
path, *scope = sys.argv[1:]
tokens = SqliteTokens(state_database(Path(path)), lambda: 1_771_070_400.0)
used, unused = (asyncio.run(tokens.issue(TokenScope(*scope), 60)) for _ in range(2))
asyncio.run(tokens.consume(used, TokenScope(*scope)))
print(used, unused, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


async def test_after_kill_9_a_used_token_stays_used_and_no_other_caller_can_use_the_rest(
    tokens: SqliteTokens, path: Path
) -> None:
    output = finish_killed(start(_DYING, path, SCOPE.caller, SCOPE.method, SCOPE.params_digest))
    used, unused = output.split()
    assert await reason(tokens, used) == "used"
    assert await reason(tokens, unused, replace(SCOPE, caller="mcp:claude:pid:99")) == "peer"


async def test_a_use_is_committed_with_full_synchronisation(path: Path, clock: Clock) -> None:
    """SQLite's own setting: in WAL mode, FULL (2) syncs the log at every commit."""
    database = state_database(path)
    tokens = SqliteTokens(database, clock)
    await tokens.consume(await tokens.issue(SCOPE, 60), SCOPE)
    with database.reading() as rows:
        assert rows.execute("PRAGMA synchronous").fetchone() == (2,)
        assert rows.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()
