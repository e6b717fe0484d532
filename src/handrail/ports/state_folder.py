"""The path of the state directory. Imports only the standard library, because some commands need it first."""

import os
from collections.abc import Mapping
from pathlib import Path

from handrail.ports.state_name import state_name


def state_path(given: Path | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """`given`, or the directory from the environment."""
    return Path(state_name(None if given is None else str(given), environ))
