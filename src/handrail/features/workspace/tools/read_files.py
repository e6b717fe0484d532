"""read_files: several text files in one call, whole or the lines that are asked for."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.features.workspace.closed_reading import may_see
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


class Wanted(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    path: str
    head: Count | None = None
    tail: Count | None = None
    lines: tuple[Count, Count] | None = None


class Params(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    files: Annotated[list[Wanted], Meta(min_length=1, max_length=_MOST_FILES)]


class File(msgspec.Struct, frozen=True, rename="camel"):
    """`first_line` and `total_lines` where a part was asked for. `error` in place of the content where it can't be."""

    path: str
    content: str | UnsetType = UNSET
    bytes: int | UnsetType = UNSET
    first_line: int | UnsetType = UNSET
    total_lines: int | UnsetType = UNSET
    error: Any = UNSET


class Result(msgspec.Struct, frozen=True):
    files: list[File]


async def read_files(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Read up to 50 text files in one call: each whole, or its first lines (`head`), last lines (`tail`) or `lines`
    [first, last], counted from 1. A file that can't be read gets an `error`; the others are still read.
    """
    left = workspace.policy().limits.max_read_bytes
    files = list[File]()
    for wanted in params.files:
        try:
            path = canonical(wanted.path)
            await call.check(Target(path=path))
            if not may_see(workspace, call, path):
                raise Declined(f"A rule requires approval before {path} is read.", hint="Use read_file.", path=path)
            read = await in_thread(call, partial(_read, workspace, wanted, left))
        except Failure as failure:
            read = File(wanted.path, error=DIALECT.envelope(failure)["error"])
        if read.content is not UNSET:
            left -= len(read.content.encode())
        files.append(read)
    return Result(files)


def _read(workspace: Workspace, wanted: Wanted, left: int) -> File:
    """The limit is for what is answered with, all files together."""
    chosen = [part for part in (wanted.head, wanted.tail, wanted.lines) if part is not None]
    if len(chosen) > 1:
        raise InvalidParams("Give one of head, tail and lines.", path=wanted.path)
    if wanted.lines is not None and wanted.lines[0] > wanted.lines[1]:
        raise InvalidParams("`lines` is [first, last], and the first comes after the last.", path=wanted.path)
    path = canonical(wanted.path)
    data = workspace.files.read(path, None if chosen else left)
    text = text_of(data, path)
    if not chosen:
        return File(path, text, len(data))
    lines = _lines(text)
    first, last = _range(wanted, len(lines))
    part = "".join(lines[first - 1 : last])
    if len(part.encode()) > left:
        raise TooLarge(f"{path!r}: these lines are larger than {left} bytes.", path=path, limit=left)
    return File(path, part, len(data), first, len(lines))


def _lines(text: str) -> list[str]:
    """As editors count them: an LF ends a line, and nothing else."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _range(wanted: Wanted, total: int) -> tuple[int, int]:
    """First and last, counted from 1; what is beyond the end is left out."""
    if wanted.lines is not None:
        return wanted.lines[0], min(wanted.lines[1], total)
    if wanted.head is not None:
        return 1, min(wanted.head, total)
    return max(1, total - (wanted.tail or 0) + 1), total


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
