"""The tables of `<stateDir>/handrail.db`, and their migrations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.stores.local import locks, sealed_rows
from handrail.stores.local.database import Database, Permissions
from handrail.stores.local.migration import Step

if TYPE_CHECKING:
    import sqlite3

CONSENTS_AND_GRANTS = "consents and grants in handrail.db"


def _add_tokens(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE token (
          fingerprint TEXT PRIMARY KEY,
          caller TEXT NOT NULL,
          method TEXT NOT NULL,
          params_digest TEXT NOT NULL,
          deadline REAL NOT NULL,
          used_at REAL
        ) WITHOUT ROWID
        """
    )
    connection.execute("CREATE INDEX token_by_deadline ON token (deadline)")


def _add_claimed(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE claimed (key TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID")


def _add_answerers(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE answerer (request_id TEXT PRIMARY KEY, by TEXT NOT NULL) WITHOUT ROWID")


def _add_consents(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE consent (
          id TEXT PRIMARY KEY,
          caller TEXT NOT NULL,
          app TEXT NOT NULL,
          app_name TEXT NOT NULL,
          tool TEXT NOT NULL,
          digest TEXT NOT NULL,
          at TEXT NOT NULL,
          by TEXT NOT NULL
        ) WITHOUT ROWID
        """
    )
    connection.execute("CREATE INDEX consent_by_app ON consent (app, caller)")


def _add_task_owners(connection: sqlite3.Connection) -> None:
    columns = "task TEXT PRIMARY KEY, identity TEXT NOT NULL, agent TEXT NOT NULL, at REAL NOT NULL"
    connection.execute(f"CREATE TABLE task_owner ({columns}) WITHOUT ROWID")


def _add_asked(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE asked (who TEXT NOT NULL, at REAL NOT NULL)")


def _add_task_grants(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE task_grant (
          id TEXT PRIMARY KEY,
          identity TEXT NOT NULL,
          task TEXT NOT NULL,
          grant BLOB NOT NULL,
          caller TEXT NOT NULL,
          at TEXT NOT NULL,
          by TEXT NOT NULL
        ) WITHOUT ROWID
        """
    )
    connection.execute("CREATE INDEX task_grant_by_task ON task_grant (identity, task)")


def _add_origins(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE origin (request_id TEXT PRIMARY KEY, by TEXT NOT NULL, is_own INTEGER NOT NULL) WITHOUT ROWID"
    )


def _add_consented_programs(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE consent ADD COLUMN program TEXT NOT NULL DEFAULT ''")


def _add_shown(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE origin ADD COLUMN shown TEXT")


def _seal_owners_and_origins(connection: sqlite3.Connection) -> None:
    owner = "task TEXT NOT NULL, identity TEXT NOT NULL, agent TEXT NOT NULL, at REAL NOT NULL"
    origin = "request_id TEXT NOT NULL UNIQUE, by TEXT NOT NULL, is_own INTEGER NOT NULL, shown TEXT"
    sealed_rows.convert(connection, _folder_of(connection), {"task_owner": owner, "origin": origin})
    connection.execute("CREATE INDEX task_owner_by_task ON task_owner (task)")


def _seal_claims(connection: sqlite3.Connection) -> None:
    """Without its row, an answer could be used again."""
    claimed = "key TEXT NOT NULL UNIQUE, at REAL NOT NULL"
    sealed_rows.convert(connection, _folder_of(connection), {"claimed": claimed})


def _folder_of(connection: sqlite3.Connection) -> Path:
    (_, _, path) = connection.execute("PRAGMA database_list").fetchone()
    return Path(path).parent


def _add_waits(connection: sqlite3.Connection) -> None:
    """Prompts whose poster waits for the answer. People only read them, so the rows aren't sealed."""
    connection.execute("CREATE TABLE waited_for (request_id TEXT PRIMARY KEY) WITHOUT ROWID")


STEPS: Sequence[Step[sqlite3.Connection]] = (
    _add_tokens,
    _add_claimed,
    _add_answerers,
    _add_consents,
    _add_task_owners,
    _add_asked,
    _add_task_grants,
    _add_origins,
    _add_consented_programs,
    _add_shown,
    _seal_owners_and_origins,
    _add_waits,
    _seal_claims,
)


def state_database(path: Path, *, patience: float = locks.PATIENCE) -> Database:
    permissions = Permissions(path.parent, CONSENTS_AND_GRANTS, ("consent", "task_grant"))
    return Database(path, STEPS, patience=patience, permissions=permissions)
