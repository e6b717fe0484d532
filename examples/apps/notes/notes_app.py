"""Short notes in one file, `notes.json` in the data folder, which is never half-written."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec

from handrail.aai import App

app = App("com.example.notes", name="Notes", description="Short notes to remember things by.", version="1.0.0")

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=20_000)]
Tag = Annotated[str, msgspec.Meta(pattern=r"^[^\s,]{1,50}$(?!\n)")]


class Note(msgspec.Struct, kw_only=True):
    id: int
    text: str
    tags: list[str]
    changed_at: datetime


class Found(msgspec.Struct):
    notes: list[Note]
    total: int


class _File(msgspec.Struct):
    next_id: int = 1
    notes: list[Note] = []


@app.tool(examples=[{"text": "Buy milk", "tags": ["shopping"]}])
def add(text: Text, tags: list[Tag] = []) -> Note:  # noqa: B006
    """Add a note.

    Args:
        text: What to remember.
        tags: Words to find it by, without spaces.
    """
    with _notes() as file:
        note = Note(id=file.next_id, text=text, tags=tags, changed_at=_now())
        file.notes.append(note)
        file.next_id += 1
    return note


@app.tool(idempotent=True, examples=[{}, {"query": "milk"}])
def find(query: str = "", tag: str | None = None, limit: Annotated[int, msgspec.Meta(ge=1, le=500)] = 50) -> Found:
    """Find notes, newest first; without parameters, all.

    Args:
        query: A part of the text, in any case.
        tag: One of the note's tags.
        limit: The maximum number.

    Returns:
        The notes, and the total number.
    """
    hits = [
        note for note in _read().notes if query.casefold() in note.text.casefold() and (tag is None or tag in note.tags)
    ]
    return Found(sorted(hits, key=lambda note: (note.changed_at, note.id), reverse=True)[:limit], len(hits))


@app.tool(idempotent=True)
def change(id: int, text: Text | None = None, tags: list[Tag] | None = None) -> Note:
    """Change the text or the tags of a note; what is left out stays.

    Args:
        id: The note's number.
        text: The new text.
        tags: All of the new tags.
    """
    with _notes() as file:
        note = _pick(file, id)
        note.text = note.text if text is None else text
        note.tags = note.tags if tags is None else tags
        note.changed_at = _now()
    return note


@app.tool
def delete(id: int) -> Note:
    """Delete a note permanently.

    Args:
        id: The note's number.

    Returns:
        The note as it was.
    """
    with _notes() as file:
        note = _pick(file, id)
        file.notes.remove(note)
    return note


def _pick(file: _File, id: int) -> Note:
    for note in file.notes:
        if note.id == id:
            return note
    raise app.Error("NO_SUCH_NOTE", f"There is no note {id}.")


def _path() -> Path:
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "notes-app" / "notes.json"


def _read() -> _File:
    try:
        return msgspec.json.decode(_path().read_bytes(), type=_File)
    except FileNotFoundError:
        return _File()
    except msgspec.MsgspecError as error:
        raise app.Error("DAMAGED_FILE", f"{_path()} can't be read: {error}. Nothing was changed.") from None


@contextmanager
def _notes() -> Iterator[_File]:
    """Yields the notes to change. They are saved when the block ends, and unchanged if it raises."""
    path = _path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (path.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = _read()
        yield file
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            with draft.open("xb") as new:
                new.write(msgspec.json.format(msgspec.json.encode(file), indent=1))
                new.flush()
                os.fsync(new.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def _now() -> datetime:
    return datetime.now(UTC)


def main() -> None:
    app.run(idle=300)


if __name__ == "__main__":
    main()
