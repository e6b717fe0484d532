"""Real MCP servers behind the real program: filesystem, everything, git, sqlite, playwright."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.features.gateway.rig import PEERS, Mcp, Rig
from tests.waiting import until

BIN = Path(sys.executable).parent
SQLITE = Path(__file__).parents[2] / "peers/.venv/bin/mcp-server-sqlite"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Rig:
    rig = Rig(tmp_path_factory.mktemp("servers"))
    (rig.project / "notes.txt").write_text("hello")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(rig.project)]
    subprocess.run([*git[:-2], "init", "-q", str(rig.project)], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    rig.add("files", str(PEERS / "mcp-server-filesystem"), str(rig.project))
    rig.add("every", str(PEERS / "mcp-server-everything"))
    rig.add("git", str(BIN / "mcp-server-git"), "--repository", str(rig.project))
    rig.add("sqlite", str(SQLITE), "--db-path", str(rig.project / "birds.db"))
    return rig


@pytest.fixture(scope="module")
def mcp(rig: Rig) -> Iterator[Mcp]:
    client = Mcp(rig, "--answer", "allow")
    yield client
    client.close()


@pytest.mark.trial("servers", is_long=True)
def test_every_servers_tools_are_listed_with_quoted_descriptions(mcp: Mcp) -> None:
    tools = {tool["name"]: tool for tool in mcp.request("tools/list")["tools"]}
    assert {"files__read_text_file", "every__echo", "git__git_log"} <= set(tools)
    description = tools["git__git_log"]["description"]
    assert description.startswith("From the MCP server git, in its own words:\n> ")
    assert tools["files__read_text_file"]["annotations"]["readOnlyHint"] is True
    assert tools["files__write_file"]["annotations"]["readOnlyHint"] is False


def test_a_read_only_tool_runs_without_asking_and_a_write_leaves_evidence(rig: Rig, mcp: Mcp) -> None:
    before = len(rig.evidence())
    assert mcp.text("files__read_text_file", path=str(rig.project / "notes.txt")) == "hello"
    assert len(rig.evidence()) == before
    mcp.text("files__write_file", path=str(rig.project / "new.txt"), content="written")
    assert (rig.project / "new.txt").read_text() == "written"
    request = json.loads(rig.evidence()[-1].read_text())
    assert (request["tool"], request["params"]["content"]) == ("files.write_file", "written")
    reply = json.loads(rig.evidence()[-1].with_name("reply.json").read_text())
    assert "Successfully wrote" in reply["content"][0]["text"]


def test_a_servers_own_error_message_is_passed_on(mcp: Mcp) -> None:
    result = mcp.call("files__read_text_file", path="/etc/passwd")
    assert result["isError"] is True
    assert "outside allowed directories" in result["content"][0]["text"]


def test_the_git_server_works(mcp: Mcp, rig: Rig) -> None:
    assert "first" in mcp.text("git__git_log", repo_path=str(rig.project))


@pytest.mark.trial("servers", is_long=True)
def test_sqlite_creates_fills_and_reads_a_table_and_each_change_is_on_record(mcp: Mcp, rig: Rig) -> None:
    """It marks nothing as read-only, so every call would ask and leaves evidence."""
    mcp.text("sqlite__create_table", query="CREATE TABLE birds (name TEXT)")
    mcp.text("sqlite__write_query", query="INSERT INTO birds VALUES ('grey heron')")
    assert "grey heron" in mcp.text("sqlite__read_query", query="SELECT * FROM birds")
    with closing(sqlite3.connect(rig.project / "birds.db")) as database:
        assert database.execute("SELECT name FROM birds").fetchall() == [("grey heron",)]
    tools = [json.loads(file.read_text())["tool"] for file in rig.evidence()[-3:]]
    assert tools == ["sqlite.create_table", "sqlite.write_query", "sqlite.read_query"]


@pytest.mark.trial("servers", is_long=True)
def test_a_server_that_cannot_start_is_not_added_and_its_output_is_shown(rig: Rig) -> None:
    failed = rig.run("servers", "add", "wrong", "--yes", "--", str(SQLITE), "--no-such-option", is_ok=False)
    assert failed.returncode == 1
    assert "The MCP server wrong ended" in failed.stderr
    assert "unrecognized arguments" in failed.stderr
    assert "wrong" not in rig.run("servers", "list").stdout


def test_pictures_links_resources_and_structures_pass_through(mcp: Mcp) -> None:
    picture = mcp.call("every__get-tiny-image")
    assert [part["type"] for part in picture["content"]][:2] == ["text", "image"]
    links = mcp.call("every__get-resource-links", count=2)
    assert [part["type"] for part in links["content"]].count("resource_link") == 2
    reference = mcp.call("every__get-resource-reference", resourceType="Blob", resourceId=1)
    assert any(part["type"] == "resource" and "blob" in part["resource"] for part in reference["content"])
    structured = mcp.call("every__get-structured-content", location="Chicago")
    assert structured["structuredContent"]["temperature"]


def test_prompts_and_resources_are_read_through_the_gate(mcp: Mcp) -> None:
    prompts = {prompt["name"] for prompt in mcp.request("prompts/list")["prompts"]}
    assert "every__args-prompt" in prompts
    said = mcp.request("prompts/get", {"name": "every__args-prompt", "arguments": {"city": "Paris"}})
    assert "Paris" in said["messages"][0]["content"]["text"]
    resources = [each for each in mcp.request("resources/list")["resources"] if each["uri"].startswith("mcp://every/")]
    content = mcp.request("resources/read", {"uri": resources[0]["uri"]})["contents"][0]
    assert content["uri"] == resources[0]["uri"]
    assert content["text"]


def test_a_server_gets_a_small_environment(mcp: Mcp) -> None:
    data = json.loads(mcp.text("every__get-env"))
    assert "PATH" in data
    assert not [name for name in data if name.startswith(("HANDRAIL_", "PYTEST_"))]


@pytest.mark.trial("servers", is_long=True)
def test_playwright_s_browser_is_driven_through_the_gate(rig: Rig) -> None:
    chromium = shutil.which("chromium")
    assert chromium is not None
    command = (str(PEERS / "playwright-mcp"), "--headless", "--isolated", "--no-sandbox", "--executable-path", chromium)
    rig.add("web", *command)
    client = Mcp(rig, "--answer", "allow", "--servers", "web")
    text = client.text("web__browser_navigate", url="data:text/html,<title>Herons</title><h1>Grey herons</h1>")
    page_text = text + client.text("web__browser_snapshot")
    assert "Grey herons" in page_text
    client.close()
    rig.run("servers", "remove", "web")


def test_progress_comes_through(mcp: Mcp) -> None:
    number = mcp.begin(
        "tools/call",
        {
            "name": "every__trigger-long-running-operation",
            "arguments": {"duration": 1, "steps": 2},
            "_meta": {"progressToken": "p"},
        },
    )
    assert mcp.answer(number)["isError"] is False
    words = [note["params"].get("message", "") for note in mcp.notes if note["method"] == "notifications/progress"]
    assert any(word.startswith("every:") and "2" in word for word in words)


@pytest.mark.trial("servers", is_long=True)
def test_compact_lists_three_tools_and_calls_all_of_them(rig: Rig) -> None:
    client = Mcp(rig, "--answer", "allow", "--compact")
    tools = client.request("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["tools_search", "tools_describe", "tools_call"]
    assert len(json.dumps(tools)) < 4 * 600  # a token has about four characters
    assert "files__write_file" in client.text("tools_search", query="write file")
    assert "git__git_log" in client.text("tools_describe", name="git__git_log")
    path = str(rig.project / "compact.txt")
    client.text("tools_call", name="files__write_file", arguments={"path": path, "content": "x"})
    assert json.loads(rig.evidence()[-1].read_text())["tool"] == "files.write_file"
    client.close()


def test_only_the_chosen_servers_are_offered(rig: Rig) -> None:
    client = Mcp(rig, "--servers", "git")
    servers = {name.partition("__")[0] for name in client.names() if "__" in name}
    client.close()
    assert servers == {"git"}


@pytest.mark.trial("servers", is_long=True)
def test_wrap_shows_the_server_s_own_names_once_they_are_accepted(rig: Rig) -> None:
    command = ("--", str(PEERS / "mcp-server-filesystem"), str(rig.project))
    client = Mcp(rig, "--answer", "allow", words=("wrap", *command))
    assert client.names() == []
    (question,) = until(lambda: [each for each in rig.prompts() if "server-filesystem" in json.dumps(each)])
    rig.run("prompts", "answer", question["requestId"], "--ok")
    client.note("notifications/tools/list_changed")
    assert "read_text_file" in client.names()
    assert client.text("read_text_file", path=str(rig.project / "notes.txt")) == "hello"
    client.close()
    again = Mcp(rig, "--answer", "allow", words=("wrap", *command))
    assert "read_text_file" in again.names()
    again.close()
    other: Any = Mcp(rig, "--answer", "allow", words=("wrap", *command[:-1], str(rig.project.parent)))
    assert other.names() == []
    other.close()
