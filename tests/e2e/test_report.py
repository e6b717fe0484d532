"""`handrail report` as a person gets it: a page with a task's story, verified by its hashes."""

import base64
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from handrail.kernel.audit import Audit
from handrail.kernel.evidence import Evidence, utc_now
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.state import open_state
from tests.e2e.console_person import Browser
from tests.effort import first_of
from tests.wire.clients import run
from tests.wire.stage import START, furnish

TASK = "01J9Z3RZ6Q0000000000000000"
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICTURE_HASH = hashlib.sha256(PICTURE).hexdigest()
HOSTILE = "</pre><script>document.title = 'taken'</script><img src=x onerror=alert(1)>\u202e\n"


class ReportedTask:
    """A finished task and its page."""

    def __init__(self, folder: Path) -> None:
        self.project, self.state, self.page = folder / "project", folder / "state", folder / "report.html"
        self.project.mkdir()
        furnish(self.project)
        self.call("read_file", {"path": START}, "allow")
        self.write = {"path": START, "content": HOSTILE, "dryRun": True}
        self.call("write_to_file", self.write, "allow")
        self.call("write_to_file", {**self.write, "dryRun": False}, "allow")
        self.call("replace_in_file", {"path": START, "find": "img", "replace": "x"}, "deny")
        self._look()
        result = self.report(TASK, "-o", self.page)
        assert result.stdout == f"{self.page}\n", result.stderr

    def call(self, tool: str, params: dict[str, Any], answer: str) -> None:
        place = ("--project", self.project, "--state", self.state)
        run("call", tool, json.dumps(params), *place, "--task", TASK, "--answer", answer)

    def report(self, *arguments: str | Path) -> Any:
        return run("report", *arguments, "--project", self.project, "--state", self.state)

    def _look(self) -> None:
        """Records a call that stored a picture, as observing a page or a screen does."""
        folder = LocalFolder.open(str(self.project))
        exhibit = Evidence(folder.subfolder(".handrail")).open("desktop", "exec_look", utc_now())
        exhibit.add("picture-1.png", PICTURE)
        exhibit.add("bytes.bin", b"\xff\x00\xfe")
        audit = Audit(open_state(self.state).journal("audit"))
        evidence = {"dir": exhibit.path, "sha256": exhibit.hashes}
        record = {"event": "end", "executionId": "exec_look", "tool": "desktop_observe", "effect": "READ", "ok": True}
        audit.append({**record, "task": TASK, "project": folder.location, "evidence": evidence}, durable=True)
        audit.close()
        folder.close()


@pytest.fixture(scope="module")
def reported_task(tmp_path_factory: pytest.TempPathFactory) -> ReportedTask:
    return ReportedTask(tmp_path_factory.mktemp("told"))


class Reader:
    def __init__(self, browser: Browser, page: Path, **options: Any) -> None:
        self._browser, self._window = browser, f"report {page} {options}"
        self.does("open", page.as_uri(), {"until": "#proof.right, #proof.wrong", **options})

    def does(self, *step: Any) -> Any:
        return self._browser.step(self._window, *step)


@pytest.fixture
def read(browser: Browser) -> Iterator[Callable[..., Reader]]:
    readers: list[Reader] = []

    def read(page: Path, **options: Any) -> Reader:
        readers.append(Reader(browser, page, **options))
        return readers[-1]

    yield read
    for reader in readers:
        reader.does("close")


def test_every_step_is_shown_in_order_and_passes_verification(
    reported_task: ReportedTask, read: Callable[..., Reader]
) -> None:
    reader = read(reported_task.page)
    assert reader.does("text", "#proof") == "11 files and records are as they were recorded."
    assert reader.does("text", "article.current h2") == "1. read_file done"
    reader.does("key", "ArrowRight", "ArrowRight")
    assert reader.does("text", "article.current h2") == "3. write_to_file done"
    reader.does("see", "--answer allow", "article.current")
    reader.does("see", "+</pre><script>document.title = 'taken'</script><img src=x onerror=alert(1)>\\u{202e}")
    reader.does("press", "Next step")
    reader.does("see", "replace_in_file was denied by --answer deny.", "article.current")
    reader.does("key", "End")
    assert reader.does("size", "article.current img") == [1, 1]
    reader.does("press", "All at once")
    reader.does("see", "1. read_file")
    assert reader.does("count", "article >> visible=true") == 5


TAMPERED = {
    "fact": ('<span data-member="effect">WRITE', '<span data-member="effect">READ'),
    "diff": ("onerror=alert(1)&gt;\\u{202e}\n</span>", "onerror=alert(2)&gt;\\u{202e}\n</span>"),
    "picture": ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSK"),
    "record": ('"decision":"ask (default)"', '"decision":"allow (default)"'),
    "bytes": (base64.b64encode(b"\xff\x00\xfe").decode(), base64.b64encode(b"\xff\x00\xff").decode()),
    "hash": (PICTURE_HASH, "0" * 64),
    "outcome": ('<i class="denied"', '<i class="done"'),
    "outcome in words": ('"en">denied', '"en">done'),
    "duration": ('<span data-member="durationMs">', '<span data-member="durationMs">1'),
    "time": ('<p><time datetime="2', '<p><time datetime="1'),
    "time in words": (" UTC</time></p>", "1 UTC</time></p>"),
    "a file that is no longer held to its hash": (f'data-sha256="{PICTURE_HASH}"', ""),
}


@pytest.mark.trial("browsers", is_long=True)
def test_any_change_to_the_page_is_detected(
    reported_task: ReportedTask, read: Callable[..., Reader], tmp_path: Path
) -> None:
    text, changed = reported_task.page.read_text(), tmp_path / "changed.html"
    for what, (old, new) in TAMPERED.items():
        assert old in text, what
        changed.write_text(text.replace(old, new, 1))
        reader = read(changed)
        assert reader.does("text", "#proof").endswith("were changed after they were recorded!"), what
        assert reader.does("count", ".changed") > 0, what


@pytest.mark.parametrize("scheme", first_of("access", ("light",), ("dark",), suite=0))
def test_the_page_is_accessible_in_both_languages(
    reported_task: ReportedTask, read: Callable[..., Reader], scheme: str
) -> None:
    reader = read(reported_task.page, colorScheme=scheme, locale="zh-CN")
    assert reader.does("text", "#proof") == "11 个文件与记录均与记录时一致。"
    assert reader.does("audit") == []
    reader.does("press", "English")
    assert reader.does("text", "#proof") == "11 files and records are as they were recorded."
    assert reader.does("audit") == []


def test_missing_or_changed_evidence_is_named_and_not_shown(
    reported_task: ReportedTask, read: Callable[..., Reader], tmp_path: Path
) -> None:
    files = next((reported_task.project / ".handrail/artifacts/workspace").glob("*/*/diff.patch"))
    looked = next((reported_task.project / ".handrail/artifacts/desktop").glob("*/*/picture-1.png"))
    copy = shutil.copytree(reported_task.project / ".handrail/artifacts", tmp_path / "saved")
    try:
        files.write_text("+something else\n")
        looked.unlink()
        result = reported_task.report(TASK, "-o", tmp_path / "lacking.html", "--json")
    finally:
        shutil.copytree(copy, reported_task.project / ".handrail/artifacts", dirs_exist_ok=True)
    assert [lack.split()[0] for lack in json.loads(result.stdout)["lacking"]] == ["diff.patch", "picture-1.png"]
    page = (tmp_path / "lacking.html").read_text()
    assert "something else" not in page
    assert "changed since it was recorded" in page
    assert "no longer there" in page
    assert read(tmp_path / "lacking.html").does("text", "#proof").startswith("2 files were gone, or had been changed")


def test_a_changed_audit_is_reported(reported_task: ReportedTask, tmp_path: Path) -> None:
    log = reported_task.state / "audit/log.jsonl"
    whole = log.read_bytes()
    try:
        log.write_bytes(whole.replace(b"read_file", b"read_fila", 1))
        result = reported_task.report(TASK, "-o", tmp_path / "damaged.html")
    finally:
        log.write_bytes(whole)
    assert "The audit is not as it was written, line 1" in result.stderr
    assert "The audit was not as it was written when this page was made" in (tmp_path / "damaged.html").read_text()


def test_tasks_are_listed_and_unknown_ones_are_reported(reported_task: ReportedTask, tmp_path: Path) -> None:
    (entry,) = json.loads(reported_task.report("--json").stdout)["tasks"]
    assert (entry["task"], entry["calls"]) == (TASK, 5)
    assert TASK in reported_task.report().stdout
    missing = reported_task.report("nope", "-o", tmp_path / "none.html")
    assert (missing.returncode, missing.stderr) == (
        1,
        "handrail: There is no task 'nope' in this project.\n  `handrail report` without a task lists them.\n",
    )
    assert reported_task.report(TASK, "--all").returncode == 2
    assert json.loads(reported_task.report("--all", "--json", "-o", tmp_path / "all.html").stdout)["steps"] == 5
    refused = reported_task.report(TASK, "-o", tmp_path / "no/where.html")
    assert refused.returncode == 1
    assert "The report can't be written to" in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.html"]
