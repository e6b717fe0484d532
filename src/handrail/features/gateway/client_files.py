"""The MCP servers in a client's configuration file, whichever client it is."""

import json
import tomllib
from pathlib import Path
from typing import Any

from handrail.ports.errors import Damaged, InputOutput, NotFound

_KEYS = ("mcpServers", "mcp_servers", "servers", "mcp")
_OWN = "handrail"


def entries_in(file: Path) -> dict[str, dict[str, Any]]:
    """By name, without handrail's own entry. InputOutput, Damaged, NotFound."""
    try:
        text = file.expanduser().read_text(encoding="utf-8")
        content = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise InputOutput(f"{file} can't be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{file} can't be read: {error}.", hint="It must be JSON or TOML without comments.") from None
    for key in _KEYS:
        found = content.get(key) if isinstance(content, dict) else None
        if isinstance(found, dict):
            named = {name: each for name, each in found.items() if isinstance(each, dict) and name != _OWN}
            if named:
                return named
    raise NotFound(f"{file} lists no MCP servers.", hint=f"They are expected under {', '.join(_KEYS)}.")
