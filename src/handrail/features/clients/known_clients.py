"""The clients that handrail can connect, each with its files and formats."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from handrail.features.clients.client import SERVER, Client, Edit, Launch, UserFolders

# People take their time to answer a question. A client that gives up earlier would report a failure.
_HOUR_SECONDS = 3600
_HOUR_MS = _HOUR_SECONDS * 1000
_START_SECONDS = 30
_START_MS = _START_SECONDS * 1000


def _stdio(launch: Launch, **more: Any) -> dict[str, Any]:
    return {"command": launch.command, "args": launch.arguments, **more}


def claude_folder(home: UserFolders) -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or home.folder / ".claude")


def _claude_file(home: UserFolders) -> Path:
    return claude_folder(home) / ".claude.json" if os.environ.get("CLAUDE_CONFIG_DIR") else home.folder / ".claude.json"


def _claude(home: UserFolders, launch: Launch) -> Sequence[Edit]:
    return [
        Edit(
            _claude_file(home), ("mcpServers", SERVER), {"type": "stdio", **_stdio(launch, timeout=_HOUR_MS), "env": {}}
        ),
        Edit(claude_folder(home) / "settings.json", ("permissions", "allow"), f"mcp__{SERVER}", is_item=True),
    ]


def _codex_file(home: UserFolders) -> Path:
    return codex_folder(home) / "config.toml"


def codex_folder(home: UserFolders) -> Path:
    """As Codex names it: it resolves links only in the variable."""
    override = os.environ.get("CODEX_HOME")
    return Path(os.path.realpath(override)) if override else home.folder / ".codex"


def _codex(home: UserFolders, launch: Launch) -> Sequence[Edit]:
    entry = _stdio(
        launch,
        startup_timeout_sec=_START_SECONDS,
        tool_timeout_sec=_HOUR_SECONDS,
        default_tools_approval_mode="approve",
        required=True,  # otherwise it calls its model before our tools are there, and works without them
    )
    return [Edit(_codex_file(home), ("mcp_servers", SERVER), entry)]


def _trusted_entry(file: Callable[[UserFolders], Path]) -> Callable[[UserFolders, Launch], Sequence[Edit]]:
    def edits(home: UserFolders, launch: Launch) -> Sequence[Edit]:
        return [Edit(file(home), ("mcpServers", SERVER), _stdio(launch, timeout=_HOUR_MS, trust=True))]

    return edits


def _plain_entry(file: Callable[[UserFolders], Path], **more: Any) -> Callable[[UserFolders, Launch], Sequence[Edit]]:
    def edits(home: UserFolders, launch: Launch) -> Sequence[Edit]:
        return [Edit(file(home), ("mcpServers", SERVER), _stdio(launch, **more))]

    return edits


def _vscode(home: UserFolders, launch: Launch) -> Sequence[Edit]:
    return [Edit(_vscode_folder(home) / "mcp.json", ("servers", SERVER), {"type": "stdio", **_stdio(launch)})]


def _vscode_folder(home: UserFolders) -> Path:
    return home.config / "Code/User"


def _cline_file(home: UserFolders) -> Path:
    return _vscode_folder(home) / "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"


def _cline_folder(home: UserFolders) -> Path:
    return home.folder / ".cline"


def _opencode(home: UserFolders, launch: Launch) -> Sequence[Edit]:
    command = [launch.command, *launch.arguments]
    entry = {"type": "local", "command": command, "enabled": True, "timeout": _START_MS}
    return [Edit(home.config / "opencode/opencode.json", ("mcp", SERVER), entry)]


CODEX = "codex"
_ASKS_ITSELF = "It also asks about our tools itself, until you allow them in its settings."

CLIENTS = (
    Client(
        "claude",
        "Claude Code",
        ("claude",),
        lambda home: [_claude_file(home), claude_folder(home)],
        _claude,
        is_tested=True,
    ),
    Client(CODEX, "Codex", ("codex",), lambda home: [_codex_file(home)], _codex, is_tested=True),
    Client(
        "gemini",
        "Gemini CLI",
        ("gemini",),
        lambda home: [home.folder / ".gemini/settings.json"],
        _trusted_entry(lambda home: home.folder / ".gemini/settings.json"),
        is_tested=True,
        note="It starts MCP servers only in folders that you trust in Gemini CLI.",
    ),
    Client(
        "qwen",
        "Qwen Code",
        ("qwen",),
        lambda home: [home.folder / ".qwen/settings.json"],
        _trusted_entry(lambda home: home.folder / ".qwen/settings.json"),
    ),
    Client(
        "cursor",
        "Cursor",
        ("cursor", "cursor-agent"),
        lambda home: [home.folder / ".cursor"],
        _plain_entry(lambda home: home.folder / ".cursor/mcp.json"),
        workspace="${workspaceFolder}",
        note=_ASKS_ITSELF,
    ),
    Client(
        "vscode",
        "VS Code",
        ("code",),
        lambda home: [_vscode_folder(home)],
        _vscode,
        workspace="${workspaceFolder}",
        note=_ASKS_ITSELF,
    ),
    Client(
        "cline",
        "Cline",
        (),
        lambda home: [_cline_file(home).parent.parent],
        _plain_entry(_cline_file, disabled=False, timeout=_HOUR_SECONDS),
        needs_project=True,
        note=_ASKS_ITSELF,
    ),
    Client(
        "cline-cli",
        "Cline CLI",
        ("cline",),
        lambda home: [_cline_folder(home)],
        _plain_entry(lambda home: _cline_folder(home) / "data/settings/cline_mcp_settings.json", timeout=_HOUR_SECONDS),
        is_tested=True,
    ),
    Client(
        "opencode",
        "opencode",
        ("opencode",),
        lambda home: [home.config / "opencode"],
        _opencode,
        is_tested=True,
    ),
    Client(
        "copilot",
        "Copilot CLI",
        ("copilot",),
        lambda home: [home.folder / ".copilot"],
        _plain_entry(lambda home: home.folder / ".copilot/mcp-config.json", type="local", tools=["*"]),
        note=_ASKS_ITSELF,
    ),
    Client(
        "windsurf",
        "Windsurf",
        ("windsurf",),
        lambda home: [home.folder / ".codeium/windsurf"],
        _plain_entry(lambda home: home.folder / ".codeium/windsurf/mcp_config.json"),
        needs_project=True,
        note=_ASKS_ITSELF,
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        (),
        lambda home: [home.config / "Claude"],
        _plain_entry(lambda home: home.config / "Claude/claude_desktop_config.json"),
        needs_project=True,
        note=_ASKS_ITSELF,
    ),
)

AGENT_PROGRAMS = frozenset(
    {
        "claude",
        "claude-agent-acp",
        "cline",
        "codex",
        "codex-acp",
        "copilot",
        "cursor-agent",
        "gemini",
        "opencode",
        "qwen",
    }
)
"""Programs that are agents themselves. An editor isn't one, because people type into its terminal, too."""
