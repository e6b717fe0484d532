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

OWN_SERVER = "handrail"
_FILES: Mapping[str, tuple[Callable[[str], Any], str]] = {
    ".mcp.json": (json.loads, "mcpServers"),
    ".gemini/settings.json": (json.loads, "mcpServers"),
    ".qwen/settings.json": (json.loads, "mcpServers"),
    ".cursor/mcp.json": (json.loads, "mcpServers"),
    ".vscode/mcp.json": (json.loads, "servers"),
    "opencode.json": (json.loads, "mcp"),
    "opencode.jsonc": (json.loads, "mcp"),
    ".opencode/opencode.json": (json.loads, "mcp"),
    ".opencode/opencode.jsonc": (json.loads, "mcp"),
    ".codex/config.toml": (tomllib.loads, "mcp_servers"),
}


_TOOLS_OF_A_PROJECT = (".opencode/tool", ".opencode/tools")
"""opencode names what these files export by the file: `handrail.js` with `read_file` is `handrail_read_file`."""


def has_impostor(root: str) -> bool:
    """A file that can't be read counts as one, if it has the name. Looks at the disk."""
    if any(next(Path(root, folder).glob(f"{OWN_SERVER}*"), None) for folder in _TOOLS_OF_A_PROJECT):
        return True
    for name, (read, member) in _FILES.items():
        try:
            text = Path(root, name).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            continue
        if OWN_SERVER not in text:
            continue
        try:
            entries = read(text).get(member, {}).items()
            if not all(_starts_handrail(entry) for server, entry in entries if server.startswith(OWN_SERVER)):
                return True
        except (ValueError, TypeError, AttributeError):
            return True
    return False


def _starts_handrail(entry: Any) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    first = command[0] if isinstance(command, list) and command else command
    if not isinstance(first, str):
        return False
    found = shutil.which(first) if "/" not in first else first
    own = Path(sys.executable).with_name(OWN_SERVER)
    return found is not None and os.path.realpath(found) in (os.path.realpath(own), os.path.realpath(sys.argv[0]))
