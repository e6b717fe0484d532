"""Consents from end to end: `handrail mcp`, an HTTP app, and answers by `handrail prompts`."""

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.oauth_server import oauth_server
from tests.persons import Person
from tests.wire.apps_rig import outcome_of
from tests.wire.clients import HANDRAIL, Outcome, Stdio

APP = "com.example.web"


class Agent:
    """An MCP client with a name and a version, on a machine with one app that requires a key."""

    def __init__(self, folder: Path, base: str) -> None:
        self.state = folder / "state"
        self.person = Person(self.state)
        self._environ = {"HOME": str(folder), "WEB_KEY": "good-key"}
        file = folder / ".aai" / APP / "aai.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(_descriptor(base)))
        self._client = Stdio(folder, self.state, answer="ask", environ=self._environ)
        self._pool = ThreadPoolExecutor(1)

    def calls(self, tool: str) -> "Future[Outcome]":
        arguments = {"app": APP, "tool": tool, "params": {"text": "hi"}}
        request = {"name": "apps_call", "arguments": arguments}
        return self._pool.submit(lambda: outcome_of(self._client.request("tools/call", request)))

    def command(self, *words: str) -> Any:
        command = [HANDRAIL, "apps", *words, "--state", str(self.state)]
        result = subprocess.run(
            command, env={**os.environ, **self._environ}, capture_output=True, check=True, timeout=60
        )
        return json.loads(result.stdout) if "--json" in words else result.stdout.decode()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._client.close()


def _descriptor(base: str) -> dict[str, Any]:
    tools = [
        {
            "name": name,
            "description": f"Will {name} it.",
            "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
            "execution": {"path": f"/{name}", "method": "POST"},
        }
        for name in ("say", "sing")
    ]
    key = {"placement": "header", "name": "X-Key", "env_var": "WEB_KEY"}
    return {
        "schema_version": "1.0",
        "app": {"id": APP, "name": "Web", "description": "An app on the web."},
        "execution": {"type": "http", "base_url": f"{base}/api"},
        "tools": tools,
        "auth": {"type": "api_key", "api_key": key},
    }


@pytest.fixture(scope="module")
def consenting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with oauth_server() as server:
        agent = Agent(tmp_path_factory.mktemp("consents"), server.base)
        yield agent
        agent.close()


def test_a_person_always_allows_one_tool_and_revokes_it(consenting: Agent) -> None:
    first = consenting.calls("say")
    prompt = consenting.person.answers("--ok", "--for", "rule")["prompt"]
    assert prompt["kind"] == "file_change_confirm"
    assert prompt["consent"] == {"app": APP, "appName": "Web", "tool": "say"}
    lines = prompt["message"].split("\n")
    assert "does: Will say it." in lines
    assert "params.text: hi" in lines
    assert any("$WEB_KEY" in line for line in lines)
    assert first.result(30).result == {"echo": {"text": "hi"}}
    assert consenting.calls("say").result(30).result == {"echo": {"text": "hi"}}
    other = consenting.calls("sing")
    consenting.person.answers("--cancel", "--remark", "too loud")
    refused = other.result(30).error
    assert refused is not None
    assert (refused["code"], refused["details"]["remark"]) == ("PERMISSION_DENIED", "too loud")
    (result,) = consenting.command("consents", "list", "--json")["consents"]
    assert (result["app"], result["tool"], result["valid"]) == (APP, "say", True)
    assert result["caller"].startswith("program:")
    consenting.command("consents", "revoke", result["id"])
    again = consenting.calls("say")
    consenting.person.answers("--cancel")
    assert again.result(30).code == "PERMISSION_DENIED"


def test_a_person_allows_all_tools_of_an_app(consenting: Agent) -> None:
    first = consenting.calls("say")
    consenting.person.answers("--ok", "--for", "app")
    assert first.result(30).error is None
    assert consenting.calls("sing").result(30).result == {"echo": {"text": "hi"}}
