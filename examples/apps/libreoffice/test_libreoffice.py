"""A real LibreOffice, started once by the app itself: a document is opened, read, changed and exported."""

import json
import os
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from handrail.features.apps.descriptors.review import review

HERE = Path(__file__).parent
TEXT = "Dear Ada,\nthe price is 100 €. 你好!\n"


class App:
    """The app on its stdio, started as its descriptor says."""

    def __init__(self, folder: Path) -> None:
        execution = json.loads((HERE / "aai.json").read_text())["execution"]
        self.temporary = folder / "tmp"
        (self.temporary / "libreoffice-app-99999999-left").mkdir(parents=True)
        env = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(self.temporary), "LANG": "C.UTF-8"}
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [execution["command"], *execution["args"]],
                cwd=HERE,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def send(self, line: str) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ask(self, tool: str, **params: Any) -> Any:
        request = {"version": "1.0", "tool": tool, "params": params, "request_id": "7"}
        answer = self.send(json.dumps(request))
        assert answer["request_id"] == "7"
        return answer["result"] if answer["status"] == "success" else answer["error"]["code"]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    app = App(tmp_path_factory.mktemp("office"))
    yield app
    with suppress(ProcessLookupError):  # the app and, had it failed to end it, its office
        os.killpg(app.process.pid, signal.SIGKILL)
    app.process.wait()
    for stream in (app.process.stdin, app.process.stdout):
        assert stream is not None
        stream.close()


def test_the_descriptor_passes_every_check() -> None:
    found = review((HERE / "aai.json").read_bytes(), "aai.json")
    assert (found.problems, found.advice) == ([], [])


def test_what_is_no_request_is_answered_and_ends_nothing(app: App) -> None:
    assert app.send("{")["error"]["code"] == "INVALID_REQUEST"
    assert app.send('{"version": "1.0", "tool": "read_text", "request_id": "1"}')["error"]["code"] == "INVALID_REQUEST"
    assert app.ask("end") == "UNKNOWN_TOOL"
    assert app.ask("read_text") == "INVALID_PARAMS"
    assert app.ask("read_text", document="x", page=1) == "INVALID_PARAMS"
    assert app.ask("read_text", document="x", start=-1) == "INVALID_PARAMS"
    assert app.ask("replace_text", document="x", find="", replace="") == "INVALID_PARAMS"
    assert app.ask("open_document", path="relative.odt") == "INVALID_PARAMS"
    assert app.ask("open_document", path="/no/such/file.odt") == "NO_SUCH_FILE"
    assert app.ask("close_document", document="doc_1") == "NO_SUCH_DOCUMENT"


def test_a_document_is_read_changed_in_a_copy_and_exported_and_the_office_ends_with_the_app(
    app: App, tmp_path: Path
) -> None:
    letter, pdf, copy = tmp_path / "letter.txt", tmp_path / "letter.pdf", tmp_path / "letter.odt"
    letter.write_text(TEXT)
    opened = app.ask("open_document", path=str(letter))
    document = opened["document"]
    assert opened["title"] == "letter.txt"
    assert app.ask("read_text", document=document)["text"].split() == TEXT.split()
    assert app.ask("read_text", document=document, start=5, length=3)["text"] == "Ada"

    assert app.ask("replace_text", document=document, find="ada", replace="Bob") == {"replaced": 0}
    assert app.ask("replace_text", document=document, find="ada", replace="Bob", match_case=False) == {"replaced": 1}
    assert app.ask("export_document", document=document, path=str(pdf))["bytes"] == pdf.stat().st_size
    assert pdf.read_bytes().startswith(b"%PDF-")
    assert app.ask("export_document", document=document, path=str(pdf)) == "FILE_EXISTS"
    assert app.ask("export_document", document=document, path=str(tmp_path / "no/x.pdf")) == "NO_SUCH_FOLDER"
    assert app.ask("export_document", document=document, path=str(tmp_path / "x.exe")) == "UNKNOWN_FORMAT"
    assert "bytes" in app.ask("export_document", document=document, path=str(copy))
    assert "Dear Bob," in zipfile.ZipFile(copy).read("content.xml").decode()
    assert letter.read_text() == TEXT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letter.odt", "letter.pdf", "letter.txt"]
    assert app.ask("close_document", document=document) == {}
    assert app.ask("read_text", document=document) == "NO_SUCH_DOCUMENT"

    offices = Path(f"/proc/{app.process.pid}/task/{app.process.pid}/children").read_text().split()
    assert len(offices) == 1
    assert app.process.stdin is not None
    app.process.stdin.close()
    assert app.process.wait(30) == 0
    assert not Path(f"/proc/{offices[0]}").exists()
    assert [path.name for path in app.temporary.iterdir() if path.name.startswith("libreoffice-app-")] == []
