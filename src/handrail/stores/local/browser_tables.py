"""The tables of `<stateDir>/browser/browser.db`, for the tasks of contract 2 and of the agent, and their migrations.

It is a separate database, so that its thousands of small writes don't delay the durable writes of tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.stores.local.database import Database, Permissions
from handrail.stores.local.migration import Step

if TYPE_CHECKING:
    import sqlite3

PAIRED_BROWSERS = "paired browsers in browser/browser.db"

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
    """`place` is -1 for a summary of all earlier turns, which comes first whenever it was written."""
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
    """The newest pictures of a task, for the model; all pictures are in the evidence."""
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


def _store_conversations_once(connection: sqlite3.Connection) -> None:
    """Merges turns and messages, which were stored twice, into `conversation`.

    Rows with a `message_id` are messages. `turn` is JSON without the text. An `answer` is a message that answered a
    question and so wasn't a turn; a `summary` replaces the turns that are past.
    """
    connection.execute(
        """
        CREATE TABLE conversation (
          number INTEGER PRIMARY KEY,
          task_id TEXT NOT NULL,
          kind TEXT NOT NULL,
          message_id TEXT,
          text TEXT NOT NULL,
          turn BLOB NOT NULL,
          sent_at INTEGER,
          at INTEGER NOT NULL,
          is_past INTEGER NOT NULL DEFAULT 0
        )
        """
    )
    connection.execute("CREATE INDEX conversation_turns ON conversation (task_id, is_past, number)")
    connection.execute("CREATE INDEX conversation_in_order ON conversation (task_id, number)")
    connection.execute("CREATE UNIQUE INDEX conversation_messages ON conversation (task_id, message_id)")
    add = "INSERT INTO conversation (task_id, kind, message_id, text, turn, sent_at, at, is_past)"
    tasks = connection.execute("SELECT task_id FROM agent_turn UNION SELECT task_id FROM browser_message").fetchall()
    for task in tasks:
        turns = "SELECT turn, place, is_past, at FROM agent_turn WHERE task_id = ? ORDER BY number"
        messages = "SELECT id, role, content, timestamp FROM browser_message WHERE task_id = ? ORDER BY number"
        rows = _merged(connection.execute(turns, task).fetchall(), connection.execute(messages, task).fetchall())
        connection.executemany(f"{add} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ((*task, *row) for row in rows))
    connection.execute("DROP TABLE agent_turn")
    connection.execute("DROP TABLE browser_message")
    for task_id, run in connection.execute("SELECT task_id, run FROM agent_run").fetchall():
        members = {name: value for name, value in json.loads(run).items() if name != "status"}
        connection.execute("UPDATE agent_run SET run = ? WHERE task_id = ?", (json.dumps(members).encode(), task_id))


def _merged(turns: Sequence[tuple[Any, ...]], messages: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Rows of `conversation`: the turns in order, and between them the messages that weren't turns."""
    places = {message[0]: place for place, message in enumerate(messages)}
    decoded = [(json.loads(turn), *columns) for turn, *columns in turns]
    turn_ids = {turn["id"] for turn, *_ in decoded if turn.get("id")}
    used: set[str] = set()
    next_message = 0
    for turn, place, is_past, at in decoded:
        turn_id = turn.get("id") or None
        message_id = None if turn_id in used else turn_id
        used |= {message_id} if message_id else set()
        if message_id in places:
            yield from _messages_only(messages[next_message : places[message_id]], turn_ids)
            next_message = max(next_message, places[message_id] + 1)
        sent_at = messages[places[message_id]][3] if message_id in places else None
        text, kind = turn["text"], "summary" if place < 0 else turn["type"]
        yield kind, message_id, text, json.dumps({**turn, "text": ""}).encode(), sent_at, at, is_past
    yield from _messages_only(messages[next_message:], turn_ids)


def _messages_only(messages: Sequence[tuple[Any, ...]], turn_ids: set[str]) -> Iterator[tuple[Any, ...]]:
    for id, role, content, timestamp in messages:
        if id not in turn_ids:
            kind, turn = ("answer", b"") if role == "user" else ("assistant", b'{"type":"assistant","text":""}')
            yield kind, id, content, turn, timestamp, timestamp, True


def _add_enrollment(connection: sqlite3.Connection) -> None:
    """Adds which browsers may confirm approvals, and which were started by handrail."""
    for name in ("is_launched", "is_enrolled"):
        connection.execute(f"ALTER TABLE browser_pairing ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0")


def _add_reading(connection: sqlite3.Connection) -> None:
    """Adds whether an agent may read while a person has taken over its task; NULL without a takeover."""
    connection.execute("ALTER TABLE browser_task ADD COLUMN is_reading INTEGER")


STEPS: Sequence[Step[sqlite3.Connection]] = (
    _add_tables,
    _add_order_in_task,
    _add_agent,
    _add_pictures,
    _store_conversations_once,
    _add_enrollment,
    _add_reading,
)


def browser_database(state: Path) -> Database:
    permissions = Permissions(state, PAIRED_BROWSERS, ("browser_pairing",))
    return Database(state / "browser" / "browser.db", STEPS, permissions=permissions)
