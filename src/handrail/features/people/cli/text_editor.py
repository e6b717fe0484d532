"""Lets the person edit a text in their own editor ($VISUAL, $EDITOR), or in vi."""

import asyncio
import os
import shlex
import tempfile
from pathlib import Path, PurePosixPath

_FALLBACK = "vi"


async def edit_text(text: str, path: str) -> str | None:
    """Returns the edited text; None if nothing was changed or the editor could not be used."""
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
            result = file.read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return None
    return result if status == 0 and result != text else None
