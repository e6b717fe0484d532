"""The complete wiring over HTTP, as `handrail up` opens it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faces.http.running import Running


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    state, project = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("project")
    (project / "a.txt").write_text("one\n")
    flags = ["--project", str(project), "--state", str(state), "--port", "0", "--no-open", "--answer", "allow"]
    with Running(state, project, command=["handrail", "up", *flags]) as running:
        yield running


def test_a_file_is_read(rig: Running) -> None:
    answer = rig.call("read_file", {"path": "a.txt"})
    assert answer.json == {
        "ok": True,
        "data": {"path": "a.txt", "content": "one\n", "encoding": "utf-8", "bytes": 4},
    }


def test_a_file_is_written_after_its_dry_run(rig: Running) -> None:
    written = {"path": "b.txt", "content": "zwei\n"}
    assert rig.call("write_to_file", {**written, "dryRun": False}).status == 403
    assert rig.call("write_to_file", {**written, "dryRun": True}).json["data"]["applied"] is False
    assert not (rig.project / "b.txt").exists()
    answer = rig.call("write_to_file", {**written, "dryRun": False}, x_task_id="task-1")
    assert answer.json["data"]["applied"] is True
    assert (rig.project / "b.txt").read_text() == "zwei\n"


@pytest.mark.parametrize("path", ["../a", "/etc/passwd", "~/a", "a/%2e%2e/b", ".git/config", ".handrail/policy.json"])
def test_a_hostile_path_is_forbidden(path: str, rig: Running) -> None:
    answer = rig.call("read_file", {"path": path})
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert answer.json["error"]["details"]["toolError"]["code"] == "E_DENY_PATH"


def test_routes_for_people_do_not_exist_here(rig: Running) -> None:
    answer = rig.call("undo_write", {})
    assert (answer.status, answer.code) == (404, "NOT_FOUND")
    assert "toolError" not in answer.json["error"]["details"]


def test_the_open_page_names_no_path_of_the_users(rig: Running) -> None:
    text = rig.request("GET", "/", headers={}).body.decode()
    assert str(rig.project) not in text
    assert str(rig.state) not in text


def test_the_mcp_endpoint_is_mounted(rig: Running) -> None:
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    headers = {**rig.bearer, "accept": "application/json, text/event-stream"}
    for path in ("/mcp", "/mcp/"):
        answer = rig.request("POST", path, headers=headers, json=initialize)
        assert answer.status == 200
        assert b'"name":"handrail"' in answer.body.replace(b'": ', b'":')


def test_the_server_file_is_where_the_state_is(rig: Running) -> None:
    assert rig.file["pid"] == rig.process.pid
    assert Path(rig.state / "server.json").stat().st_mode & 0o077 == 0
