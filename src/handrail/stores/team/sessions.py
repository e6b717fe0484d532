"""Stores people's sessions for all servers; they start with a code or through an identity provider."""

import hmac
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from handrail.ports.team import Member, Session, SignInAttempt
from handrail.stores.team.database import Connection, TeamDatabase
from handrail.stores.team.members import TeamMembers, TeamSession, hash_of

SESSION_LIFETIME = timedelta(hours=12)
_CODE_LIFETIME = timedelta(minutes=2)
_ATTEMPT_LIFETIME = timedelta(minutes=10)


class TeamSessions:
    """Each session has two secrets, of which only the hashes are stored."""

    def __init__(self, database: TeamDatabase, members: TeamMembers) -> None:
        self._database = database
        self._members = members

    def start(self, member: str, user_agent: str) -> tuple[str, str]:
        """Returns the cookie's and the page's secret. Blocks."""
        cookie, page = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        query = (
            "INSERT INTO session (cookie_hash, page_hash, member, user_agent, expires_at)"
            " VALUES ($1, $2, $3, $4, now() + $5::interval)"
        )
        values = (hash_of(cookie), hash_of(page), member, user_agent, SESSION_LIFETIME)

        async def begin(rows: Connection) -> None:
            await rows.execute("DELETE FROM session WHERE expires_at < now()")
            await rows.execute(query, *values)

        self._database.run(begin)
        return cookie, page

    def find(self, cookie: str, page: str) -> TeamSession | None:
        """As of the last look."""
        found = self._members.copy.sessions.get(hash_of(cookie))
        if found is None or not hmac.compare_digest(found.page, hash_of(page)):
            return None
        return found if found.expires_at > datetime.now(UTC).timestamp() else None

    def member(self, session: Session) -> Member | None:
        return self._members.copy.members.get(session.member)

    def alive(self) -> Sequence[TeamSession]:
        return list(self._members.copy.sessions.values())

    def end(self, id: str) -> bool:
        """Blocks."""
        query = "DELETE FROM session WHERE left(cookie_hash, 16) = $1"
        return str(self._database.run(lambda rows: rows.execute(query, id))) != "DELETE 0"

    def make_code(self, member: str) -> str:
        """For one sign-in within two minutes, on any server. Blocks."""
        code = secrets.token_urlsafe(24)
        query = "INSERT INTO sign_in_code (code_hash, member, expires_at) VALUES ($1, $2, now() + $3::interval)"
        self._database.run(lambda rows: rows.execute(query, hash_of(code), member, _CODE_LIFETIME))
        return code

    def use_code(self, code: str) -> str | None:
        """Whose it is; None where it was used, has expired, or never was. Blocks."""
        query = "DELETE FROM sign_in_code WHERE code_hash = $1 AND expires_at > now() RETURNING member"
        found: str | None = self._database.run(lambda rows: rows.fetchval(query, hash_of(code)))
        return found

    def begin(self, state: str, attempt: SignInAttempt) -> None:
        """Blocks."""
        query = (
            "INSERT INTO sign_in_attempt (state_hash, nonce, verifier, expires_at)"
            " VALUES ($1, $2, $3, now() + $4::interval)"
        )
        values = (hash_of(state), attempt.nonce, attempt.verifier, _ATTEMPT_LIFETIME)

        async def add(rows: Connection) -> None:
            await rows.execute("DELETE FROM sign_in_attempt WHERE expires_at < now()")
            await rows.execute(query, *values)

        self._database.run(add)

    def resume(self, state: str) -> SignInAttempt | None:
        """Blocks."""
        query = "DELETE FROM sign_in_attempt WHERE state_hash = $1 AND expires_at > now() RETURNING nonce, verifier"
        found = self._database.run(lambda rows: rows.fetchrow(query, hash_of(state)))
        return None if found is None else SignInAttempt(*found)
