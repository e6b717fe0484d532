"""A run in a narrow cage: saves the project's state, copies the project and prepares the agent's start."""

import os
import subprocess
from collections.abc import Collection
from pathlib import Path

from handrail.features.cage.launch import CagedAgent, Streams
from handrail.features.cage.mounts import OWN_FOLDERS
from handrail.features.cage.narrow.launch import NarrowSpec, start_narrow
from handrail.features.cage.narrow.settings import FOLDER
from handrail.features.cage.preparation import PreparedRun
from handrail.ports.errors import InputOutput

_BATCH = 500
"""How many paths one `cp` gets."""


def start(prepared: PreparedRun, streams: Streams) -> tuple[CagedAgent, str | None]:
    """Also returns a warning if some files couldn't be copied. InputOutput."""
    from handrail.features.review.offers import save_base

    # First: an edit made in between is then part of the copy, not a change by the agent.
    save_base(prepared.project, Path(prepared.folder.base))
    warning = _copy_project(prepared.project, Path(prepared.folder.copy), OWN_FOLDERS)
    return start_narrow(narrow_spec(prepared), streams), warning


def narrow_spec(prepared: PreparedRun) -> NarrowSpec:
    return NarrowSpec(
        prepared.spec,
        written=[prepared.folder.temporary],
        read=[f"{prepared.folder.path}/{FOLDER}"],
        hooks=f"{prepared.hooks}/local.sock",
    )


def _copy_project(project: str, copy: Path, excluded: Collection[str]) -> str | None:
    """Keeps times and modes, which are used to find changes; shares blocks if the file system can.

    Returns a warning if something couldn't be copied. InputOutput if nothing could.
    """
    names = [name for name in os.listdir(project) if name not in excluded]
    error = ""
    for start in range(0, len(names), _BATCH):
        paths = [os.path.join(project, name) for name in names[start : start + _BATCH]]
        command = ["cp", "--archive", "--reflink=auto", "--target-directory", str(copy), "--", *paths]
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        error = error or (result.stderr.strip().split("\n")[0] if result.returncode != 0 else "")
    if error and not any(copy.iterdir()):
        raise InputOutput(f"The project can't be copied: {error}")
    return f"not everything could be copied: {error}" if error else None
