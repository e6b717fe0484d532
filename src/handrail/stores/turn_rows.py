"""Converts runs and conversations to database rows and back."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from handrail.ports.agent import Run
from handrail.ports.model import AssistantTurn, Note, Picture, ToolResult, Turn, UserTurn

_turns = msgspec.json.Decoder(Turn)
_KINDS: Mapping[type[Turn], str] = {UserTurn: "user", AssistantTurn: "assistant", ToolResult: "tool", Note: "note"}
CONVERSATION_COLUMNS = "task_id, kind, message_id, text, turn, sent_at, at, is_past"


def answer_row(task_id: str, answer: UserTurn) -> tuple[Any, ...]:
    return (task_id, "answer", answer.id, answer.text, b"", answer.sent_at or None, now_ms(), True)


def summary_row(task_id: str, note: str) -> tuple[Any, ...]:
    return (task_id, "summary", None, note, msgspec.json.encode(Note("")), None, now_ms(), False)


def picture_rows(task_id: str, turns: Sequence[Turn]) -> list[tuple[str, str, str, bytes]]:
    return [
        (task_id, turn.execution_id, picture.mime, picture.data)
        for turn in turns
        if isinstance(turn, ToolResult)
        for picture in turn.pictures
    ]


def encoded_run(run: Run) -> bytes:
    members = msgspec.structs.asdict(run)
    del members["status"]  # it has a column of its own
    return msgspec.json.encode(members)


def run_of(row: tuple[str, bytes]) -> Run:
    return msgspec.convert({**msgspec.json.decode(row[1]), "status": row[0]}, Run)


def turn_of(turn: bytes, text: str) -> Turn:
    decoded: Turn = _turns.decode(turn)
    return msgspec.structs.replace(decoded, text=text)


def turn_row(task_id: str, turn: Turn) -> tuple[Any, ...]:
    """A turn as a row. The text has its own column, tool pictures have their own table; secrets are not stored."""
    message_id = turn.id or None if isinstance(turn, UserTurn | AssistantTurn) else None
    sent_at = turn.sent_at or None if isinstance(turn, UserTurn) else None
    stored: Turn = msgspec.structs.replace(turn, text="")
    if isinstance(stored, ToolResult):
        stored = msgspec.structs.replace(stored, pictures=(), unkept="")
    if isinstance(stored, UserTurn):
        stored = msgspec.structs.replace(stored, sent_at=0)
    return (task_id, _KINDS[type(turn)], message_id, turn.text, msgspec.json.encode(stored), sent_at, now_ms(), False)


def with_pictures(turn: Turn, pictures: Mapping[str, list[Picture]]) -> Turn:
    if not isinstance(turn, ToolResult) or turn.execution_id not in pictures:
        return turn
    return msgspec.structs.replace(turn, pictures=tuple(pictures[turn.execution_id]))


def now_ms() -> int:
    return int(time.time() * 1000)
