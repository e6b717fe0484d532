"""read_file: contract 3 §1.2."""

import os
from pathlib import Path

import pytest

from tests.wire.clients import Client
from tests.wire.stage import SCENE, START, put, put_policy


@pytest.mark.also_cli
def test_a_file_comes_back_whole_with_its_path_encoding_and_size(client: Client) -> None:
    assert client.ok("read_file", path=START) == {
        "path": START,
        "content": SCENE,
        "encoding": "utf-8",
        "bytes": len(SCENE.encode()),
    }


@pytest.mark.parametrize(
    "content",
    ["", "\n", "a\r\nb\r\n", "no last newline", "\ufeffwith a BOM\n", "a\0b\n", "lone\rreturns\r", "🎮\u2028中文\n"],
)
def test_content_is_not_touched_by_reading(client: Client, project: Path, content: str) -> None:
    put(project, "odd.txt", content)
    result = client.ok("read_file", path="odd.txt")
    assert result["content"] == content
    assert result["bytes"] == len(content.encode())


def test_the_path_is_returned_in_canonical_form(client: Client) -> None:
    assert client.ok("read_file", path="./game//scene/./start.txt")["path"] == START


def test_a_file_as_large_as_max_bytes_is_read_and_one_byte_more_is_too_large(client: Client, project: Path) -> None:
    put(project, "six.txt", "123456")
    assert client.ok("read_file", path="six.txt", maxBytes=6)["bytes"] == 6
    assert client.ok("read_file", path="six.txt", maxBytes=6.0)["bytes"] == 6
    error = client.error("read_file", path="six.txt", maxBytes=5)
    assert error["code"] == "E_TOO_LARGE"
    assert error["details"]["path"] == "six.txt"


@pytest.mark.parametrize(
    ("max_bytes", "max_read_bytes", "is_read"),
    [(None, 6, True), (None, 5, False), (100, 5, False), (5, 100, False), (6, 100, True), (100, 6, True)],
)
def test_the_smaller_of_max_bytes_and_the_policys_limit_applies(
    client: Client, project: Path, max_bytes: int | None, max_read_bytes: int, is_read: bool
) -> None:
    put(project, "six.txt", "123456")
    put_policy(project, maxReadBytes=max_read_bytes)
    params = {"path": "six.txt"} | ({} if max_bytes is None else {"maxBytes": max_bytes})
    assert client.call("read_file", params).code == (None if is_read else "E_TOO_LARGE")


def test_without_a_policy_the_limit_is_five_megabytes(client: Client, project: Path) -> None:
    put(project, "five.txt", b"x" * 5_242_880)
    put(project, "more.txt", b"x" * 5_242_881)
    assert client.ok("read_file", path="five.txt")["bytes"] == 5_242_880
    assert client.code("read_file", path="more.txt") == "E_TOO_LARGE"
    assert client.code("read_file", path="more.txt", maxBytes=10_000_000) == "E_TOO_LARGE"


@pytest.mark.parametrize("data", ["é".encode("latin-1"), "text".encode("utf-16"), b"ok\xed\xa0\x80", b"\xc0\xaf"])
def test_bytes_that_are_not_utf8_are_an_encoding_error(client: Client, project: Path, data: bytes) -> None:
    put(project, "odd.txt", data)
    error = client.error("read_file", path="odd.txt")
    assert error["code"] == "E_ENCODING"
    assert error["details"]["path"] == "odd.txt"


@pytest.mark.parametrize("path", ["nothing.txt", "no/such/folder.txt", "notes.md/below"])
def test_missing_files_are_not_found(client: Client, path: str) -> None:
    error = client.error("read_file", path=path)
    assert error["code"] == "E_NOT_FOUND"
    assert error["details"]["path"] == path


def test_special_files_are_refused_at_once(client: Client, project: Path) -> None:
    os.mkfifo(project / "pipe")
    for path in ("game", ".", "pipe"):
        assert client.code("read_file", path=path) == "E_IO"
