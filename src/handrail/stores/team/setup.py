"""Sets up a team's database, as its owner: tables, row-level security, and a role for each tenant's servers."""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

import asyncpg

from handrail.ports.errors import Declined, InputOutput, InvalidParams
from handrail.stores.team.database import SCHEMA, shown_address, translate_errors
from handrail.stores.team.engine import Engine
from handrail.stores.team.schema import APPEND_ONLY, STEPS, TABLES

T = TypeVar("T")

_LOCK = 0x68616E64
_TENANT = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PATIENCE_SECONDS = 60
_ROLE = """
SELECT rolsuper OR rolbypassrls AS bypasses,
  EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'handrail' AND tableowner = session_user) AS owns
FROM pg_roles WHERE rolname = session_user
"""


@dataclass(frozen=True, slots=True)
class Condition:
    """What a server finds: how far the tables are, for which tenant, and whether its role is held to that tenant."""

    version: int
    tenant: str | None
    bypasses: bool
    owns: bool
    server: str

    @property
    def faults(self) -> Sequence[str]:
        """Why no server should start; empty where one may."""
        if self.version < len(STEPS):
            needs = f"The tables have version {self.version}, and this handrail needs {len(STEPS)}."
            return [f"{needs} Run `handrail team init` with the owner's address."]
        found = []
        if self.bypasses:
            found.append("This role is a superuser or bypasses row-level security. Use a tenant's own role.")
        if self.owns:
            found.append("This role owns the tables. Use a tenant's own role.")
        if self.tenant is None:
            found.append("This role belongs to no tenant. `handrail team init --tenant NAME` makes one that does.")
        return found


def migrate(url: str) -> tuple[int, int]:
    """The version of the tables before and now. Of several who do it at once, one does the work. Blocks."""
    return _as_owner(url, _migrate)


def add_tenant(url: str, tenant: str, *, has_new_password: bool = False) -> str | None:
    """The address for this tenant's servers, whose role is made or gets a new password.

    None if the role exists and keeps its password, so that running servers can still connect. Blocks.
    """
    if not _TENANT.fullmatch(tenant):
        raise InvalidParams("A tenant's name has 1 to 40 lowercase letters, digits and underscores.", field="tenant")
    role, secret = f"handrail_{tenant}", secrets.token_urlsafe(24)

    async def add(connection: Any) -> bool:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
            is_known = await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = $1", role) is not None
            if not is_known:
                await connection.execute(f'CREATE ROLE "{role}" NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB')
            if not is_known or has_new_password:
                literal = await connection.fetchval("SELECT quote_literal($1::text)", secret)
                await connection.execute(f'ALTER ROLE "{role}" LOGIN PASSWORD {literal}')
            await connection.execute(
                f"INSERT INTO {SCHEMA}.tenant_role (role, tenant) VALUES ($1, $2)"
                " ON CONFLICT (role) DO UPDATE SET tenant = EXCLUDED.tenant",
                role,
                tenant,
            )
            await _grant(connection, role)
        return not is_known or has_new_password

    return _address(url, role, secret) if _as_owner(url, add) else None


def look(url: str) -> Condition:
    """As a server, with its own role. Blocks."""

    async def found(connection: Any) -> Condition:
        role = await connection.fetchrow(_ROLE)
        version = await _version(connection)
        tenant = await connection.fetchval(f"SELECT {SCHEMA}.current_tenant()") if version else None
        server = await connection.fetchval("SHOW server_version")
        return Condition(version, tenant, role["bypasses"], role["owns"], server)

    return _as_owner(url, found)


def check(url: str) -> str:
    """The tenant of this role. Raises Declined if row-level security wouldn't apply to the role. Blocks."""
    condition = look(url)
    if condition.faults:
        raise Declined(condition.faults[0], hint="`handrail team check` shows everything.", reason="database")
    assert condition.tenant is not None
    return condition.tenant


def _as_owner(url: str, work: Callable[[Any], Awaitable[T]]) -> T:
    engine = Engine()

    async def done() -> T:
        with translate_errors(shown_address(url)):
            connection = await asyncpg.connect(url, timeout=5, command_timeout=_PATIENCE_SECONDS)
            try:
                return await work(connection)
            except asyncpg.InsufficientPrivilegeError as refusal:
                raise InputOutput(
                    f"{shown_address(url)} refused: {refusal}.",
                    hint="Use the address of the database's owner, with a role that may create roles.",
                ) from None
            finally:
                await connection.close()

    try:
        return engine.run(done())
    finally:
        engine.close()


async def _migrate(connection: Any) -> tuple[int, int]:
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        before = await _version(connection)
        if before >= len(STEPS):
            return before, before
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        await connection.execute(f"SET LOCAL search_path = {SCHEMA}")
        await connection.execute(f"CREATE TABLE IF NOT EXISTS {SCHEMA}.version (version integer NOT NULL)")
        for step in STEPS[before:]:
            await connection.execute(step)
        for table in TABLES:
            await _secure(connection, table)
        await connection.execute("DELETE FROM version")
        await connection.execute("INSERT INTO version (version) VALUES ($1)", len(STEPS))
        for (role,) in await connection.fetch("SELECT role FROM tenant_role"):
            await _grant(connection, role)
        return before, len(STEPS)


async def _secure(connection: Any, table: str) -> None:
    await connection.execute(f"ALTER TABLE {SCHEMA}.{table} ENABLE ROW LEVEL SECURITY")
    await connection.execute(f"DROP POLICY IF EXISTS own_tenant ON {SCHEMA}.{table}")
    await connection.execute(
        f"CREATE POLICY own_tenant ON {SCHEMA}.{table} USING (tenant = {SCHEMA}.current_tenant())"
        f" WITH CHECK (tenant = {SCHEMA}.current_tenant())"
    )
    if table == "journal_line":  # checkpoints are folded; the records themselves stay
        await connection.execute(f"DROP POLICY IF EXISTS only_checkpoints ON {SCHEMA}.{table}")
        await connection.execute(
            f"CREATE POLICY only_checkpoints ON {SCHEMA}.{table} AS RESTRICTIVE FOR DELETE"
            " USING (journal = 'checkpoints')"
        )


async def _grant(connection: Any, role: str) -> None:
    await connection.execute(f'GRANT USAGE ON SCHEMA {SCHEMA} TO "{role}"')
    await connection.execute(f'GRANT SELECT ON {SCHEMA}.version TO "{role}"')
    await connection.execute(f'GRANT USAGE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO "{role}"')
    for table in TABLES:
        rights = "SELECT, INSERT" if table in APPEND_ONLY else "SELECT, INSERT, UPDATE, DELETE"
        rights += ", DELETE" if table == "journal_line" else ""
        await connection.execute(f'GRANT {rights} ON {SCHEMA}.{table} TO "{role}"')


async def _version(connection: Any) -> int:
    """The version of the tables; 0 if handrail hasn't been set up there."""
    if await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA}.version") is None:
        return 0
    return int(await connection.fetchval(f"SELECT max(version) FROM {SCHEMA}.version") or 0)


def _address(url: str, role: str, password: str) -> str:
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{role}:{quote(password, safe='')}@{place}"))
