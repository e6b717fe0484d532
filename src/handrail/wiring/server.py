"""The server that runs on a state directory, seen from other processes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from handrail.stores.local.state import state_path

if TYPE_CHECKING:
    from handrail.faces.http.server_file import ServerFile


def running_server(state_dir: Path | None) -> ServerFile | None:
    """What server.json says; its process may have died without tidying up."""
    from handrail.faces.http.server_file import read

    return read(state_path(state_dir))


def console_key(state_dir: Path | None) -> dict[str, str]:
    """The header by which a person's own command gets a code for the console; empty where no server has left a key."""
    from handrail.faces.http.console_key import HEADER, read

    key = read(state_path(state_dir))
    return {} if key is None else {HEADER: key}
