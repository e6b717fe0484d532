"""Whole stories: a person talks in the console, a scripted model works in files and in the person's own Chromium.

Each is told three times, in the conversation, on record, and by what is on disk and in the page: all have to agree.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.console_person import Browser, Person, up
from tests.waiting import until
from tests.wire.clients import run

BEFORE, AFTER = "Harbor\n", "Harbour\n"
PAGE = b"""<!doctype html><title>Tea by the sea</title>
<button onclick="fetch('/bought', {method: 'POST'}); document.title = 'Bought'">Buy tea</button>"""
PLAN = "I looked.\n\n1. Mend the name\n2. Buy tea"


@dataclass
class Shop:
    """A page with a button, and the number of times it was pressed."""

    address: str = ""
    bought: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(PAGE)

        def do_POST(self) -> None:
            shop.bought.append(self.path)
            self.answer(b"")

        def answer(self, content: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        shop.address = f"http://127.0.0.1:{server.server_port}/"
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield shop
        server.shutdown()
        serving.join()


@pytest.fixture(scope="module")
def paired(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """A person whose Chromium has the real extension, paired."""
    folder = tmp_path_factory.mktemp("story")
    (folder / "project").mkdir()
    with up(folder / "project", folder / "state") as rig:
        person = browser.person_at(rig, withExtension=True)
        person.does("go", "browser")
        person.does("press", "Pair this browser")
        person.does("confirmPairing")
        person.does("wait", ".plugin.connected")
        yield person
        person.leaves()


class Story:
    """A task that starts with a person's message; a script contains what the model says and does."""

    def __init__(self, person: Person, folder: Path, turns: list[dict[str, Any]], mode: str = "Act") -> None:
        self.person, self.rig = person, person.rig
        self._session = self.rig.sign_in()
        script = folder / "script.json"
        script.write_text(json.dumps({"turns": turns}))
        self.ask("POST", "/api/agent/model", json={"model": f"script:{script}"})
        earlier = {task["taskId"] for task in self._tasks()}
        person.does("go", "chat")
        person.does("wait", ".start .composer")
        person.does("press", mode)
        person.does("fill", "Your message", "Mend it, then buy tea.")
        person.does("key", "Enter")
        person.does("wait", ".talk .words")
        until(lambda: {task["taskId"] for task in self._tasks()} != earlier)
        [self.task] = {task["taskId"] for task in self._tasks()} - earlier

    def ask(self, method: str, path: str, **how: Any) -> Any:
        answer = self.rig.request(method, path, headers=self._session, **how)
        assert answer.status == 200, answer
        return answer.json["data"]

    def _tasks(self) -> Any:
        return self.ask("GET", "/api/task/list?limit=100")

    def answers(self, title: str, button: str) -> None:
        """Answers the question at its place in the conversation."""
        self.person.does("answerInPlace", title, button)

    @property
    def run(self) -> Any:
        return self.ask("GET", f"/api/agent/task/{self.task}")["run"]

    def uses(self) -> list[tuple[str, str]]:
        entries = self.ask("GET", f"/api/agent/task/{self.task}")["entries"]
        return [(entry["tool"]["name"], entry["tool"]["status"]) for entry in entries if "tool" in entry]

    def records(self) -> list[dict[str, Any]]:
        """Returns the end of every call, oldest first."""
        records = self.ask("GET", f"/api/activity?limit=500&task={self.task}")["records"]
        return sorted((one for one in records if one["event"] == "end"), key=lambda one: int(one["seq"]))


def _mending(path: str) -> list[dict[str, Any]]:
    write = {"path": path, "content": AFTER}
    return [
        {"name": "write_to_file", "arguments": {**write, "dryRun": True}},
        {"name": "write_to_file", "arguments": {**write, "dryRun": False}},
    ]


@pytest.mark.trial("browsers", is_long=True)
def test_the_story_matches_what_happened_on_disk_and_in_the_page(paired: Person, shop: Shop, tmp_path: Path) -> None:
    (paired.rig.project / "scene.txt").write_text(BEFORE)
    turns: list[dict[str, Any]] = [
        {"text": "I look first.", "uses": [{"name": "read_file", "arguments": {"path": "scene.txt"}}]},
        {"text": PLAN},
        {"text": "- [x] Mend the name", "uses": _mending("scene.txt")},
        {"uses": [{"name": "task_start", "arguments": {"url": shop.address}}]},
        {"uses": [{"name": "browser_click", "arguments": {"xpath": "//button"}}]},
        {
            "text": "- [x] Buy tea",
            "uses": [{"name": "attempt_completion", "arguments": {"result": "Tea is **bought**."}}],
        },
    ]
    story = Story(paired, tmp_path, turns, mode="Plan")
    story.answers("Plan", "Confirm")
    story.answers("scene.txt", "Allow once")
    story.answers(shop.address, "Allow once")
    paired.does("see", "Tea by the sea", ".beside .tab")
    story.answers("Buy tea", "Allow once")
    paired.does("see", "bought", ".completion strong")
    paired.does("see", "Bought", ".beside .tab")
    assert paired.does("count", ".plan li.done") == 2

    assert (paired.rig.project / "scene.txt").read_text() == AFTER
    until(lambda: shop.bought != [])
    assert shop.bought == ["/bought"]
    tools = ["read_file", "write_to_file", "write_to_file", "task_start", "browser_click", "attempt_completion"]
    assert story.uses() == [(name, "success") for name in tools]
    records = story.records()
    assert [(one["tool"], one["ok"]) for one in records] == [(name, True) for name in tools]
    assert [one["tool"] for one in records if one.get("answer")] == ["write_to_file", "task_start", "browser_click"]
    _check_evidence(story, records)
    _check_report(story, tmp_path / "report.html")


def _check_evidence(story: Story, records: list[dict[str, Any]]) -> None:
    views: dict[str, bytes] = {}
    for record in records:
        for name, digest in record.get("evidence", {}).get("sha256", {}).items():
            path = f"/api/evidence/{record['executionId']}/{name}"
            content = story.rig.request("GET", path, headers=story.rig.sign_in()).body
            assert hashlib.sha256(content).hexdigest() == digest, path
            views[f"{record['tool']} {name}"] = content
    assert b"-Harbor\n+Harbour\n" in views["write_to_file diff.patch"]
    assert any(name.startswith("browser_click") and name.endswith(".png") for name in views)


def _check_report(story: Story, page: Path) -> None:
    place = ("--project", story.rig.project, "--state", story.rig.state)
    result = run("report", story.task, "-o", page, *place)
    assert result.stdout == f"{page}\n", result.stderr
    text = page.read_text()
    for word in ("Mend it, then buy tea.", "Harbour", "browser_click", "attempt_completion"):
        assert word in text


@pytest.mark.trial("browsers", is_long=True)
def test_denied_calls_do_nothing_and_a_stopped_agent_makes_no_more_calls(paired: Person, tmp_path: Path) -> None:
    (paired.rig.project / "kept.txt").write_text(BEFORE)
    later = {"seconds": 600, "uses": [{"name": "read_file", "arguments": {"path": "kept.txt"}}]}
    story = Story(paired, tmp_path, [{"uses": _mending("kept.txt")}, {"text": "Then not."}, later])
    story.answers("kept.txt", "Deny")
    paired.does("see", "Then not.", ".reply")
    until(lambda: story.run["status"] == "waiting")
    assert (paired.rig.project / "kept.txt").read_text() == BEFORE
    assert story.uses() == [("write_to_file", "success"), ("write_to_file", "error")]
    [_, denied] = story.records()
    assert (denied["ok"], denied["answer"]["status"], denied["error"]["condition"]) == (False, "canceled", "Declined")

    paired.does("wait", ".run-state.waiting")
    paired.does("fill", "Your message", "Look at it again")
    paired.does("key", "Enter")
    paired.does("wait", ".run-state.running")
    paired.does("press", "Stop")
    paired.does("wait", ".run-state.ended")
    assert story.run["status"] == "ended"
    assert len(story.uses()) == 2
    paired.does("press", "Resume")
    paired.does("wait", ".run-state.running")
    paired.does("press", "Stop")
    paired.does("wait", ".run-state.ended")
