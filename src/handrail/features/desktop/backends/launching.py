"""Starts installed apps as the session's menu would: by their desktop files, and nothing else."""

import os
import shlex
import subprocess
from pathlib import Path

from handrail.features.desktop.backends.atspi.identity import app_folders, desktop_entry
from handrail.ports.errors import NotFound, Unsupported

_FILE_CODES = ("%f", "%F", "%u", "%U")


def launch(name: str, file: str | None) -> int:
    """The process id. `name` is a desktop file's, with or without its ending, or the last part of it."""
    path = _found(name)
    fields = desktop_entry(path)
    if fields.get("Type") != "Application" or not fields.get("Exec"):
        raise NotFound(f"{name!r} is not a program.")
    if fields.get("Terminal", "").strip() == "true":
        raise Unsupported(f"{name!r} runs in a terminal.", hint="Launch a terminal instead.")
    process = subprocess.Popen(
        _command(fields["Exec"], file),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.environ.get("HOME") or "/",
        env={**os.environ, "GIO_LAUNCHED_DESKTOP_FILE": str(path)},
        start_new_session=True,
    )
    return process.pid


def _found(name: str) -> Path:
    wanted = name.removesuffix(".desktop").casefold()
    ids: list[str] = []
    for folder in app_folders():
        for file in sorted(folder.rglob("*.desktop")):
            id = str(file.relative_to(folder)).replace("/", "-").removesuffix(".desktop")
            if id.casefold() == wanted or id.rpartition(".")[2].casefold() == wanted:
                return file
            ids.append(id)
    near = [id for id in ids if wanted in id.casefold()]
    raise NotFound(f"No app named {name!r} is installed.", hint=", ".join(near[:10]) or None)


def _command(exec_line: str, file: str | None) -> list[str]:
    words: list[str] = []
    has_place = False
    for word in shlex.split(exec_line):
        if word in _FILE_CODES:
            has_place = True
            words += [file] if file is not None else []
        elif not (len(word) == 2 and word.startswith("%")):
            words.append(word.replace("%%", "%"))
    if file is not None and not has_place:
        raise Unsupported("This app takes no file when it is launched.")
    return words
