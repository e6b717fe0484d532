"""Starts installed apps by their desktop files, as the session's menu would."""

import os
import shlex
import subprocess
from pathlib import Path

from handrail.features.desktop.backends.atspi.identity import app_folders, desktop_entry
from handrail.ports.errors import NotFound, Unsupported

_FILE_CODES = ("%f", "%F", "%u", "%U")


def launch(name: str, file: str | None) -> int:
    """Starts an app and returns its process id. `name` is that of a desktop file, or the last part of it."""
    path = _find_desktop_file(name)
    fields = desktop_entry(path)
    if fields.get("Type") != "Application" or not fields.get("Exec"):
        raise NotFound(f"{name!r} isn't a program.")
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


def _find_desktop_file(name: str) -> Path:
    folded_name = name.removesuffix(".desktop").casefold()
    ids: list[str] = []
    for folder in app_folders():
        for file in sorted(folder.rglob("*.desktop")):
            id = str(file.relative_to(folder)).replace("/", "-").removesuffix(".desktop")
            if id.casefold() == folded_name or id.rpartition(".")[2].casefold() == folded_name:
                return file
            ids.append(id)
    similar = [id for id in ids if folded_name in id.casefold()]
    raise NotFound(f"No app named {name!r} is installed.", hint=", ".join(similar[:10]) or None)


def _command(exec_line: str, file: str | None) -> list[str]:
    words: list[str] = []
    takes_file = False
    for word in shlex.split(exec_line):
        if word in _FILE_CODES:
            takes_file = True
            words += [file] if file is not None else []
        elif not (len(word) == 2 and word.startswith("%")):
            words.append(word.replace("%%", "%"))
    if file is not None and not takes_file:
        raise Unsupported("This app takes no file when it is launched.")
    return words
