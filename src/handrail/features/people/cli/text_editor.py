"""Lets the person change a text in the editor of their choice ($VISUAL, $EDITOR), or in vi."""

import asyncio
import os
import shlex
import tempfile
from pathlib import Path, PurePosixPath

_FALLBACK = "vi"


async def edited(text: str, path: str) -> str | None:
    """The text as the person leaves it; None where they changed nothing, or the editor could not be used."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or _FALLBACK)
    with tempfile.TemporaryDirectory(prefix="handrail-") as folder:
        file = Path(folder) / (PurePosixPath(path).name or "text")
        file.write_bytes(text.encode())
        try:
            editor = await asyncio.create_subprocess_exec(*command, str(file))
        except OSError:
            return None
        try:
            status = await editor.wait()
        except asyncio.CancelledError:
            editor.terminate()
            await editor.wait()
            raise
        try:
            left = file.read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return None
    return left if status == 0 and left != text else None
