"""Mounts the repository of a project that is a linked git worktree, read-only: it is outside the project's folder."""

from __future__ import annotations

import os

from handrail.features.cage.spec import Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_POINTER = "gitdir: "
_LONGEST = 4096


def repository_mounts(project: str) -> Iterator[Mount]:
    """Only if the repository itself names the project: an agent may have written the project's own .git file."""
    link = os.path.join(project, ".git")
    try:
        pointer = _line(link)
        if not pointer.startswith(_POINTER):
            return
        git_folder = os.path.abspath(os.path.join(project, pointer.removeprefix(_POINTER)))
        repository = os.path.abspath(os.path.join(git_folder, _line(f"{git_folder}/commondir")))
        is_linked = os.path.realpath(os.path.join(git_folder, _line(f"{git_folder}/gitdir"))) == os.path.realpath(link)
    except OSError:
        return
    if is_linked and os.path.dirname(os.path.dirname(git_folder)) == repository:
        yield Mount(os.path.realpath(repository), repository)


def _line(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read(_LONGEST).rstrip("\n")
