"""Detects MCP servers in a project's own files that use handrail's name.

Clients prefer a project's server over the user's with the same name. Calls of handrail's own tools pass the hook
without a question, because they pass the gate later. That must not apply to a server that only has the name.
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


_PROJECT_TOOL_FOLDERS = (".opencode/tool", ".opencode/tools")
"""opencode derives tool names from these files: `handrail.js` with `read_file` becomes `handrail_read_file`."""


def has_impostor(root: str) -> bool:
    """A file with handrail's name that can't be parsed counts as one. Looks at the disk."""
    if any(next(Path(root, folder).glob(f"{OWN_SERVER}*"), None) for folder in _PROJECT_TOOL_FOLDERS):
        return True
    for name, (parse, member) in _FILES.items():
        try:
            text = Path(root, name).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            continue
        if OWN_SERVER not in text:
            continue
        try:
            entries = parse(text).get(member, {}).items()
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
    program = shutil.which(first) if "/" not in first else first
    own = Path(sys.executable).with_name(OWN_SERVER)
    return program is not None and os.path.realpath(program) in (os.path.realpath(own), os.path.realpath(sys.argv[0]))
