"""Settings without an /etc of the cage's own: beside the run, where the agent can only read them, or in its home."""

import os
from collections.abc import Mapping
from pathlib import Path

from handrail.ports.atomic_file import replace_file

FOLDER = "etc"
_IN_HOME = {
    "/etc/claude-code/managed-settings.json": ".claude/settings.json",
    "/etc/codex/config.toml": ".codex/config.toml",
}
"""These clients read no other place. The agent can change them, for later runs too: they are written at each start."""
_BY_VARIABLE = {
    "/etc/gitconfig": "GIT_CONFIG_SYSTEM",
    "/etc/gemini-cli/system-defaults.json": "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "/etc/gemini-cli/settings.json": "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
}


def placed(files: Mapping[str, bytes], home: Path, run: Path) -> dict[str, str]:
    """Writes those of the files that a program reads; the variables that lead to them."""
    folder, temporary = run / FOLDER, str(run / "tmp")
    folder.mkdir(mode=0o700)
    variables = dict.fromkeys(("TMPDIR", "TMP", "TEMP", "CLAUDE_CODE_TMPDIR"), temporary)
    for path, content in files.items():
        if (variable := _BY_VARIABLE.get(path)) is not None:
            file = folder / path.removeprefix("/etc/").replace("/", "-")
            file.write_bytes(content)
            variables[variable] = str(file)
        elif (name := _IN_HOME.get(path)) is not None:
            _write_in_home(home, name, content)
    return variables


def _write_in_home(home: Path, name: str, content: bytes) -> None:
    """An earlier run may have made a link of the folder, which would lead us elsewhere."""
    folder = (home / name).parent
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        os.unlink(folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    replace_file(home / name, content)
