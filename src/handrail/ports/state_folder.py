"""Where handrail keeps its state. Imports the standard library alone: some commands need it before anything else."""

import os
from collections.abc import Mapping
from pathlib import Path

from handrail.ports.state_name import state_name


def state_path(given: Path | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """`given`, or where the variables say it is."""
    return Path(state_name(None if given is None else str(given), environ))
