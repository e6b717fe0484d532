"""What features need of this machine: other folders, the person's screen, and identities of processes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from handrail.ports.files import Folder, Folders
from handrail.ports.identity import Identity
from handrail.ports.peers import Identify

OpenFolder = Callable[[str], Folder]
"""Opens a folder by its absolute path. NotFound."""


@dataclass(frozen=True, slots=True)
class Machine:
    """`open_below` opens any folder below a root, `open_in_browser` shows the person an address.

    `user` is the person's name. `stdio_identity` identifies the client of a process's stdin, `agent_identity` the
    agent that started a process (both take a pid, by default our own), `terminal_identity` a command. `has_ended`
    returns whether an identity is no longer in use.
    """

    open_folder: OpenFolder
    open_below: Callable[[str], Folders]
    has_display: Callable[[], bool]
    open_in_browser: Callable[[str], None]
    user: str
    has_openat2: Callable[[], bool]
    identify: Identify
    stdio_identity: Callable[..., Identity]
    agent_identity: Callable[..., Identity]
    register_agent: Callable[..., None]
    """Takes the state directory and a pid, by default our own: marks that process's starter as an agent's."""
    register_client: Callable[[Path, tuple[str, int], tuple[str, int], Sequence[int]], int | None]
    """Takes the state directory, the client's and the server's host and port, and pids to look at first: marks the
    program at the client's end as an agent's and returns its pid."""
    terminal_identity: Callable[[], Identity]
    has_ended: Callable[[str], bool]
