"""Whether a project's own files put another MCP server under handrail's name.

Clients take a server of the project before the user's of the same name. Calls of handrail's own tools pass the hook
without a question, because they have the gate themselves: that must not cover a server that only has the name.
"""

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_NAME = "handrail"
_FILES: Mapping[str, tuple[Callable[[str], Any], str]] = {
    ".mcp.json": (json.loads, "mcpServers"),
    ".gemini/settings.json": (json.loads, "mcpServers"),
    ".qwen/settings.json": (json.loads, "mcpServers"),
    ".cursor/mcp.json": (json.loads, "mcpServers"),
    ".vscode/mcp.json": (json.loads, "servers"),
    "opencode.json": (json.loads, "mcp"),
    ".codex/config.toml": (tomllib.loads, "mcp_servers"),
}


def has_impostor(root: str) -> bool:
    """A file that can't be read counts as one, if it has the name. Looks at the disk."""
    for name, (read, member) in _FILES.items():
        try:
            text = Path(root, name).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            continue
        if _NAME not in text:
            continue
        try:
            entry = read(text)[member][_NAME]
        except KeyError:
            continue
        except (ValueError, TypeError):
            return True
        if not _starts_handrail(entry):
            return True
    return False


def _starts_handrail(entry: Any) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    first = command[0] if isinstance(command, list) and command else command
    if not isinstance(first, str):
        return False
    found = shutil.which(first) if "/" not in first else first
    own = Path(sys.executable).with_name(_NAME)
    return found is not None and os.path.realpath(found) in (os.path.realpath(own), os.path.realpath(sys.argv[0]))
