"""The browser's tools without a running server or without a connected browser."""

from pathlib import Path

import pytest

from tests.wire.browsing import Agent
from tests.wire.clients import Api, Cli, Start, Stdio


@pytest.mark.parametrize("face", ["stdio", "cli"])
def test_without_a_server_the_plugin_is_offline_and_the_hint_says_how_to_start_one(
    start: Start, own_project: Path, own_state: Path, face: str
) -> None:
    client = start(face, own_project, own_state, answer="allow")
    assert isinstance(client, Stdio | Cli)
    result = Agent(client).call("task_start", url="http://good.test/")
    assert result.code == "PLUGIN_OFFLINE"
    assert result.error is not None
    assert "handrail up" in result.error["details"]["hint"]


def test_without_a_browser_the_plugin_is_offline_and_the_hint_says_how_to_connect_one(
    start: Start, own_project: Path, own_state: Path
) -> None:
    client = start("api", own_project, own_state, answer="allow")
    assert isinstance(client, Api)
    for tool, params in (("task_start", {"url": "http://good.test/"}), ("browser_dom_index", {})):
        result = Agent(client).call(tool, **params)
        assert result.code == "PLUGIN_OFFLINE"
        assert result.error is not None
        assert "pair" in result.error["details"]["hint"]
