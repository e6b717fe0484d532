"""Queries of the shared stores (`stores/shared`), on SQLite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from handrail.stores.local.database import Database

_PARAMETER = re.compile(r"\$(\d)")


@lru_cache
def for_sqlite(query: str) -> str:
    """SQLite spells numbered parameters `?1`, and its tables have no tenant."""
    return _PARAMETER.sub(r"?\1", query).replace("(tenant, ", "(")


class PermissionRows:
    """Rows of the state's database that grant permissions. Implements `stores.shared.rows.Rows`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def rows(self, query: str, *values: Any) -> Sequence[Sequence[Any]]:
        return await self._database.read(lambda rows: rows.execute(for_sqlite(query), values).fetchall())

    async def row(self, query: str, *values: Any) -> Sequence[Any] | None:
        rows = await self.rows(query, *values)
        return rows[0] if rows else None

    async def execute(self, query: str, *values: Any) -> int:
        return await self._database.write_permissions(lambda rows: rows.execute(for_sqlite(query), values).rowcount)
