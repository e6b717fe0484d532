"""The repository of a project that is a linked git worktree: it is elsewhere, and shown read-only."""

from __future__ import annotations

import os

from handrail.features.cage.spec import Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = "gitdir: "
_LONGEST = 4096


def repository_mounts(project: str) -> Iterator[Mount]:
    """Only where the repository itself names the project: what the project's file says, an agent may have written."""
    link = os.path.join(project, ".git")
    try:
        named = _line(link)
        if not named.startswith(_NAMES):
            return
        own = os.path.abspath(os.path.join(project, named.removeprefix(_NAMES)))
        repository = os.path.abspath(os.path.join(own, _line(f"{own}/commondir")))
        is_its = os.path.realpath(os.path.join(own, _line(f"{own}/gitdir"))) == os.path.realpath(link)
    except OSError:
        return
    if is_its and os.path.dirname(os.path.dirname(own)) == repository:
        yield Mount(os.path.realpath(repository), repository)


def _line(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read(_LONGEST).rstrip("\n")
