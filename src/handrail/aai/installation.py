"""Where an app is found: its descriptor below `~/.aai`, and the file by which the bus starts it. Knows no tool."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from handrail.ports.atomic_file import replace_file


def descriptor_path(app_id: str) -> Path:
    return Path.home() / ".aai" / app_id / "aai.json"


def activation_path(app_id: str) -> Path:
    data = os.environ.get("XDG_DATA_HOME") or ""
    # The specification says that a path which is not absolute is to be ignored.
    home = Path(data) if os.path.isabs(data) else Path.home() / ".local" / "share"
    return home / "dbus-1" / "services" / f"{app_id}.service"


def activation_text(app_id: str, command: Sequence[str]) -> str:
    """The bus splits `Exec` as a shell would, after it has undone the file's own escapes."""
    if any(not word.isprintable() for word in command):
        raise ValueError(f"{shlex.join(command)}: a command with control characters can't stand in an activation file.")
    line = shlex.join(command).replace("\\", "\\\\")
    return f"[D-BUS Service]\nName={app_id}\nExec={line}\n"


def write_whole(path: Path, text: str) -> None:
    """All of it or nothing, whatever happens on the way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode(), 0o666)


def remove(path: Path) -> bool:
    """Whether it was there."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
