"""What features need of this machine: other folders, the person's screen, who is at the other end of a socket."""

import socket
from collections.abc import Callable
from dataclasses import dataclass

from handrail.ports.files import Folder
from handrail.ports.paths import ClosedFolders
from handrail.ports.peers import SocketCaller


@dataclass(frozen=True, slots=True)
class Machine:
    """`open_folder` takes an absolute path; `open_in_browser` shows an address to the person; `user` is who that is."""

    open_folder: Callable[[str, ClosedFolders], Folder]
    has_display: Callable[[], bool]
    open_in_browser: Callable[[str], None]
    user: str
    identify: Callable[[socket.socket], SocketCaller]
