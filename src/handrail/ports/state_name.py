"""The path of the state directory as text. Imports almost nothing: `handrail run` needs it before the agent starts."""

from __future__ import annotations

import os

from handrail.ports.errors import InputOutput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def state_name(given: str | None = None, environ: Mapping[str, str] = os.environ) -> str:
    """`given`, or `$HANDRAIL_STATE`, or `$XDG_STATE_HOME/handrail`, or `~/.local/state/handrail`."""
    if named := given or environ.get("HANDRAIL_STATE"):
        return os.path.abspath(named)
    if (home := environ.get("XDG_STATE_HOME")) and os.path.isabs(home):  # XDG says to ignore relative paths
        return os.path.join(home, "handrail")
    home = environ.get("HOME") or os.path.expanduser("~")
    if home == "~":
        raise InputOutput("There is no home directory to keep the state in.", hint="Set HANDRAIL_STATE.")
    return os.path.join(home, ".local", "state", "handrail")
