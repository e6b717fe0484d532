"""Settings for a narrow cage, which has no /etc of its own: in the run's folder (read-only) or in the agent's home."""

from collections.abc import Mapping
from pathlib import Path

from handrail.features.cage.home_settings import write_settings
from handrail.features.cage.run_folder import RunFolder

FOLDER = "etc"
# The agent can change files in its home, also for later runs, so they are written at each start.
_IN_HOME = {
    "/etc/claude-code/managed-settings.json": ".claude/settings.json",
    "/etc/codex/config.toml": ".codex/config.toml",
}
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
            write_settings(home, name, content)
    return variables
