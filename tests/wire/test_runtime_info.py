"""get_runtime_info: contract 3 §2.6."""

import json
import re
from pathlib import Path

import pytest

import handrail
from tests.wire.clients import Client, Start, Stdio
from tests.wire.stage import put_policy
from tests.wire.test_commands import FINDERS

CONTRACT_TOOLS = [
    "list_files",
    "read_file",
    "write_to_file",
    "replace_in_file",
    "search_files",
    "list_snapshots",
    "restore_snapshot",
    "get_runtime_info",
]


@pytest.mark.also_cli
def test_it_returns_the_root_the_limits_and_the_server(client: Client, project: Path) -> None:
    info = client.ok("get_runtime_info")
    assert info["projectRoot"] == str(project)
    assert info["snapshotRetention"] == 20
    assert info["sandbox"] == {
        "forbiddenDirs": [".git", "node_modules", ".env"],
        "maxReadBytes": 5_242_880,
        "textEncoding": "utf-8",
    }
    assert info["server"] == {"name": "handrail", "version": handrail.__version__}
    assert re.fullmatch(r"\d+\.\d+\.\d+", info["server"]["version"])


def test_it_names_every_tool_that_is_registered(client: Client, stdio: Stdio) -> None:
    tools = [tool["name"] for tool in stdio.request("tools/list", {})["tools"]]
    named = client.ok("get_runtime_info")["tools"]
    assert [name for name in named if name not in FINDERS] == tools
    assert set(named) >= FINDERS
    assert set(CONTRACT_TOOLS) <= set(tools)


def test_it_follows_the_policy(client: Client, project: Path) -> None:
    put_policy(project, snapshotRetention=50, maxReadBytes=100, forbiddenDirs=["build"])
    info = client.ok("get_runtime_info")
    assert info["snapshotRetention"] == 50
    assert info["sandbox"]["maxReadBytes"] == 100
    assert "build" in info["sandbox"]["forbiddenDirs"]


def test_it_omits_commands_and_browser_while_they_are_off(client: Client) -> None:
    assert not {"execution", "browser"} & set(client.ok("get_runtime_info"))


def test_it_reveals_no_secrets(start: Start, own_project: Path, own_state: Path) -> None:
    put_policy(own_project, redactEnv=["MY_API_KEY"])
    client = start("stdio", own_project, own_state, environ={"MY_API_KEY": "sk-123456"})
    result = json.dumps(client.ok("get_runtime_info"))
    for secret in ("MY_API_KEY", "sk-123456", "redactEnv", str(own_state)):
        assert secret not in result


def test_it_takes_no_parameters(client: Client) -> None:
    assert client.code("get_runtime_info", verbose=True) == "E_BAD_ARGS"
