"""The connections to PostgreSQL, and how its refusals are spelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg

from handrail.ports.errors import Conflict, InputOutput
from handrail.stores.team.engine import Engine

T = TypeVar("T")
Row = Sequence[Any]
Connection = Any
"""An asyncpg connection, or one that a pool has lent."""

SCHEMA = "handrail"
_MOST_CONNECTIONS = 10
_CONNECT_SECONDS = 5
_STATEMENT_SECONDS = 15
SETTINGS = {
    "application_name": "handrail",
    "search_path": SCHEMA,
    # A server that is frozen in the middle of a transaction keeps nobody else waiting for longer than this.
    "idle_in_transaction_session_timeout": "4000",
    "lock_timeout": "10000",
    "statement_timeout": str(_STATEMENT_SECONDS * 1000),
    "tcp_user_timeout": "10000",
}


class TeamDatabase:
    """Rows of one tenant: the one that the role in `url` belongs to. The server decides that, and no setting does."""

    def __init__(self, url: str, engine: Engine | None = None, *, is_durable: bool = True) -> None:
        """Where it need not be durable, a commit survives a crash of handrail, and not always one of the database."""
        self.url = url
        self.engine = engine or Engine()
        self._settings = SETTINGS if is_durable else {**SETTINGS, "synchronous_commit": "off"}
        self._pool: asyncpg.Pool | None = None
        self._opening = asyncio.Lock()

    @property
    def location(self) -> str:
        return shown_address(self.url)

    def run(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """With a connection, each statement a transaction of its own. Blocks."""
        return self.engine.run(self._with_connection(work))

    async def call(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        return await self.engine.call(self._with_connection(work))

    async def write(self, work: Callable[[Connection], Awaitable[T]], *, is_durable: bool = True) -> T:
        """In one transaction, on disk when this returns unless it need not be."""

        async def whole(connection: Connection) -> T:
            async with connection.transaction():
                if not is_durable:
                    await connection.execute("SET LOCAL synchronous_commit = off")
                return await work(connection)

        return await self.call(whole)

    async def rows(self, query: str, *values: Any) -> list[Row]:
        return await self.call(lambda connection: connection.fetch(query, *values))

    async def row(self, query: str, *values: Any) -> Row | None:
        found: Row | None = await self.call(lambda connection: connection.fetchrow(query, *values))
        return found

    async def execute(self, query: str, *values: Any) -> int:
        """How many rows it changed."""
        done: str = await self.call(lambda connection: connection.execute(query, *values))
        return count_of(done)

    def disconnect(self) -> None:
        if self._pool is not None:
            pool, self._pool = self._pool, None

            async def end() -> None:
                pool.terminate()

            self.engine.run(end())

    def close(self) -> None:
        self.disconnect()
        self.engine.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """For the engine's loop alone."""
        with spelled(self.location):
            pool = await self._opened()
            async with pool.acquire(timeout=_CONNECT_SECONDS) as connection:
                yield connection

    async def _with_connection(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async with self.connection() as connection:
            return await work(connection)

    async def _opened(self) -> asyncpg.Pool:
        async with self._opening:
            if self._pool is None:
                self._pool = await asyncpg.create_pool(
                    self.url,
                    min_size=0,
                    max_size=_MOST_CONNECTIONS,
                    timeout=_CONNECT_SECONDS,
                    command_timeout=_STATEMENT_SECONDS,
                    server_settings=self._settings,
                )
            return self._pool


@contextmanager
def spelled(location: str) -> Iterator[None]:
    """What PostgreSQL or the network says, as a condition of ours."""
    try:
        yield
    except asyncpg.LockNotAvailableError:
        raise Conflict(f"Somebody else is writing to {location}.") from None
    except asyncpg.DiskFullError:
        raise InputOutput(f"The disk of {location} is full.") from None
    except asyncpg.UndefinedTableError:
        raise InputOutput(
            f"{location} isn't set up for handrail.", hint="Set it up with `handrail team init`."
        ) from None
    except asyncpg.InvalidAuthorizationSpecificationError as refusal:
        raise InputOutput(f"{location} refuses the sign-in: {refusal}.") from None
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as refusal:
        raise InputOutput(f"{location} refused: {refusal}.") from refusal
    except (OSError, TimeoutError) as away:
        raise InputOutput(f"{location} can't be reached: {str(away) or 'no answer in time'}.") from None


def shown_address(url: str) -> str:
    """Without a password, for people to read."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def count_of(status: str) -> int:
    """`UPDATE 3` is 3."""
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0
