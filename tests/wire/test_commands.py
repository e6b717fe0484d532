"""execute_command and developer mode: contract 3 §4.1, §0.3 and §0.5, with real processes."""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.persons import Person
from tests.waiting import PATIENCE, until
from tests.wire.clients import Client, Json, Start, Stdio
from tests.wire.stage import Stage, furnish, put, trust

SECRET = "sk-8f3c21d7e9"
# Runs in its own process group and session, so killing a group doesn't reach it; it reports its pid.
LEFT_BEHIND = "setsid sh -c 'trap \"\" TERM; echo $$ >> pids; exec sleep 1000'"
FINDERS = {"tools_search", "tools_describe", "tools_call"}
"""Tools that stand in a compact list alone, and can be called in any."""


class Workshop:
    """A project in developer mode, and one program that serves it."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.state = folder / "state"
        self.project.mkdir(parents=True)
        self.state.mkdir(mode=0o700)
        furnish(self.project)
        self.allow()
        environ = {"DEMO_API_KEY": SECRET, "DEMO_PLAIN": "plain-8f3c21", "HOME": str(folder)}
        self.client = Stdio(self.project, self.state, answer="allow", environ=environ)

    def allow(self, **policies: Any) -> None:
        """A policy for developers that a person trusts."""
        put_mode(self.project, "developer", **policies)
        trust(self.project, self.state)

    def package(self, **scripts: str) -> None:
        put(self.project, "package.json", json.dumps({"name": "demo", "version": "1.2.3", "scripts": scripts}))
        (self.project / "pids").unlink(missing_ok=True)

    def run(self, script: str = "build", **params: Any) -> Json:
        return self.client.ok("execute_command", scriptName=script, **params)

    def reported_pids(self) -> list[int]:
        """Returns the processes that reported their pid."""
        file = self.project / "pids"
        return [int(pid) for pid in file.read_text().split()] if file.exists() else []

    def running_pids(self) -> list[int]:
        """Returns those of them that are still running."""
        return [pid for pid in self.reported_pids() if is_alive(pid)]


@pytest.fixture(scope="module")
def workshops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    workshop = Workshop(tmp_path_factory.mktemp("workshop"))
    yield workshop
    workshop.client.close()


@pytest.fixture
def workshop(workshops: Workshop) -> Workshop:
    workshops.allow()
    return workshops


def put_mode(project: Path, mode: str, **policies: Any) -> None:
    put(project, ".handrail/policy.json", json.dumps({"mode": mode, "policies": policies}))


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# Developer mode


@pytest.mark.parametrize("face", ["stdio", "streamable"])
def test_outside_developer_mode_it_is_disabled_and_in_no_list(stage: Stage, project: Path, face: str) -> None:
    client: Any = stage.client(face)

    def listed() -> bool:
        names = [tool["name"] for tool in client.request("tools/list", {})["tools"]]
        info = client.ok("get_runtime_info")
        assert [name for name in info["tools"] if name not in FINDERS] == names
        assert ("execution" in info) is ("execute_command" in names)
        return "execute_command" in names

    put(project, "package.json", '{"scripts": {"build": "echo built"}}')
    assert not listed()
    assert client.code("execute_command", scriptName="build") == "E_TOOL_DISABLED"
    put_mode(
        project, "developer", snapshotRetention=7 if face == "stdio" else 8
    )  # another project's trust doesn't count
    assert not listed(), "a project can't switch the mode until a person trusts it"
    error = client.error("execute_command", scriptName="build")
    assert error["code"] == "E_TOOL_DISABLED"
    assert "handrail policy trust" in error["hint"]
    trust(project, stage.state)
    assert listed()
    assert client.ok("execute_command", scriptName="build")["ok"] is True


def test_runtime_information_lists_the_allowed_commands(workshop: Workshop) -> None:
    workshop.allow(allowedCommands=["lint", "deploy", "build"], commandTimeoutMs=1234, redactEnv=["DEMO_*"])
    result = workshop.client.ok("get_runtime_info")
    assert result["execution"] == {
        "enabled": True,
        "allowedCommands": ["build", "lint"],
        "timeoutMs": 1234,
        "workingDir": str(workshop.project),
    }
    assert "DEMO" not in json.dumps(result)


def test_nothing_is_asked_of_the_mode_where_the_policy_is_broken(workshop: Workshop) -> None:
    put(workshop.project, ".handrail/policy.json", "{")
    assert workshop.client.code("execute_command", scriptName="build") == "E_POLICY_VIOLATION"
    tools = [tool["name"] for tool in workshop.client.request("tools/list", {})["tools"]]
    assert "read_file" in tools
    assert "execute_command" not in tools


# Which script, and how


@pytest.mark.also_cli
def test_every_face_runs_a_script_of_the_package(client: Client, stage: Stage, project: Path) -> None:
    put_mode(project, "developer")
    trust(project, stage.state)
    put(project, "package.json", '{"scripts": {"build": "echo built; echo badly >&2"}}')
    assert client.ok("execute_command", scriptName="build") == {
        "ok": True,
        "logs": ["$ echo built; echo badly >&2", "built", "badly"],
    }


def test_a_script_runs_in_the_project_with_its_pre_and_post_scripts_like_npm(workshop: Workshop) -> None:
    workshop.package(
        prebuild="echo before",
        build="pwd; echo $npm_lifecycle_event $npm_package_name $npm_package_version; local-tool",
        postbuild="echo after",
    )
    tool = put(workshop.project, "node_modules/.bin/local-tool", "#!/bin/sh\necho of the package\n")
    tool.chmod(0o755)
    printed = [line for line in workshop.run()["logs"] if not line.startswith("$ ")]
    assert printed == ["before", str(workshop.project), "build demo 1.2.3", "of the package", "after"]


def test_a_script_that_fails_is_a_result_with_its_status(workshop: Workshop) -> None:
    workshop.package(build="echo no >&2; exit 3", postbuild="echo after")
    assert workshop.run() == {"ok": False, "logs": ["$ echo no >&2; exit 3", "no", "exit status 3"]}


def test_a_script_that_is_not_in_the_package_names_its_neighbours(workshop: Workshop) -> None:
    workshop.package(builds="true", test="true")
    error = workshop.client.error("execute_command", scriptName="build")
    assert error["code"] == "E_POLICY_VIOLATION"
    assert "builds" in error["hint"]


def test_the_policy_narrows_the_scripts_and_never_widens_them(workshop: Workshop) -> None:
    workshop.allow(allowedCommands=["lint", "deploy"])
    workshop.package(build="echo built", lint="echo linted", deploy="echo gone")
    assert workshop.client.code("execute_command", scriptName="build") == "E_POLICY_VIOLATION"
    assert workshop.client.code("execute_command", scriptName="deploy") == "E_BAD_ARGS"
    assert workshop.run("lint")["ok"] is True


def test_arguments_need_the_policys_leave_and_reach_no_shell(workshop: Workshop) -> None:
    words = ["; touch pwned", "$(touch pwned)", "`touch pwned`", "&& touch pwned", "a\nb", "--x=1", "'", "中"]
    workshop.package(build='printf "<%s>"')
    assert workshop.client.code("execute_command", scriptName="build", args=words) == "E_POLICY_VIOLATION"
    workshop.allow(commandArgs=True)
    result = workshop.run(args=words)
    assert "".join(f"<{word}>" for word in words) in "\n".join(result["logs"])
    assert not (workshop.project / "pwned").exists()
    assert workshop.client.code("execute_command", scriptName="build", args=["a\0b"]) == "E_BAD_ARGS"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "E_NOT_FOUND"),
        (b"", "E_PARSE_FAIL"),
        (b"{", "E_PARSE_FAIL"),
        (b"\xff\xfe{}", "E_PARSE_FAIL"),
        (b"[]", "E_PARSE_FAIL"),
        (b'{"scripts": ["build"]}', "E_PARSE_FAIL"),
        (b'{"scripts": {"build": 1}}', "E_PARSE_FAIL"),
        (b'{"scripts": {"build": "true", "build": "false"}}', "E_PARSE_FAIL"),
        (b"{}", "E_POLICY_VIOLATION"),
    ],
)
def test_an_unreadable_package_is_reported(workshop: Workshop, content: bytes | None, code: str) -> None:
    if content is None:
        (workshop.project / "package.json").unlink(missing_ok=True)
    else:
        put(workshop.project, "package.json", content)
    error = workshop.client.error("execute_command", scriptName="build")
    assert error["code"] == code
    assert "package.json" in error["message"]


def test_a_package_behind_a_link_is_not_read(workshop: Workshop, tmp_path: Path) -> None:
    (workshop.project / "package.json").unlink(missing_ok=True)
    (workshop.project / "package.json").symlink_to(put(tmp_path, "other.json", '{"scripts": {"build": "echo no"}}'))
    assert workshop.client.code("execute_command", scriptName="build") == "E_DENY_PATH"
    (workshop.project / "package.json").unlink()


# What a person sees


def test_the_approval_shows_command_and_folder_and_binds_them(start: Start, own_project: Path, own_state: Path) -> None:
    put_mode(own_project, "developer", commandArgs=True)
    own_state.mkdir(mode=0o700)
    trust(own_project, own_state)
    package = put(own_project, "package.json", '{"scripts": {"build": "echo built"}}')
    client, person = start("stdio", own_project, own_state), Person(own_state)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client.call, "execute_command", {"scriptName": "build", "args": ["two words"]})
        prompt = person.sees()["prompt"]
        package.write_text('{"scripts": {"build": "echo something else"}}')
        person.answers("--ok")
    assert (prompt["command"], prompt["cwd"]) == ("echo built 'two words'", str(own_project))
    assert "EXECUTE" in prompt["message"]
    assert answer.result(PATIENCE).code == "E_CONFLICT"


# Its environment, and what it reveals


def test_no_secret_reaches_a_script_or_is_shown(workshop: Workshop) -> None:
    workshop.allow(redactEnv=["DEMO_PLAIN"])
    put(workshop.project, "kept.txt", f"key={SECRET} and plain-8f3c21\n")
    workshop.package(build="env; cat kept.txt")
    logs = "\n".join(workshop.run()["logs"])
    assert "DEMO_API_KEY" not in logs
    assert "DEMO_PLAIN" not in logs
    assert "PATH=" in logs
    assert "key=****** and ******" in logs
    for file in (workshop.project / ".handrail").rglob("*"):
        assert file.is_dir() or SECRET.encode() not in file.read_bytes(), file


def test_it_has_nothing_to_read_from(workshop: Workshop) -> None:
    workshop.package(build="cat; echo done")
    assert workshop.run() == {"ok": True, "logs": ["$ cat; echo done", "done"]}


def test_colours_and_cursor_movements_are_left_out(workshop: Workshop) -> None:
    workshop.package(build=r"printf '\033[31mred\033[0m\n10%%\r100%%\n\033]0;title\007end\n'")
    assert workshop.run()["logs"][1:] == ["red", "100%", "end"]


# Limits of output and time


def test_a_flood_is_shortened_in_the_answer_and_bounded_on_disk(workshop: Workshop) -> None:
    workshop.package(build="echo first; yes flood | head -c 100000000; echo; echo last")
    result = workshop.run()
    assert result["ok"] is True
    assert result["logs"][1] == "first"
    assert result["logs"][-1] == "last"
    assert any("left out" in line for line in result["logs"])
    assert len(json.dumps(result)) < 200_000
    logs = sorted((workshop.project / ".handrail").rglob("output.log"), key=lambda file: file.stat().st_mtime_ns)
    assert 1_000_000 < logs[-1].stat().st_size < 8_000_000
    status = Path(f"/proc/{workshop.client.process.pid}/status").read_text()
    (peak,) = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    assert int(peak) < 400_000


def test_output_is_streamed_while_it_runs(workshop: Workshop) -> None:
    workshop.package(build="echo begun; until [ -e go ]; do sleep 0.05; done; rm go; echo over")
    params = {"name": "execute_command", "arguments": {"scriptName": "build"}, "_meta": {"progressToken": "p"}}
    workshop.client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params})
    while (message := workshop.client.receive_any()).get("params", {}).get("message") != "begun":
        assert message["method"] == "notifications/progress"
    put(workshop.project, "go", "")
    answer = workshop.client.receive()
    assert answer["result"]["structuredContent"]["logs"][-1] == "over"


def test_a_script_that_never_ends_is_ended_with_all_that_it_started(workshop: Workshop) -> None:
    error: Json = {}
    for limit in (1000, 5000, 20_000):  # a busy machine needs longer to start both
        workshop.allow(commandTimeoutMs=limit)
        workshop.package(build=f"{LEFT_BEHIND} & echo $$ >> pids; echo started; while :; do sleep 1; done")
        error = workshop.client.error("execute_command", scriptName="build")
        assert (error["code"], error["details"]["timeoutMs"]) == ("E_TIMEOUT", limit)
        assert workshop.running_pids() == []
        if len(workshop.reported_pids()) == 2:
            break
    assert len(workshop.reported_pids()) == 2
    assert error["details"]["logs"][-1] == "started"


def test_processes_left_by_a_script_end_with_it(workshop: Workshop) -> None:
    workshop.package(build=f"{LEFT_BEHIND} & until [ -s pids ]; do sleep 0.01; done; echo done")
    assert workshop.run()["logs"][-1] == "done"
    assert workshop.running_pids() == []


def test_a_cancelled_call_ends_its_script(workshop: Workshop) -> None:
    workshop.package(build=f"{LEFT_BEHIND} & echo $$ >> pids; while :; do sleep 1; done")
    params = {"name": "execute_command", "arguments": {"scriptName": "build"}}
    workshop.client.send({"jsonrpc": "2.0", "id": "stopped", "method": "tools/call", "params": params})
    until(lambda: len(workshop.running_pids()) == 2, "the script did not start")
    workshop.client.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "stopped", "reason": "enough"}}
    )
    until(lambda: workshop.running_pids() == [], "the script runs on")


def test_a_script_does_not_outlive_a_handrail_that_is_killed(start: Start, workshop: Workshop) -> None:
    workshop.package(build=f"{LEFT_BEHIND} & echo $$ >> pids; while :; do sleep 1; done")
    client = Stdio(workshop.project, workshop.state, answer="allow")
    params = {"name": "execute_command", "arguments": {"scriptName": "build"}}
    client.send({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params})
    until(lambda: len(workshop.running_pids()) == 2, "the script did not start")
    client.process.kill()
    client.process.communicate(timeout=PATIENCE)
    until(lambda: workshop.running_pids() == [], "the script runs on")


def test_a_script_that_kills_its_supervisor_ends_and_is_reported(workshop: Workshop) -> None:
    workshop.package(build=f"{LEFT_BEHIND} & until [ -s pids ]; do sleep 0.01; done; kill -9 $PPID; sleep 1000")
    result = workshop.run()
    assert (result["ok"], result["logs"][-1]) == (False, "exit status 137")
    assert result["logs"][-2].startswith("The script's supervisor was killed")
    until(lambda: workshop.running_pids() == [], "what it left runs on")


# The dev server, which keeps running


def test_dev_returns_once_it_listens_stays_and_ends_with_handrail(workshop: Workshop) -> None:
    served = f"echo $$ >> pids; exec {sys.executable} -u -m http.server 0 --bind 127.0.0.1"
    workshop.package(dev=served)
    client = Stdio(workshop.project, workshop.state, answer="allow")
    result = client.ok("execute_command", scriptName="dev")
    (address,) = [line for line in result["logs"] if line.startswith("http://localhost:")]
    assert result["ok"] is True
    with httpx2.Client(trust_env=False, timeout=PATIENCE) as http:
        assert http.get(f"{address}notes.md").text == "# Notes\n"
    again = client.ok("execute_command", scriptName="dev")
    assert (again["ok"], again["logs"]) == (True, ["dev is already running.", address])
    (server,) = workshop.running_pids()
    workshop.package(dev=f"{served} --directory game")
    assert client.code("execute_command", scriptName="dev") == "E_CONFLICT"
    client.close()
    until(lambda: not is_alive(server), "the server runs on")


def test_concurrent_requests_for_a_dev_server_share_one_or_conflict(start: Start, workshop: Workshop) -> None:
    workshop.allow(commandArgs=True)
    served = f"{sys.executable} -u -m http.server 0 --bind 127.0.0.1"
    workshop.package(predev="echo x >> begun; until [ -e go ]; do sleep 0.01; done", dev=served)
    marker = workshop.project / "begun"
    client = Stdio(workshop.project, workshop.state, answer="allow")
    for id, args in (("first", []), ("same", []), ("other", ["--directory", "game"])):
        params = {"name": "execute_command", "arguments": {"scriptName": "dev", **({"args": args} if args else {})}}
        client.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        until(marker.exists, "the first one did not begin")
    put(workshop.project, "go", "")
    answers = {answer["id"]: answer["result"] for answer in (client.receive() for _ in range(3))}
    assert marker.read_text() == "x\n", "the step before it was run for the first alone"
    assert answers["first"]["structuredContent"]["ok"] is True
    assert answers["same"]["structuredContent"]["logs"][0] == "dev is already running."
    assert "E_CONFLICT" in json.dumps(answers["other"])
    client.close()
    marker.unlink()
    (workshop.project / "go").unlink()


def test_a_dev_that_ends_before_it_listens_is_a_result(workshop: Workshop) -> None:
    workshop.package(dev="echo no port left; exit 1")
    result = workshop.run("dev")
    assert (result["ok"], result["logs"][-2:]) == (False, ["no port left", "exit status 1"])


def test_a_dev_that_never_listens_runs_out_of_time(workshop: Workshop) -> None:
    workshop.allow(commandTimeoutMs=700)
    workshop.package(dev="echo $$ >> pids; while :; do sleep 1; done")
    assert workshop.client.code("execute_command", scriptName="dev") == "E_TIMEOUT"
    assert workshop.running_pids() == []
