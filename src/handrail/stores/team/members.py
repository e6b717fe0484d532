"""Stores the members of a team, and keeps a copy of all permissions in each server.

A server checks with each request whether its copy is still current, so a change takes effect on all servers with
the next request, even if a notification was lost.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

import asyncpg
import msgspec

from handrail.ports.agents import validate_agent_name
from handrail.ports.browser_store import PairedPlugin
from handrail.ports.errors import Conflict, Declined, InvalidParams, NotFound
from handrail.ports.policy import Rule
from handrail.ports.team import Limits, Member, Role, validate_role
from handrail.stores.shared.browser_plugins import PAIRED, paired_plugin
from handrail.stores.team.database import Connection, TeamDatabase

TOKEN_PREFIX = "hrt_"
SAME_MOMENT = 0.02
"""Seconds for which a check is valid, so that a request that was just authenticated needs no second check."""
_MEMBERS = "SELECT id, name, role, limits, owner, created_at, token_hash FROM member WHERE revoked_at IS NULL"
_SESSIONS = (
    "SELECT cookie_hash, page_hash, member, user_agent, created_at, expires_at FROM session"
    " WHERE expires_at > now() ORDER BY created_at"
)
_RULES = "SELECT rule FROM rule ORDER BY number"


@dataclass(frozen=True, slots=True)
class TeamSession:
    hash: str
    page: str
    member: str
    user_agent: str
    created_at: float
    expires_at: float

    @property
    def id(self) -> str:
        """Identifies the session to people; it isn't a secret."""
        return self.hash[:16]


@dataclass(slots=True)
class AccessCopy:
    """A copy of all members, sessions, permission rules and paired browsers, at one version."""

    version: int = -1
    members: dict[str, Member] = field(default_factory=dict)
    by_hash: dict[str, Member] = field(default_factory=dict)
    sessions: dict[str, TeamSession] = field(default_factory=dict)
    rules: Sequence[Rule] = ()
    paired: Sequence[PairedPlugin] = ()


class TeamMembers:
    """Implements `Members`."""

    def __init__(self, database: TeamDatabase) -> None:
        self._database = database
        self._copy = AccessCopy()
        self._looked_at = -math.inf
        self._lock = threading.Lock()
        self._followers: list[Callable[[AccessCopy], None]] = []

    def follow(self, tell: Callable[[AccessCopy], None]) -> None:
        """Calls `tell` with the copy now and with each newer one."""
        self._followers.append(tell)
        tell(self._copy)

    async def refresh(self, within: float = 0.0) -> AccessCopy:
        """The current copy, after a check of the database unless the last check was `within` so many seconds."""
        now = time.monotonic()
        if now - self._looked_at >= within:
            version = await self._database.call(_version)
            if version != self._copy.version:
                self._use(await self._database.call(_read))
            self._looked_at = max(now, self._looked_at)
        return self._copy

    def load(self) -> AccessCopy:
        """Blocks."""
        self._use(self._database.run(_read))
        return self._copy

    @property
    def copy(self) -> AccessCopy:
        """The copy of the last check."""
        return self._copy

    def add(self, name: str, role: Role, limits: Limits, *, owner: str, by: str) -> tuple[Member, str]:
        validate_agent_name(name)
        if role != "approver" and limits != Limits():
            raise InvalidParams("Only approvers have limits.", field="role")
        if owner and not any(each.name == owner for each in self.all()):
            raise NotFound(f"There is no member {owner!r}.", hint="`handrail team token list` shows them.")
        id, token = f"{name}.{secrets.token_hex(3)}", TOKEN_PREFIX + secrets.token_urlsafe(32)
        query = (
            "INSERT INTO member (id, name, role, limits, owner, token_hash, created_by)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING name, created_at"
        )
        row = (id, name, role, msgspec.json.encode(limits), owner, hash_of(token), by)
        inserted = self._database.run(lambda rows: _inserted(rows, query, row, name))
        assert inserted is not None
        return Member(id, name, role, limits, owner, _text(inserted["created_at"]), hash_of(token)), token

    def admit(self, subject: str, name: str, role: Role) -> Member:
        """Signs in a person. `subject` identifies the provider and the person, so it is always the same member.

        A member keeps the name of the first sign-in: who may not approve a request is recorded by name.
        """
        validate_agent_name(name)
        id = f"oidc.{hash_of(subject)[:24]}"
        query = (
            "INSERT INTO member (id, name, role, limits, token_hash, created_by) VALUES ($1, $2, $3, $4, $5, 'oidc')"
            " ON CONFLICT (tenant, id) DO UPDATE SET role = EXCLUDED.role"
            " WHERE member.revoked_at IS NULL RETURNING name, created_at"
        )
        row = (id, name, role, msgspec.json.encode(Limits()), hash_of(secrets.token_urlsafe(32)))
        admitted = self._database.run(lambda rows: _inserted(rows, query, row, name))
        if admitted is None:
            raise Declined("An administrator has revoked your access to this team.", reason="revoked")
        return Member(id, admitted["name"], role, Limits(), "", _text(admitted["created_at"]))

    def revoke(self, name: str) -> Member:
        async def remove(rows: Connection) -> Member:
            async with rows.transaction():
                query = (
                    "UPDATE member SET revoked_at = now() WHERE revoked_at IS NULL AND (name = $1 OR id = $1)"
                    " RETURNING id, name, role, limits, owner, created_at, token_hash"
                )
                if (row := await rows.fetchrow(query, name)) is None:
                    raise NotFound(f"There is no member {name!r}.", hint="`handrail team token list` shows them.")
                await rows.execute("DELETE FROM session WHERE member = $1", row["id"])
                await rows.execute("DELETE FROM sign_in_code WHERE member = $1", row["id"])
                return _member(row)

        return self._database.run(remove)

    def all(self) -> Sequence[Member]:
        return list(self.load().members.values())

    async def current(self, name: str) -> Member | None:
        copy = await self.refresh()
        return next((each for each in copy.members.values() if each.name == name), None)

    async def with_id(self, id: str) -> Member | None:
        return (await self.refresh()).members.get(id)

    def with_token(self, token: str) -> Member | None:
        """The member with this token, in the current copy. Looked up by hash, so that timing reveals nothing."""
        return self._copy.by_hash.get(hash_of(token))

    def _use(self, copy: AccessCopy) -> None:
        with self._lock:
            if copy.version >= self._copy.version:
                self._copy = copy
                for tell in self._followers:
                    tell(copy)


async def _inserted(rows: Connection, query: str, row: Sequence[Any], name: str) -> asyncpg.Record | None:
    try:
        inserted: asyncpg.Record | None = await rows.fetchrow(query, *row)
        return inserted
    except asyncpg.UniqueViolationError:
        raise Conflict(
            f"There is a member named {name!r} already.",
            hint=f"Choose another name, or first `handrail team token revoke {name}`.",
        ) from None


async def _version(rows: Connection) -> int:
    return await rows.fetchval("SELECT version FROM access_version") or 0


async def _read(rows: Connection) -> AccessCopy:
    async with rows.transaction(isolation="repeatable_read", readonly=True):
        version = await _version(rows)
        members = [_member(row) for row in await rows.fetch(_MEMBERS)]
        sessions = [_session(row) for row in await rows.fetch(_SESSIONS)]
        rules = [msgspec.json.decode(rule, type=Rule) for (rule,) in await rows.fetch(_RULES)]
        paired = [paired_plugin(row) for row in await rows.fetch(PAIRED)]
    return AccessCopy(
        version,
        {each.id: each for each in members},
        {each.token_hash: each for each in members},
        {each.hash: each for each in sessions},
        rules,
        paired,
    )


def _member(row: Any) -> Member:
    limits = msgspec.json.decode(row["limits"], type=Limits)
    role = validate_role(row["role"])
    return Member(row["id"], row["name"], role, limits, row["owner"], _text(row["created_at"]), row["token_hash"])


def _session(row: Any) -> TeamSession:
    cookie, page, member, user_agent, created_at, expires_at = row
    return TeamSession(cookie, page, member, user_agent, created_at.timestamp(), expires_at.timestamp())


def _text(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def hash_of(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
