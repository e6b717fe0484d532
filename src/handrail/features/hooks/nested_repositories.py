"""Finds repositories inside the project's own one: `git status` and `git diff` run in them too, with their settings."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

_LINK_MODE = b"\x00\x00\xe0\x00"
"""How git's index writes the mode 160000, that of a folder with a repository of its own."""
_SECONDS = 5.0


def has_repository(root: str) -> bool:
    """Whether git finds a repository at `root` or above."""
    top = _top(root)
    return top is not None and ((top / ".git").is_file() or (top / ".git/HEAD").exists())


def tracks_foreign_repository(root: str) -> bool:
    """Whether the repository around `root` tracks a folder whose settings aren't in its own `.git`.

    Submodules have them there, so they aren't foreign. True if it can't be determined.
    """
    top = _top(root)
    if top is None:
        return False
    try:
        own = _settings_folder(top)
        if not any(_LINK_MODE in index.read_bytes() for index in _index_files(own)):
            return False
        common = own / "commondir"
        shared = Path(os.path.realpath(own / common.read_text().strip())) if common.exists() else own
        return any(_is_foreign(top / path, shared) for path in _tracked_folders(top))
    except (OSError, ValueError, subprocess.SubprocessError):
        return True


def _top(root: str) -> Path | None:
    return next((each for each in (Path(root), *Path(root).parents) if os.path.lexists(each / ".git")), None)


def _settings_folder(top: Path) -> Path:
    """`.git`, or the folder that it names if it is a file. OSError, ValueError."""
    git = top / ".git"
    if git.is_dir():
        return Path(os.path.realpath(git))
    name, _, folder = git.read_text().strip().partition(": ")
    if name != "gitdir":
        raise ValueError(git)
    return Path(os.path.realpath(top / folder))


def _index_files(own: Path) -> Iterator[Path]:
    yield from (each for each in (own / "index", *own.glob("sharedindex.*")) if each.exists())


def _tracked_folders(top: Path) -> Iterator[str]:
    command = ["git", "ls-files", "--stage", "-z"]
    result = subprocess.run(
        command, cwd=top, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True
    )
    for line in result.stdout.split(b"\0"):
        if line.startswith(b"160000 "):
            yield os.fsdecode(line.partition(b"\t")[2])


def _is_foreign(folder: Path, shared: Path) -> bool:
    if not os.path.lexists(folder / ".git"):
        return False
    return not _settings_folder(folder).is_relative_to(shared)
