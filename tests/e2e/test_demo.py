"""`make demo` as users run it: the whole tour once, its record compared with the disk, and how it ends."""

import html
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from demo.answers import parse_preset
from demo.tour_folder import GAME, TourFailed, fresh_tour_folder
from tests.e2e.console_person import Browser
from tests.e2e.servers import audit_records
from tests.faces.http.running import ROOT
from tests.features.desktop.conformance.png import pixels
from tests.waiting import until
from tests.wire.clients import run

SCENE = "game/scene/harbour.txt"
pytestmark = [
    pytest.mark.alone,
    pytest.mark.trial("demo", is_long=True),
]  # it plays a game, so tests running at the same time get little CPU time


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "demo", "--quick", "--folder", str(folder)]


class Toured:
    def __init__(self, folder: Path) -> None:
        self.folder, self.project = folder, folder / GAME.name
        self.done = subprocess.run(
            command(folder),
            cwd=ROOT,
            env={**os.environ, "ANSWER": "allow"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert self.done.returncode == 0, self.done.stdout + self.done.stderr
        self.report = Path(self.done.stdout.splitlines()[-1])
        self.page = self.report.read_text()

    def evidence_text(self, name: str) -> str:
        """Returns a file of the evidence as the report shows it."""
        match = re.search(rf'<pre data-name="{re.escape(name)}"[^>]*>\n(.*?)</pre>', self.page, re.DOTALL)
        assert match is not None, name
        return html.unescape(re.sub(r"<[^>]+>", "", match[1]))


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Toured:
    return Toured(tmp_path_factory.mktemp("demo") / "tour")


def test_the_last_line_is_the_path_of_the_report_which_proves_right(toured: Toured, browser: Browser) -> None:
    assert toured.report == toured.folder / "report.html"
    browser.step("report", "open", toured.report.as_uri(), {"until": "#proof.right, #proof.wrong"})
    assert browser.step("report", "text", "#proof").endswith("files and records are as they were recorded.")
    browser.step("report", "close")


def test_the_scene_on_disk_is_the_example_with_the_diff_of_the_report(toured: Toured) -> None:
    hunk = [line for line in toured.evidence_text("diff.patch").split("\n")[3:] if line]
    old, new = ("\n".join(line[1:] for line in hunk if line[0] in kind) for kind in (" -", " +"))
    before, after = ((folder / SCENE).read_text() for folder in (GAME, toured.project))
    assert before.replace(old, new, 1) == after != before
    changed = [pair for pair in zip(before.split("\n"), after.split("\n"), strict=True) if pair[0] != pair[1]]
    assert changed == [
        ("changeBg:harbor.png -next;", "changeBg:harbour.png -next;"),
        ("playEfect:bell.wav -volume=40;", "playEffect:bell.wav -volume=60;"),
    ]
    checked = run("webgal", "check", SCENE, "--project", toured.project, "--state", toured.folder / "state")
    assert checked.returncode == 0, checked.stdout


def test_the_story_goes_over_every_surface_and_each_change_was_allowed(toured: Toured) -> None:
    records = [
        record for record in audit_records(toured.folder / "state") if record.get("event") == "end" and "task" in record
    ]
    assert [record for record in records if not record["ok"]] == []
    tools = [record["tool"] for record in records]
    assert tools == [
        *("list_project_resources", "read_file", "validate_script", "ask_followup_question"),
        *("write_to_file", "write_to_file", "validate_script", "preview_scene", "task_start"),
        *("browser_wait_for", "browser_wait_for", "browser_dom_index", "browser_click"),
        *("browser_wait_for", "browser_dom_index", "browser_click", "browser_screenshot"),
        *("apps_list", "apps_call", "desktop_observe", "desktop_click", "desktop_click", "attempt_completion"),
    ]
    requests = [record for record in records if record["decision"].startswith("ask")]
    assert {record["effect"] for record in requests} == {"WRITE", "UI_CONTROL", "EXECUTE"}
    assert all(record["answer"]["by"].startswith("make demo ANSWER=allow") for record in requests)
    assert all(f">{tool}</span>" in toured.page for tool in tools)


def test_the_report_shows_messages_questions_and_findings(toured: Toured) -> None:
    for expected in (
        "Players say that the pier is dark",
        "<td><code>changeBg:harbour.png -next;</code></td>",
        "The person confirmed this plan.",
        "How loud should the bell on the pier be",
        "{&quot;answer&quot;:&quot;60&quot;",
        "&quot;kind&quot;:&quot;resource&quot;",
        "<strong>The pier is lit, and its bell rings.</strong>",
    ):
        assert expected in toured.page, expected


def test_actions_outside_of_the_project_match_the_record(toured: Toured) -> None:
    (notes,) = toured.folder.glob("home/**/notes.json")
    assert [note["text"] for note in json.loads(notes.read_text())["notes"]] == [
        "harbour.txt: the picture is harbour.png, and the bell rings at 60."
    ]
    responses = [entry["response"] for entry in entries(toured.folder / "state") if entry["action"] == "response"]
    assert [response["status"] for response in responses] == ["ok"] * 9
    assert len(responses[0]["tasks"]) == 5
    assert responses[1]["values"] == {"answer": "60"}


def test_screenshots_of_the_desktop_show_its_window(toured: Toured) -> None:
    """The tour's own Chromium has no window on the screen, so nothing of the screen may be blackened for it."""
    pictures = list(toured.project.glob("artifacts/desktop/**/*.png"))
    assert len(pictures) >= 5
    raw = [pixels(picture.read_bytes()) for picture in pictures]
    assert all(len({each[at : at + 3] for at in range(0, len(each), 3)}) > 20 for each in raw)


def entries(state: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (state / "ui-prompts.jsonl").read_text().splitlines()]


def test_neither_a_finished_nor_a_stopped_demo_leaves_processes_behind(toured: Toured, tmp_path: Path) -> None:
    assert living_in(toured.folder) == []
    folder = tmp_path / "stopped"
    stopped = subprocess.Popen(
        command(folder), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until(lambda: len(living_in(folder)) > 2)
    with pytest.raises(TourFailed, match="already running"), fresh_tour_folder(folder):
        pass
    stopped.send_signal(signal.SIGINT)
    output, complained = stopped.communicate()
    assert stopped.returncode == 130, output + complained
    assert "stopped" in complained
    until(lambda: living_in(folder) == [])


def living_in(folder: Path) -> list[str]:
    """Returns the programs that were started for it."""
    matches = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"HANDRAIL_STATE={folder}/" in (place / "environ").read_text(errors="replace"):
                matches.append((place / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return matches


def test_an_answer_is_allow_or_deny_or_asked_for() -> None:
    assert [parse_preset(value) for value in (None, "", "allow", "deny")] == [None, None, "allow", "deny"]
    with pytest.raises(ValueError, match="allow or deny"):
        parse_preset("perhaps")
