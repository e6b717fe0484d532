"""get_runtime_info of contract 3 §2.6: settings that agents may see, without secrets."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

import handrail
from handrail.features.workspace.workspace import AGENT_FOLDER, Workspace
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview, Tool
from handrail.ports.schemas import schema

_SCREENSHOTS = f"{AGENT_FOLDER}/screenshots"


class Params(msgspec.Struct, frozen=True):
    pass


class Sandbox(msgspec.Struct, frozen=True, rename="camel"):
    forbidden_dirs: list[str]
    max_read_bytes: int
    text_encoding: str = "utf-8"


class Execution(msgspec.Struct, frozen=True, rename="camel"):
    allowed_commands: list[str]
    timeout_ms: int
    working_dir: str
    enabled: bool = True


class Browser(msgspec.Struct, frozen=True, rename="camel"):
    allowed_hosts: list[str]
    timeout_ms: int
    screenshot_dir: str
    enabled: bool = True


class Server(msgspec.Struct, frozen=True):
    name: str = "handrail"
    version: str = handrail.__version__


class Result(msgspec.Struct, frozen=True, rename="camel"):
    project_root: str
    snapshot_retention: int
    sandbox: Sandbox
    tools: list[str]
    execution: Execution | UnsetType = UNSET
    browser: Browser | UnsetType = UNSET
    server: Server = Server()


async def get_runtime_info(workspace: Workspace, call: Call, params: Params, preview: Preview | None) -> Result:
    """Show the project's root, limits, closed folders and available tools."""
    limits, root = workspace.policy().limits, workspace.files.location
    tools = {tool.name: tool for tool in workspace.tools()}
    command, browser = tools.get("execute_command"), tools.get("browser_action")
    return Result(
        project_root=root,
        snapshot_retention=limits.snapshot_retention,
        sandbox=Sandbox(list(limits.forbidden_dirs), limits.max_read_bytes),
        tools=list(tools),
        execution=UNSET
        if command is None
        else Execution(_runnable(command, limits.allowed_commands), limits.command_timeout_ms, root),
        browser=UNSET
        if browser is None
        else Browser(list(limits.browser_allowed_hosts), browser.deadline_ms, _SCREENSHOTS),
    )


def _runnable(command: Tool[Any, Any], allowed: Sequence[str]) -> list[str]:
    """The contract has its own list, which the policy can only narrow."""
    return [name for name in command.input_schema["properties"]["scriptName"]["enum"] if name in allowed]


TOOL = Tool(
    name="get_runtime_info",
    title="Runtime information",
    params=Params,
    input_schema=schema("webgal", "get_runtime_info.request"),
    output_schema=schema("webgal", "get_runtime_info.response"),
    is_idempotent=True,
    run=get_runtime_info,
)
