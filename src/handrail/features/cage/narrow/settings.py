"""Settings without an /etc of the cage's own: beside the run, where the agent can only read them, or in its home."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handrail.features.cage.clients import change_json
from handrail.features.cage.run_folder import RunFolder
from handrail.ports.atomic_file import replace_file

FOLDER = "etc"
_IN_HOME = {
    "/etc/claude-code/managed-settings.json": ".claude/settings.json",
    "/etc/codex/config.toml": ".codex/config.toml",
}
_ADDED_IN_HOME = {
    "/etc/gemini-cli/system-defaults.json": ".gemini/settings.json",
    "/etc/gemini-cli/settings.json": ".gemini/settings.json",
}
"""It takes settings for the system from root alone. How it signs in is kept from run to run in the same file."""
"""These clients read no other place. The agent can change them, for later runs too: they are written at each start."""
_BY_VARIABLE = {"/etc/gitconfig": "GIT_CONFIG_SYSTEM"}


def placed(files: Mapping[str, bytes], home: str, run: str) -> dict[str, str]:
    """Writes those of the files that a program reads; the variables that lead to them."""
    folder, temporary = Path(run, FOLDER), RunFolder(run).temporary
    folder.mkdir(mode=0o700)
    variables = dict.fromkeys(("TMPDIR", "TMP", "TEMP", "CLAUDE_CODE_TMPDIR"), temporary)
    for path, content in files.items():
        if (variable := _BY_VARIABLE.get(path)) is not None:
            file = folder / path.removeprefix("/etc/").replace("/", "-")
            file.write_bytes(content)
            variables[variable] = str(file)
        elif (name := _IN_HOME.get(path)) is not None:
            replace_file(_place_in_home(home, name), content)
        elif (name := _ADDED_IN_HOME.get(path)) is not None:
            _add(_place_in_home(home, name), json.loads(content))
    return variables


def _place_in_home(home: str, name: str) -> Path:
    """An earlier run may have made a link of the folder, which would lead us elsewhere."""
    folder = Path(home, name).parent
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        os.unlink(folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    return Path(home, name)


def _add(file: Path, settings: dict[str, Any]) -> None:
    def added(found: dict[str, Any]) -> dict[str, Any]:
        security = found.get("security")
        kept = security if isinstance(security, dict) else {}
        return {**found, **settings, "security": {**kept, **settings.get("security", {})}}

    change_json(str(file), added)
