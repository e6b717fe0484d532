"""Opening a project file through the sandbox beside `os.path.realpath` and `os.open`, which protects from nothing.

Ours includes everything that a tool's path goes through: reading it, closed folders, the primitive.
"""

import os
import tempfile
from statistics import median
from time import perf_counter_ns

from handrail.backends.localfs.beneath import open_beneath
from handrail.backends.localfs.folder import LocalFolder
from handrail.contract.paths import ClosedFolders

_PATH = "game/scene/chapter/start.txt"
_CLOSED = ClosedFolders([".git", ".env", ".handrail", ".webgal_agent", "node_modules"])
_ROUNDS = 60
_OPENS = 500


def measure() -> dict[str, float]:
    """Median microseconds for open and close, both taken in turns."""
    with tempfile.TemporaryDirectory() as project:
        file = os.path.join(project, _PATH)
        os.makedirs(os.path.dirname(file))
        with open(file, "w") as out:
            out.write("intro\n")
        folder = LocalFolder.open(project, _CLOSED)
        root = os.open(project, os.O_RDONLY | os.O_DIRECTORY)
        try:
            ours, peers = [], []
            for _ in range(_ROUNDS):
                ours.append(_ours(folder, root))
                peers.append(_peer(file))
        finally:
            os.close(root)
            folder.close()
    return {"handrail_us": median(ours), "peer_us": median(peers)}


def _ours(folder: LocalFolder, root: int) -> float:
    start = perf_counter_ns()
    for _ in range(_OPENS):
        os.close(open_beneath(root, folder.parse(_PATH), os.O_RDONLY | os.O_NONBLOCK))
    return (perf_counter_ns() - start) / _OPENS / 1000


def _peer(file: str) -> float:
    start = perf_counter_ns()
    for _ in range(_OPENS):
        os.close(os.open(os.path.realpath(file), os.O_RDONLY))
    return (perf_counter_ns() - start) / _OPENS / 1000


if __name__ == "__main__":
    result = measure()
    ratio = result["handrail_us"] / result["peer_us"]
    print(f"handrail {result['handrail_us']:.1f} µs, realpath + open {result['peer_us']:.1f} µs: {ratio:.2f} of it")
