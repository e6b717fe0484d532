"""The name and email in the person's git configuration. git is started early and answers while handrail is imported."""

import os

_COMMAND = ["git", "config", "--global", "--includes", "--null", "--get-regexp", r"^user\.(name|email)$"]
_running: list[tuple[int, int]] = []
"""The process that was started early, and the pipe with its output."""


def start_early() -> None:
    if not _running and (process := _start()) is not None:
        _running.append(process)


def user_identity() -> dict[str, str]:
    """Returns name and email only: the rest of git's configuration may contain tokens. Empty without git."""
    start_early()
    if not _running:
        return {}
    pid, output = _running.pop()
    with open(output, "rb") as file:
        printed = file.read().decode(errors="replace")
    os.waitpid(pid, 0)
    pairs = (entry.partition("\n") for entry in printed.split("\0") if entry)
    return {name.removeprefix("user."): value for name, _, value in pairs}


def _start() -> tuple[int, int] | None:
    """Without `subprocess`: importing it takes longer than git needs to answer."""
    read, write = os.pipe()
    streams = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, write, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        return os.posix_spawnp(_COMMAND[0], _COMMAND, os.environ, file_actions=streams), read
    except OSError:
        os.close(read)
        return None
    finally:
        os.close(write)
