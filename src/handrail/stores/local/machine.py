"""Implements the `Machine` port: the user, display, browser and processes of this machine."""

import os
import pwd
import sys

from handrail.ports.machine import Machine
from handrail.ports.paths import ClosedFolders
from handrail.stores.local.files.beneath import has_openat2
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.files.workspaces import Workspaces
from handrail.stores.local.peers import identify
from handrail.stores.local.peers.agents import AgentProcesses
from handrail.stores.local.peers.sessions import agent_identity, has_ended, stdio_identity, terminal_identity


def this_machine() -> Machine:
    return Machine(
        open_folder=lambda path: LocalFolder.open(path, ClosedFolders(())),
        open_below=Workspaces,
        has_display=has_display,
        open_in_browser=open_in_browser,
        user=user_name(),
        has_openat2=has_openat2,
        identify=identify,
        stdio_identity=stdio_identity,
        agent_identity=agent_identity,
        register_agent=lambda state, pid=None: AgentProcesses(state).register(pid),
        register_client=lambda state, *ends: AgentProcesses(state).register_client(*ends),
        terminal_identity=terminal_identity,
        has_ended=has_ended,
    )


def user_name() -> str:
    """The user's name from the operating system, because environment variables can be changed."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def has_display() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_in_browser(address: str) -> None:
    """Opens it in a thread, because some browsers block their caller."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
