"""Settings for a narrow cage, which has no /etc of its own: in the run's folder (read-only) or in the agent's home."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from handrail.features.cage.clients import change_json
from handrail.features.cage.run_folder import RunFolder
from handrail.ports.atomic_file import replace_file

FOLDER = "etc"
# The agent can change files in its home, also for later runs, so they are written at each start.
_IN_HOME = {
    "/etc/claude-code/managed-settings.json": ".claude/settings.json",
    "/etc/codex/config.toml": ".codex/config.toml",
}
_MERGED_IN_HOME = {
    "/etc/gemini-cli/system-defaults.json": ".gemini/settings.json",
    "/etc/gemini-cli/settings.json": ".gemini/settings.json",
}
"""Gemini CLI accepts system settings only from root. The file also has its sign-in, which is kept between runs."""
_BY_VARIABLE = {"/etc/gitconfig": "GIT_CONFIG_SYSTEM"}


def place_settings(files: Mapping[str, bytes], home: str, run: str) -> dict[str, str]:
    """Writes the files that the programs read; returns the variables that point to them. OSError."""
    folder, temporary = Path(run, FOLDER), RunFolder(run).temporary
    folder.mkdir(mode=0o700)
    variables = dict.fromkeys(("TMPDIR", "TMP", "TEMP", "CLAUDE_CODE_TMPDIR"), temporary)
    for path, content in files.items():
        if (variable := _BY_VARIABLE.get(path)) is not None:
            file = folder / path.removeprefix("/etc/").replace("/", "-")
            file.write_bytes(content)
            variables[variable] = str(file)
        elif (name := _IN_HOME.get(path)) is not None:
            with _settings_file(home, name) as file:
                replace_file(file, content)
        elif (name := _MERGED_IN_HOME.get(path)) is not None:
            with _settings_file(home, name) as file:
                _merge(file, json.loads(content))
    return variables


@contextmanager
def _settings_file(home: str, name: str) -> Iterator[Path]:
    """Holds the folder open: an agent, also of another run at this moment, may replace it by a link."""
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


def _merge(file: Path, settings: dict[str, Any]) -> None:
    def added(content: dict[str, Any]) -> dict[str, Any]:
        security = content.get("security")
        old_security = security if isinstance(security, dict) else {}
        return {**content, **settings, "security": {**old_security, **settings.get("security", {})}}

    change_json(str(file), added)
