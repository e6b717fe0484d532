"""Opening a project file through the sandbox, compared with `os.path.realpath` and `os.open`, which don't protect.

Ours includes everything that a tool's path goes through: parsing, closed folders, and the open itself.
"""

import os
import tempfile

from bench.comparison import Comparison, in_turns
from handrail.ports.paths import ClosedFolders
from handrail.stores.local.files.beneath import open_beneath
from handrail.stores.local.files.folder import LocalFolder

_PATH = "game/scene/chapter/start.txt"
_CLOSED = ClosedFolders([".git", ".env", ".handrail", ".webgal_agent", "node_modules"])
_OPENS = 500


def measure() -> list[Comparison]:
    """Opens and closes, alternately."""
    with tempfile.TemporaryDirectory() as project:
        file = os.path.join(project, _PATH)
        os.makedirs(os.path.dirname(file))
        with open(file, "w") as out:
            out.write("intro\n")
        folder = LocalFolder.open(project, _CLOSED)
        root = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
        try:
            times = in_turns(lambda: _ours(folder, root), lambda: _peer(file), rounds=60)
        finally:
            os.close(root)
            folder.close()
    ours, theirs = (total / _OPENS for total in times)
    return [Comparison("sandboxed open", "realpath + open", ours, theirs, target=1)]


def _ours(folder: LocalFolder, root: int) -> None:
    for _ in range(_OPENS):
        os.close(open_beneath(root, folder.parse(_PATH), os.O_RDONLY | os.O_NONBLOCK))


def _peer(file: str) -> None:
    for _ in range(_OPENS):
        os.close(os.open(os.path.realpath(file), os.O_RDONLY))
