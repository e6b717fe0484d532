"""replace_in_file: contract 3 §1.4."""

from pathlib import Path

import pytest

from tests.wire.clients import Client, Start
from tests.wire.stage import SCENE, START, put


@pytest.mark.also_cli
def test_every_occurrence_is_replaced_and_counted(client: Client, project: Path) -> None:
    assert client.ok("replace_in_file", path=START, find=";", replace="；") == {"count": 3}
    assert (project / START).read_text() == SCENE.replace(";", "；")


@pytest.mark.parametrize(
    ("text", "find", "flags", "replace", "after"),
    [
        pytest.param("a.c abc", "a.c", None, "x", "x abc", id="literal"),
        pytest.param("(a) a", "(a)", None, "$1", "$1 a", id="literal with a dollar"),
        pytest.param("a/b a", "a/b", None, "x", "x a", id="slash within is literal"),
        pytest.param("cd /usr/local", "/usr/local", None, "/opt", "cd /opt", id="what follows isn't a flags"),
        pytest.param("a.c abc", "a.c", "", "x", "x x", id="any flags make a regex"),
        pytest.param("a.c abc", "/a.c/", None, "x", "x x", id="slashes"),
        pytest.param("Abc abc", "/a/i", None, "x", "xbc xbc", id="slashes and a flag"),
        pytest.param("a\nA\n", "/^a$/", "im", "x", "x\nx\n", id="slashes and separate flags"),
        pytest.param("hello\nhello you\n", "(?m)^hello$", None, "x", "x\nhello you\n", id="inline group"),
        pytest.param("Abc", "a", "i", "x", "xbc", id="flag i"),
        pytest.param("a\na\n", "^a", "", "x", "x\na\n", id="no flag m"),
        pytest.param("a\na\n", "^a", "m", "x", "x\nx\n", id="flag m"),
        pytest.param("a\nb", "a.b", "", "x", "a\nb", id="no flag s"),
        pytest.param("a\nb", "a.b", "s", "x", "x", id="flag s"),
        pytest.param("aa", "a", "gu", "x", "xx", id="flags g and u are implied"),
        pytest.param("ab", "/(a)(?P<n>b)/", None, "$2$1 $& $<n> $$1 $9", "ba ab b $1 $9", id="references"),
        pytest.param("中文", "/./", None, "x", "xx", id="a character is not a byte"),
        pytest.param("中a", "/x*/", None, "-", "-中-a-", id="an empty match lies between characters"),
        pytest.param("éÉ", "é", "i", "x", "xx", id="case beyond ASCII"),
        pytest.param("\ufeffa\r\nb\r\nc", "b", None, "x", "\ufeffa\r\nx\r\nc", id="BOM and endings stay"),
        pytest.param("a\0b", "\0", None, "", "ab", id="NUL"),
    ],
)
def test_find_is_literal_unless_regex_is_set(
    client: Client, project: Path, text: str, find: str, flags: str | None, replace: str, after: str
) -> None:
    put(project, "text.txt", text)
    params = {"path": "text.txt", "find": find, "replace": replace}
    client.ok("replace_in_file", **params if flags is None else {**params, "flags": flags})
    assert (project / "text.txt").read_bytes() == after.encode()


@pytest.mark.parametrize("find", ["/(/", "(?<", "/a{2,1}/", "/(a)\\1/", "(?=a)", "/[z-a]/", "/a{100000}/", "/*/"])
def test_a_regex_that_does_not_compile_is_a_bad_argument(client: Client, project: Path, find: str) -> None:
    error = client.error("replace_in_file", path=START, find=find, replace="x")
    assert error["code"] == "E_BAD_ARGS"
    assert "RE2" in error["hint"]
    assert (project / START).read_text() == SCENE


def test_an_unknown_flag_or_an_empty_find_is_a_bad_argument(client: Client, project: Path) -> None:
    assert client.code("replace_in_file", path=START, find="a", flags="x", replace="") == "E_BAD_ARGS"
    assert client.code("replace_in_file", path=START, find="", replace="x") == "E_BAD_ARGS"
    assert client.code("replace_in_file", path=START, find="", flags="g", replace="x") == "E_BAD_ARGS"
    assert (project / START).read_text() == SCENE


def test_a_replacement_without_a_match_changes_nothing_and_asks_no_one(
    start: Start, own_project: Path, own_state: Path
) -> None:
    denying = start("stdio", own_project, own_state, answer="deny")
    before = (own_project / START).stat()
    assert denying.ok("replace_in_file", path=START, find="nowhere", replace="x") == {"count": 0}
    after = (own_project / START).stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert denying.ok("list_snapshots")["snapshots"] == []


def test_a_replacement_needs_no_dry_run_and_can_be_undone(client: Client, project: Path) -> None:
    client.ok("replace_in_file", path=START, find="beach", replace="city")
    (snapshot,) = client.ok("list_snapshots")["snapshots"]
    assert client.ok("restore_snapshot", snapshotId=snapshot["id"]) == {"path": START, "content": SCENE}


def test_a_replacement_is_a_write_that_a_person_may_deny(start: Start, own_project: Path, own_state: Path) -> None:
    denying = start("stdio", own_project, own_state, answer="deny")
    assert denying.code("replace_in_file", path=START, find="beach", replace="city") == "E_POLICY_VIOLATION"
    assert (own_project / START).read_text() == SCENE


def test_only_a_text_file_that_exists_is_changed(client: Client, project: Path) -> None:
    put(project, "latin.txt", b"\xe9a")
    assert client.code("replace_in_file", path="nothing.txt", find="a", replace="b") == "E_NOT_FOUND"
    assert client.code("replace_in_file", path="latin.txt", find="a", replace="b") == "E_ENCODING"
    assert client.code("replace_in_file", path="game", find="a", replace="b") == "E_IO"
    assert client.code("replace_in_file", path="", find="a", replace="b") == "E_BAD_ARGS"
    assert (project / "latin.txt").read_bytes() == b"\xe9a"


def test_a_regex_that_would_hang_others_ends_at_once(client: Client, project: Path) -> None:
    put(project, "long.txt", "a" * 50_000 + "!")
    assert client.ok("replace_in_file", path="long.txt", find="/(a|aa)+$/", replace="") == {"count": 0}
    assert client.ok("replace_in_file", path="long.txt", find="/(a*)*b/", replace="") == {"count": 0}


def test_a_result_beyond_all_bounds_is_too_large(client: Client, project: Path) -> None:
    put(project, "long.txt", "a" * 100_000)
    for find in ("a", "/a/"):
        assert client.code("replace_in_file", path="long.txt", find=find, replace="b" * 1000) == "E_TOO_LARGE"
    assert (project / "long.txt").stat().st_size == 100_000
