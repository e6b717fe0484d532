"""Settings files in a client's private home. Agents of other runs may change the home at the same moment."""

from __future__ import annotations

import os
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any

_LARGEST_SETTINGS = 16 << 20


@contextmanager
def settings_file(home: str, name: str) -> Iterator[Path]:
    """Yields the path of a file in a folder of the home. Holds the folder open: an agent may replace it by a link."""
    from pathlib import Path  # imported late, because it isn't needed without a client

    folder = Path(home, name).parent
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        os.unlink(folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    opened = Path(f"/proc/self/fd/{descriptor}")
    try:
        opened.chmod(0o700)  # an agent may have closed it
        yield opened / Path(name).name
    finally:
        os.close(descriptor)


def write_settings(home: str, name: str, content: bytes) -> None:
    from handrail.ports.atomic_file import replace_file

    with settings_file(home, name) as file:
        replace_file(file, content)


def merge_settings(home: str, name: str, settings: Mapping[str, Any]) -> None:
    """Adds settings to a JSON file and keeps the others, such as a sign-in."""
    with settings_file(home, name) as file:
        change_json(str(file), lambda content: _merged(content, settings))


def change_json(file: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Changes a JSON file that the agent may have tampered with. OSError.

    Links aren't followed, invalid content is replaced, and a folder in its place is moved aside.
    """
    import json
    from pathlib import Path

    content = read_json(file)
    if os.path.isdir(file) and not os.path.islink(file):
        os.rename(file, f"{file}.{os.urandom(4).hex()}")
    from handrail.ports.atomic_file import replace_file

    replace_file(Path(file), json.dumps(change(content), indent=2).encode())


def read_json(file: str) -> dict[str, Any]:
    """Follows no link. Empty if there is no JSON object."""
    import json

    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb", buffering=0) as stream:
            content = json.loads(stream.read(_LARGEST_SETTINGS))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _merged(content: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Lists and values are replaced, objects merged."""
    merged = dict(content)
    for name, value in settings.items():
        before = merged.get(name)
        merged[name] = _merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return merged
