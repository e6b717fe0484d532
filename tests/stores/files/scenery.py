"""Shared by the tests of the local folder: names of files, and ways to wait for children."""

import subprocess
from collections.abc import Callable
from pathlib import Path

CLOSED = [".git", ".env", ".handrail", ".webgal_agent", "build/private"]
CANARY = b"outside\n"
CHILDREN = Path(__file__).parent / "children"

Child = subprocess.Popen[bytes]
StartChild = Callable[..., Child]


def ready(child: Child) -> None:
    """Waits until the child reports that it has started its work."""
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n", child.communicate()[1].decode()


def go(child: Child) -> None:
    assert child.stdin is not None
    child.stdin.write(b"go\n")
    child.stdin.flush()


def output_of(child: Child) -> str:
    """Returns what the child printed until its end."""
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err.decode()
    return out.decode().strip()


def names(project: Path) -> set[str]:
    return {str(path.relative_to(project)) for path in project.rglob("*")}
