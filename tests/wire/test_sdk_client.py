"""The official SDK's own client, as an agent's program would use it."""

import json
import os
from pathlib import Path

import httpx2
import pytest
from mcp import Client as SdkClient
from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent, TextResourceContents

from tests.wire.clients import HANDRAIL, Up
from tests.wire.stage import SCENE, START

PROMPTS = ["webgal.create_scene", "webgal.refactor_scene", "webgal.fix_validation"]
GENERATIONS = pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def edits_a_project(client: SdkClient, project: Path) -> None:
    """A whole small job: read, dry run, write, search, restore. The SDK validates each structured result."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert "write_to_file" in tools
    assert tools["read_file"].annotations is not None
    assert tools["read_file"].annotations.read_only_hint is True

    write = {"path": START, "content": SCENE.replace("beach", "city")}
    dry_run = await client.call_tool("write_to_file", {**write, "dryRun": True})
    assert structure(dry_run)["diff"]["hunks"][0]["linesNew"] == ["changeBg:city.jpg;"]
    result = structure(await client.call_tool("write_to_file", {**write, "dryRun": False}))
    assert "city" in (project / START).read_text()

    matches = structure(await client.call_tool("search_files", {"path": ".", "regex": "city"}))["matches"]
    assert matches == [{"path": START, "line": 2, "preview": "changeBg:city.jpg;"}]

    restored = structure(await client.call_tool("restore_snapshot", {"snapshotId": result["snapshotId"]}))
    assert restored == {"path": START, "content": SCENE}

    assert [prompt.name for prompt in (await client.list_prompts()).prompts] == PROMPTS
    rework = await client.get_prompt("webgal.refactor_scene", {"path": "start"})
    assert [message.content.type for message in rework.messages] == ["resource", "text"]
    (scene,) = (await client.list_resources()).resources
    (read,) = (await client.read_resource(scene.uri)).contents
    assert isinstance(read, TextResourceContents)
    assert "city" in read.text
    with pytest.raises(MCPError):
        await client.read_resource("webgal://scene/missing.txt")

    failed = await client.call_tool("read_file", {"path": "../secret"})
    assert failed.is_error
    assert failed.structured_content is None
    (content,) = failed.content
    assert isinstance(content, TextContent)
    assert json.loads(content.text)["error"]["code"] == "E_DENY_PATH"


def structure(result: CallToolResult) -> dict:
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@GENERATIONS
async def test_the_sdks_client_does_a_whole_job_over_stdio(
    own_project: Path, own_state: Path, mode: str, version: str
) -> None:
    arguments = ["mcp", "--project", str(own_project), "--state", str(own_state), "--answer", "allow"]
    server = StdioServerParameters(command=HANDRAIL, args=arguments, env=dict(os.environ))
    async with SdkClient(stdio_client(server), mode=mode) as client:
        assert client.protocol_version == version
        await edits_a_project(client, own_project)


@GENERATIONS
async def test_the_sdks_client_does_a_whole_job_over_http(
    own_project: Path, own_state: Path, mode: str, version: str
) -> None:
    up = Up(own_project, own_state, answer="allow")
    try:
        url, headers = str(up.http.base_url.join("/mcp")), {"Authorization": up.http.headers["Authorization"]}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False) as http,
            SdkClient(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            assert client.protocol_version == version
            await edits_a_project(client, own_project)
    finally:
        up.close()
