"""The copy of the project that an agent in a narrow cage works on."""

import os
import subprocess
from collections.abc import Collection
from pathlib import Path

from handrail.ports.errors import InputOutput

_AT_ONCE = 500


def copy_project(project: str, copy: Path, left_out: Collection[str]) -> str | None:
    """Times and modes stay, so that changes are found by them; blocks are shared where the file system can.

    A sentence where something couldn't be copied. InputOutput where nothing could.
    """
    names = [name for name in os.listdir(project) if name not in left_out]
    said = ""
    for start in range(0, len(names), _AT_ONCE):
        paths = [os.path.join(project, name) for name in names[start : start + _AT_ONCE]]
        command = ["cp", "--archive", "--reflink=auto", "--target-directory", str(copy), "--", *paths]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        said = said or (done.stderr.strip().split("\n")[0] if done.returncode != 0 else "")
    if said and not any(copy.iterdir()):
        raise InputOutput(f"The project can't be copied: {said}")
    return f"not everything could be copied: {said}" if said else None
