"""Runs ripgrep as a child process in an open folder. Returns line numbers, not content.

ripgrep opens files by path, so a hit is only a hint: the caller reads each line again through the sandbox.
"""

import asyncio
import os
import re
import sysconfig
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from handrail.ports.errors import InputOutput, InvalidParams, Unsupported


class Hit(NamedTuple):
    """A matching line: its path below the searched folder, its number from 1, and the byte offset of its start."""

    path: str
    line: int
    offset: int


_MAX_PATTERN_BYTES = 64 * 1024
_CHUNK = 256 * 1024
_MAX_RECORD = 64 * 1024
_MAX_ERROR_TEXT = 8 * 1024
_FAILED = 2


async def search(
    folder: int, name: str, regex: str, glob: str | None, closed: Sequence[str]
) -> AsyncGenerator[Hit, None]:
    """Yields hits below `name` in the folder of the descriptor. Closing the generator ends the search."""
    process = await asyncio.create_subprocess_exec(
        *_command(name, regex, glob, closed),
        cwd=f"/proc/self/fd/{folder}",
        pass_fds=(folder,),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.defpath},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    error_text = asyncio.ensure_future(_read_beginning(process.stderr))
    try:
        async for record in _records(process.stdout):
            if hit := _hit(record):
                yield hit
        status = await process.wait()
        message = (await error_text).decode(errors="replace").strip()
        if status == _FAILED and message:
            raise InvalidParams(f"ripgrep can't search for that: {message}", hint="The syntax is RE2's.")
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        # asyncio reports the end of a child only when its pipes are read to the end.
        while await process.stdout.read(_CHUNK):
            pass
        await error_text
        await process.wait()


async def _read_beginning(stream: asyncio.StreamReader) -> bytes:
    """Reads everything, so that the child never blocks, but keeps only the beginning."""
    beginning = b""
    while chunk := await stream.read(_MAX_ERROR_TEXT):
        beginning = (beginning + chunk)[:_MAX_ERROR_TEXT]
    return beginning


def _command(name: str, regex: str, glob: str | None, closed: Sequence[str]) -> list[str]:
    for name_of_text, text in (("regex", regex), ("filePattern", glob or "")):
        if "\0" in text:
            raise InvalidParams(f"`{name_of_text}` contains a NUL character.")
        if len(text.encode()) > _MAX_PATTERN_BYTES:
            raise InvalidParams(f"`{name_of_text}` is longer than {_MAX_PATTERN_BYTES} bytes.")
    command = [
        program(),
        "--no-config",
        "--no-ignore",
        "--hidden",
        "--no-messages",
        "--crlf",
        "--encoding=none",
        "--color=never",
        "--no-heading",
        "--with-filename",
        "--line-number",
        "--byte-offset",
        "--null",
        # We don't need the content: with a limit of one column, ripgrep prints a short note in its place.
        "--max-columns=1",
        # Without limits some patterns take a gigabyte per thread.
        "--regex-size-limit=16M",
        "--dfa-size-limit=64M",
        f"--regexp={regex}",
    ]
    if glob is not None:
        command.append(f"--glob={glob}")
    command += [f"--iglob=!{_glob_literal(folder)}" for folder in closed]
    command += ["--glob=!.handrail-*.tmp", "--", name]
    return command


def _glob_literal(name: str) -> str:
    """Turns a policy's folder name into a glob. Names may have slashes around them."""
    plain = re.sub(r"([\[\]{}*?\\!])", r"\\\1", name.strip("/"))
    return f"/{plain}" if "/" in plain else plain


@cache
def program() -> str:
    """Returns the binary installed beside this Python, otherwise the one on the PATH."""
    bundled = Path(sysconfig.get_path("scripts")) / "rg"
    if bundled.exists():
        return str(bundled)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        candidate = Path(folder) / "rg"
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    raise Unsupported("ripgrep is not installed.", hint="Reinstall handrail: it includes ripgrep.")


async def _records(stream: asyncio.StreamReader) -> AsyncGenerator[bytes, None]:
    """Splits the output. A path may contain an LF, so a record is complete only with its NUL."""
    rest = b""
    while chunk := await stream.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        pending = b""
        for line in lines:
            record = pending + line
            if b"\0" in record:
                yield record
                pending = b""
            elif len(record) < _MAX_RECORD:
                pending = record + b"\n"
        rest = pending + rest
        if len(rest) > _MAX_RECORD:
            raise InputOutput("ripgrep's output can't be read.")
    if b"\0" in rest:
        yield rest


def _hit(record: bytes) -> Hit | None:
    path, _, place = record.partition(b"\0")
    numbers = place.split(b":", 2)
    try:
        return Hit(path.decode().removeprefix("./"), int(numbers[0]), int(numbers[1]))
    except (UnicodeDecodeError, ValueError, IndexError):
        return None
