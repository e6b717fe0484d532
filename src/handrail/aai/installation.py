"""Where an app is found: its descriptor below `~/.aai`, and the file by which the bus starts it. Knows no tool."""

import os
import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path


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
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with beside.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def remove(path: Path) -> bool:
    """Whether it was there."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
