"""Connects to PostgreSQL and translates its errors."""

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
"""An asyncpg connection, or one from a pool."""

SCHEMA = "handrail"
_MOST_CONNECTIONS = 10
_CONNECT_SECONDS = 5
_STATEMENT_SECONDS = 15
SETTINGS = {
    "application_name": "handrail",
    "search_path": SCHEMA,
    # Limits how long a server that is frozen in a transaction blocks others.
    "idle_in_transaction_session_timeout": "4000",
    "lock_timeout": "10000",
    "statement_timeout": str(_STATEMENT_SECONDS * 1000),
    "tcp_user_timeout": "10000",
}


class TeamDatabase:
    """The rows of one tenant, which the database server derives from the role in `url`."""

    def __init__(self, url: str, engine: Engine | None = None, *, is_durable: bool = True) -> None:
        """If not durable, a commit survives a crash of handrail, but not always one of the database."""
        self.url = url
        self.engine = engine or Engine()
        self._settings = SETTINGS if is_durable else {**SETTINGS, "synchronous_commit": "off"}
        self._pool: asyncpg.Pool | None = None
        self._opening = asyncio.Lock()

    @property
    def location(self) -> str:
        return shown_address(self.url)

    def run(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Runs `work` with a connection; each statement is its own transaction. Blocks."""
        return self.engine.run(self._with_connection(work))

    async def call(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        return await self.engine.call(self._with_connection(work))

    async def write(self, work: Callable[[Connection], Awaitable[T]], *, is_durable: bool = True) -> T:
        """Runs `work` in one transaction. If durable, it is on disk when this returns."""

        async def in_transaction(connection: Connection) -> T:
            async with connection.transaction():
                if not is_durable:
                    await connection.execute("SET LOCAL synchronous_commit = off")
                return await work(connection)

        return await self.call(in_transaction)

    async def rows(self, query: str, *values: Any) -> list[Row]:
        return await self.call(lambda connection: connection.fetch(query, *values))

    async def row(self, query: str, *values: Any) -> Row | None:
        row: Row | None = await self.call(lambda connection: connection.fetchrow(query, *values))
        return row

    async def execute(self, query: str, *values: Any) -> int:
        """Returns the number of changed rows."""
        status: str = await self.call(lambda connection: connection.execute(query, *values))
        return count_of(status)

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
        """Only for the engine's loop."""
        with translate_errors(self.location):
            pool = await self._open_pool()
            async with pool.acquire(timeout=_CONNECT_SECONDS) as connection:
                yield connection

    async def _with_connection(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async with self.connection() as connection:
            return await work(connection)

    async def _open_pool(self) -> asyncpg.Pool:
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
def translate_errors(location: str) -> Iterator[None]:
    """Translates errors of PostgreSQL and the network into our own."""
    try:
        yield
    except asyncpg.LockNotAvailableError:
        raise Conflict(f"Another process is writing to {location}.") from None
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
    """The address without the password."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def count_of(status: str) -> int:
    """The row count of a status such as `UPDATE 3`."""
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0
