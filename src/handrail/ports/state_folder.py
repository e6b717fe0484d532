"""Where handrail keeps its state. Imports the standard library alone: some commands need it before anything else."""

import os
from collections.abc import Mapping
from pathlib import Path

from handrail.ports.errors import InputOutput


def state_path(given: Path | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """`given`, or `$HANDRAIL_STATE`, or `$XDG_STATE_HOME/handrail`, or `~/.local/state/handrail`."""
    if given is not None:
        return Path(os.path.abspath(given))
    if named := environ.get("HANDRAIL_STATE"):
        return Path(os.path.abspath(named))
    if (home := environ.get("XDG_STATE_HOME")) and os.path.isabs(home):  # the XDG rules ignore relative ones
        return Path(home, "handrail")
    try:
        return Path(environ.get("HOME") or Path.home(), ".local", "state", "handrail")
    except RuntimeError:
        raise InputOutput("There is no home directory to keep the state in.", hint="Set HANDRAIL_STATE.") from None
