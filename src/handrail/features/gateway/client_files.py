"""Reads the MCP servers from an MCP client's configuration file, in any client's format."""

import json
import tomllib
from pathlib import Path
from typing import Any

from handrail.ports.errors import Damaged, InputOutput, NotFound

_KEYS = ("mcpServers", "mcp_servers", "servers", "mcp")
_OWN = "handrail"


def read_server_entries(file: Path) -> dict[str, dict[str, Any]]:
    """Returns the entries by name, except handrail's own. InputOutput, Damaged, NotFound."""
    try:
        text = file.expanduser().read_text(encoding="utf-8")
        content = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise InputOutput(f"{file} can't be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{file} can't be read: {error}.", hint="It must be JSON or TOML without comments.") from None
    for key in _KEYS:
        servers = content.get(key) if isinstance(content, dict) else None
        if isinstance(servers, dict):
            entries = {name: entry for name, entry in servers.items() if isinstance(entry, dict) and name != _OWN}
            if entries:
                return entries
    raise NotFound(f"{file} lists no MCP servers.", hint=f"They are expected under {', '.join(_KEYS)}.")
