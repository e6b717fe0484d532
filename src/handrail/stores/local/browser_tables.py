"""The tables of tasks, contract 2's and the agent's: `<stateDir>/browser/browser.db`, and what is in them.

A database of its own: a thousand small writes a second must not stand in the way of tokens that are to be durable.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.stores.local.database import Database
from handrail.stores.local.migration import Step

if TYPE_CHECKING:
    import sqlite3

_TABLES = (
    """
    CREATE TABLE browser_task (
      task_id TEXT PRIMARY KEY,
      title TEXT NOT NULL,
      status TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      selected_client_id TEXT
    ) WITHOUT ROWID
    """,
    "CREATE INDEX browser_task_by_change ON browser_task (updated_at)",
    "CREATE TABLE browser_caller (caller TEXT PRIMARY KEY, task_id TEXT NOT NULL) WITHOUT ROWID",
    """
    CREATE TABLE browser_message (
      number INTEGER PRIMARY KEY,
      task_id TEXT NOT NULL,
      id TEXT NOT NULL,
      role TEXT NOT NULL,
      content TEXT NOT NULL,
      timestamp INTEGER NOT NULL,
      UNIQUE (task_id, id)
    )
    """,
    """
    CREATE TABLE browser_action (
      action_id TEXT PRIMARY KEY,
      task_id TEXT NOT NULL,
      client_id TEXT NOT NULL,
      actions BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      trace_id TEXT,
      status TEXT,
      result BLOB,
      error BLOB,
      ended_at INTEGER
    ) WITHOUT ROWID
    """,
    "CREATE INDEX browser_action_under_way ON browser_action (created_at) WHERE status IS NULL",
    "CREATE INDEX browser_action_by_end ON browser_action (ended_at)",
    "CREATE TABLE browser_plugin (client_id TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID",
    """
    CREATE TABLE browser_pairing (
      client_id TEXT PRIMARY KEY,
      extension_id TEXT NOT NULL,
      name TEXT NOT NULL,
      token_hash TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE browser_artifact (
      artifact_id TEXT PRIMARY KEY,
      task_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      content_type TEXT NOT NULL,
      name TEXT NOT NULL,
      token_hash TEXT NOT NULL,
      upload_until INTEGER NOT NULL,
      kept_until INTEGER NOT NULL,
      digest TEXT,
      size INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX browser_artifact_by_time ON browser_artifact (kept_until)",
)


def _add_tables(connection: sqlite3.Connection) -> None:
    for statement in _TABLES:
        connection.execute(statement)


def _add_order_in_task(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE INDEX browser_action_in_task ON browser_action (task_id, ended_at)")


def _add_agent(connection: sqlite3.Connection) -> None:
    """`place` is -1 for the note that stands for all turns before: it comes first, whenever it was written."""
    connection.execute("CREATE TABLE agent_run (task_id TEXT PRIMARY KEY, status TEXT NOT NULL, run BLOB NOT NULL)")
    connection.execute(
        """
        CREATE TABLE agent_turn (
          number INTEGER PRIMARY KEY,
          task_id TEXT NOT NULL,
          turn BLOB NOT NULL,
          place INTEGER NOT NULL DEFAULT 0,
          is_past INTEGER NOT NULL DEFAULT 0,
          at INTEGER NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX agent_turn_of_task ON agent_turn (task_id, is_past, place, number)")
    connection.execute("CREATE INDEX agent_turn_in_order ON agent_turn (task_id, number)")
    connection.execute("ALTER TABLE browser_task ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0")


def _add_pictures(connection: sqlite3.Connection) -> None:
    """The newest pictures of a task, for its model; people find all of them among the evidence."""
    connection.execute(
        """
        CREATE TABLE agent_picture (
          number INTEGER PRIMARY KEY,
          task_id TEXT NOT NULL,
          execution_id TEXT NOT NULL,
          mime TEXT NOT NULL,
          data BLOB NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX agent_picture_of_task ON agent_picture (task_id, number)")


STEPS: Sequence[Step[sqlite3.Connection]] = (_add_tables, _add_order_in_task, _add_agent, _add_pictures)


def browser_database(state: Path) -> Database:
    return Database(state / "browser" / "browser.db", steps=STEPS)
