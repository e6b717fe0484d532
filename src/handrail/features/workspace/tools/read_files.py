"""read_files: reads several text files in one call, each whole or in part."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.features.workspace.unreadable_files import may_read
from handrail.features.workspace.workspace import Workspace, canonical, text_of
from handrail.kernel.call import Call
from handrail.kernel.dialect import DIALECT
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import Declined, Failure, InvalidParams, TooLarge

_MOST_FILES = 50
Count = Annotated[int, Meta(ge=1)]


class FilePart(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    path: str
    head: Count | None = None
    tail: Count | None = None
    lines: tuple[Count, Count] | None = None


class Params(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    files: Annotated[list[FilePart], Meta(min_length=1, max_length=_MOST_FILES)]


class File(msgspec.Struct, frozen=True, rename="camel"):
    """`first_line` and `total_lines` are set for a part of a file. `error` replaces content that can't be read."""

    path: str
    content: str | UnsetType = UNSET
    bytes: int | UnsetType = UNSET
    first_line: int | UnsetType = UNSET
    total_lines: int | UnsetType = UNSET
    error: Any = UNSET


class Result(msgspec.Struct, frozen=True):
    files: list[File]


async def read_files(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Read up to 50 text files: each whole, or its `head`, `tail` or `lines` [first, last], counted from 1. One that
    can't be read gets an `error`.
    """
    remaining = workspace.policy().limits.max_read_bytes
    files = list[File]()
    for file_part in params.files:
        try:
            path = canonical(file_part.path)
            await call.check(Target(path=path))
            if not may_read(workspace, call, path):
                raise Declined(f"A rule requires approval before {path} is read.", hint="Use read_file.", path=path)
            file = await in_thread(call, partial(_read, workspace, file_part, remaining))
        except Failure as failure:
            file = File(file_part.path, error=DIALECT.envelope(failure)["error"])
        if file.content is not UNSET:
            remaining -= len(file.content.encode())
        files.append(file)
    return Result(files)


def _read(workspace: Workspace, file_part: FilePart, remaining: int) -> File:
    """`remaining` is how much the rest of the answer may contain, for all files together."""
    limits = [part for part in (file_part.head, file_part.tail, file_part.lines) if part is not None]
    if len(limits) > 1:
        raise InvalidParams("Give one of head, tail and lines.", path=file_part.path)
    if file_part.lines is not None and file_part.lines[0] > file_part.lines[1]:
        raise InvalidParams("`lines` is [first, last], and the first comes after the last.", path=file_part.path)
    path = canonical(file_part.path)
    data = workspace.files.read(path, None if limits else remaining)
    text = text_of(data, path)
    if not limits:
        return File(path, text, len(data))
    lines = _split_lines(text)
    first, last = _line_range(file_part, len(lines))
    part = "".join(lines[first - 1 : last])
    if len(part.encode()) > remaining:
        raise TooLarge(f"{path!r}: these lines are larger than {remaining} bytes.", path=path, limit=remaining)
    return File(path, part, len(data), first, len(lines))


def _split_lines(text: str) -> list[str]:
    """Counts lines as editors do: only LF ends a line."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _line_range(file_part: FilePart, total: int) -> tuple[int, int]:
    """Returns the first and the last line, counted from 1, within the file."""
    if file_part.lines is not None:
        return file_part.lines[0], min(file_part.lines[1], total)
    if file_part.head is not None:
        return 1, min(file_part.head, total)
    return max(1, total - (file_part.tail or 0) + 1), total


TOOL = Tool(
    name="read_files",
    title="Read several files",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    errors=(Declined, InvalidParams),
    is_idempotent=True,
    run=read_files,
)
