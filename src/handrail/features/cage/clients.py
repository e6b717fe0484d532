"""The clients that the cage supports: the hosts of their models, and the settings that they find inside."""

from __future__ import annotations

import os

from handrail.features.cage.environment import ENDPOINT, TOKEN_VARIABLE
from handrail.features.cage.home_settings import change_json, merge_settings, read_json, write_settings
from handrail.features.cage.models import ANTHROPIC, GEMINI, OPENAI, ModelApi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Hooks = Mapping[str, Any]
    """Maps each event to the entry for its list of hooks, in the client's own format."""

MCP_ADDRESS = f"{ENDPOINT}/mcp"
_HOUR_SECONDS = 3600
_PLACEHOLDER = "added-by-handrail"
"""Used instead of the key, which the agent never sees."""


class CagedClient:
    """`hosts` are those of its model and sign-in. If no key is added, they need no approval.

    `with_key` are variables for a run in which handrail adds the model's key, `always` those for every run. `etc`
    returns files of the private /etc; it gets whether a key is added, and the hooks. `prepare` writes what must be in
    the client's private home; it gets this home, the project, and the same.
    """

    def __init__(
        self,
        name: str,
        title: str,
        api: ModelApi,
        hosts: tuple[str, ...],
        with_key: Mapping[str, str],
        always: Mapping[str, str],
        etc: Callable[[bool, Hooks], Mapping[str, str]],
        prepare: Callable[[str, str, bool, Hooks], None],
    ) -> None:
        self.name = name
        self.title = title
        self.api = api
        self.hosts = hosts
        self.with_key = with_key
        self.always = always
        self.etc = etc
        self.prepare = prepare


def _no_preparation(home: str, project: str, has_key: bool, hooks: Hooks) -> None:
    """Used if all settings are in /etc."""


def _nothing_in_etc(has_key: bool, hooks: Hooks) -> Mapping[str, str]:
    """Used if all settings are in the home."""
    return {}


def _claude_etc(has_key: bool, hooks: Hooks) -> Mapping[str, str]:
    permissions = {"allow": ["mcp__handrail"], "defaultMode": "bypassPermissions"}
    settings = {"permissions": permissions, "hooks": {event: [item] for event, item in hooks.items()}}
    return {"/etc/claude-code/managed-settings.json": _json(settings)}


def _prepare_claude(home: str, project: str, has_key: bool, hooks: Hooks) -> None:
    """Adds the server to the home's settings: a managed list of servers would exclude the person's others."""
    server = {"type": "http", "url": MCP_ADDRESS, "headers": {"Authorization": f"Bearer ${{{TOKEN_VARIABLE}}}"}}

    def with_server(settings: dict[str, Any]) -> dict[str, Any]:
        servers = settings.get("mcpServers")
        projects = settings.get("projects")
        project_settings = projects.get(project) if isinstance(projects, dict) else None
        trusted = {**(project_settings if isinstance(project_settings, dict) else {}), "hasTrustDialogAccepted": True}
        is_new = has_key and not settings.get("hasCompletedOnboarding")  # without a key, it begins with the sign-in
        return {
            **(_onboarding() if is_new else {}),
            **settings,
            "mcpServers": {**(servers if isinstance(servers, dict) else {}), "handrail": server},
            "projects": {**(projects if isinstance(projects, dict) else {}), project: trusted},
            "bypassPermissionsModeAccepted": True,
        }

    change_json(f"{home}/.claude.json", with_server)


def _onboarding() -> dict[str, Any]:
    """What the person has answered in Claude Code outside, so that it isn't asked again in the cage."""
    persons = read_json(os.path.expanduser("~/.claude.json"))
    return {name: persons[name] for name in ("hasCompletedOnboarding", "theme") if name in persons}


def _codex_etc(has_key: bool, hooks: Hooks) -> Mapping[str, str]:
    lines = ['approval_policy = "never"', 'sandbox_mode = "danger-full-access"', "check_for_update_on_startup = false"]
    if has_key:
        lines.append('model_provider = "handrail"')
    lines += [
        "[analytics]",
        "enabled = false",
        "[features]",
        "plugins = false",  # otherwise it asks GitHub for a list of plugins at every start
        "[mcp_servers.handrail]",
        f'url = "{MCP_ADDRESS}"',
        f'bearer_token_env_var = "{TOKEN_VARIABLE}"',
        "startup_timeout_sec = 30",
        "required = true",  # otherwise its first request is sent before handrail's tools are there
        f"tool_timeout_sec = {_HOUR_SECONDS}",
        'default_tools_approval_mode = "approve"',
    ]
    if has_key:
        lines += [
            "[model_providers.handrail]",
            'name = "OpenAI through handrail"',
            f'base_url = "{ENDPOINT}/{OPENAI.name}"',
            f'env_key = "{TOKEN_VARIABLE}"',
            'wire_api = "responses"',
        ]
    managed = []
    for event, item in hooks.items():
        managed += [f"[[hooks.{event}]]", f"matcher = {_json(item['matcher'])}", f"[[hooks.{event}.hooks]]"]
        managed += [f"{name} = {_json(value, indent=None)}" for name, value in item["hooks"][0].items()]
    return {
        "/etc/codex/config.toml": "\n".join(lines) + "\n",
        "/etc/codex/requirements.toml": "\n".join(managed) + "\n",
    }


_GEMINI_POLICY = """\
[[rule]]
toolName = "ask_user"
decision = "ask_user"
priority = 999
interactive = true

[[rule]]
toolName = "*"
decision = "allow"
priority = 998
modes = ["default", "autoEdit", "yolo"]
allowRedirection = true
"""
"""Gemini CLI's own questions about its tools would add nothing in the cage. In its plan mode they stay."""


def _prepare_gemini(home: str, project: str, has_key: bool, hooks: Hooks) -> None:
    """In the home, because Gemini CLI accepts settings in /etc only if they belong to root."""
    server = {
        "httpUrl": MCP_ADDRESS,
        "headers": {"Authorization": f"Bearer ${TOKEN_VARIABLE}"},
        "timeout": _HOUR_SECONDS * 1000,
        "trust": True,
    }
    security: dict[str, Any] = {"folderTrust": {"enabled": False}}
    if has_key:
        security["auth"] = {"selectedType": "gemini-api-key"}
    policy = ".gemini/handrail-policy.toml"
    write_settings(home, policy, _GEMINI_POLICY.encode())
    settings = {
        "mcpServers": {"handrail": server},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
        "security": security,
        "policyPaths": [f"${{HOME}}/{policy}"],
        "hooks": {event: [item] for event, item in hooks.items()},
    }
    merge_settings(home, ".gemini/settings.json", settings)


CLIENTS = (
    CagedClient(
        "claude",
        "Claude Code",
        ANTHROPIC,
        ("api.anthropic.com", "claude.ai", "claude.com", "console.anthropic.com", "platform.claude.com"),
        {"ANTHROPIC_BASE_URL": f"{ENDPOINT}/{ANTHROPIC.name}", "ANTHROPIC_AUTH_TOKEN": _PLACEHOLDER},
        {
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
            "CLAUDE_CODE_MCP_STARTUP_WAIT_MS": "15000",  # Claude Code may be ready before handrail
            "DISABLE_AUTOUPDATER": "1",
        },
        _claude_etc,
        _prepare_claude,
    ),
    CagedClient(
        "codex",
        "Codex",
        OPENAI,
        ("api.openai.com", "auth.openai.com", "chatgpt.com"),
        {},
        {},
        _codex_etc,
        _no_preparation,
    ),
    CagedClient(
        "gemini",
        "Gemini CLI",
        GEMINI,
        (
            "accounts.google.com", "cloudcode-pa.googleapis.com", "generativelanguage.googleapis.com",
            "oauth2.googleapis.com",
        ),
        {"GOOGLE_GEMINI_BASE_URL": f"{ENDPOINT}/{GEMINI.name}", "GEMINI_API_KEY": _PLACEHOLDER},
        {"GEMINI_CLI_TRUST_WORKSPACE": "true"},
        _nothing_in_etc,
        _prepare_gemini,
    ),
)  # fmt: skip


def client_of(name: str | None, command: str) -> CagedClient | None:
    """Finds a client by `name`, or by the command's name if none was given."""
    client_name = name or os.path.basename(command)
    return next((client for client in CLIENTS if client.name == client_name), None)


def _json(value: object, indent: int | None = 2) -> str:
    import json  # imported late, because it isn't needed without a client

    return json.dumps(value, indent=indent)
