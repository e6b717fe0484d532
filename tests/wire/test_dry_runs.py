"""write_to_file with `dryRun: true`: contract 3 §0.4 and §1.3, and mainly the diff."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.effort import tries
from tests.wire.clients import Client, Stdio
from tests.wire.hunks import Hunks, applied, changed_lines, fewest_changed_lines
from tests.wire.stage import SCENE, START, put, put_policy

TEXTS = st.one_of(
    st.lists(st.sampled_from(["a", "b", "", "\r", "中", "\ufeff", "\0", "\x85\u2028"]), max_size=12).map("\n".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.sampled_from(["", "\n", "\n\n", "a", "a\n", "a\r\n", "\ufeffa\n"]),
)
WITH_A_SHARED_PROGRAM = settings(
    max_examples=tries(15, 400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def dry_run(client: Client, path: str, content: str, **more: Any) -> Hunks:
    result = client.ok("write_to_file", path=path, content=content, dryRun=True, **more)
    assert result["applied"] is False
    assert set(result) == {"applied", "diff"}
    assert result["diff"]["type"] == "line"
    hunks: Hunks = result["diff"]["hunks"]
    return hunks


@pytest.mark.also_cli
def test_a_dry_run_shows_the_diff_and_writes_nothing(client: Client, project: Path) -> None:
    before = sorted(project.rglob("*"))
    hunks = dry_run(client, START, SCENE.replace("beach", "city"))
    assert hunks == [
        {
            "startOld": 2,
            "lenOld": 1,
            "startNew": 2,
            "lenNew": 1,
            "linesOld": ["changeBg:beach.jpg;"],
            "linesNew": ["changeBg:city.jpg;"],
        }
    ]
    assert (project / START).read_text() == SCENE
    assert [path for path in sorted(project.rglob("*")) if ".webgal_agent" not in path.parts] == before
    assert client.ok("list_snapshots") == {"snapshots": []}


def test_the_contracts_own_example_is_cut_down_to_the_lines_that_differ(client: Client, project: Path) -> None:
    put(project, "abc.txt", "A\nB\nC\n")
    hunks = dry_run(client, "abc.txt", "A\nB1\nB2\nC\n")
    assert hunks == [
        {"startOld": 2, "lenOld": 1, "startNew": 2, "lenNew": 2, "linesOld": ["B"], "linesNew": ["B1", "B2"]}
    ]


def test_the_same_content_gives_no_hunks(client: Client) -> None:
    assert dry_run(client, START, SCENE) == []


def test_an_insertion_at_the_start_begins_at_line_one(client: Client, project: Path) -> None:
    put(project, "abc.txt", "A\n")
    assert dry_run(client, "abc.txt", "new\nA\n") == [
        {"startOld": 1, "lenOld": 0, "startNew": 1, "lenNew": 1, "linesOld": [], "linesNew": ["new"]}
    ]


@pytest.mark.parametrize("content", ["A", "A\n", "A\nB\n", "A\r\nB"])
def test_an_insertion_into_an_empty_or_missing_file_begins_at_line_one(
    client: Client, project: Path, content: str
) -> None:
    put(project, "empty.txt", "")
    for path in ("empty.txt", "new/folder/missing.txt"):
        hunks = dry_run(client, path, content)
        assert [(hunk["startOld"], hunk["startNew"]) for hunk in hunks] == [(1, 1)]
        assert applied(hunks, [""]) == content.split("\n")
    assert not (project / "new").exists()


def test_a_deletion_down_to_nothing_gives_the_empty_text(client: Client) -> None:
    assert applied(dry_run(client, START, ""), SCENE.split("\n")) == [""]


def test_a_changed_line_ending_or_last_newline_is_a_changed_line(client: Client, project: Path) -> None:
    put(project, "ends.txt", "A\nB\n")
    assert applied(dry_run(client, "ends.txt", "A\r\nB\n"), ["A", "B", ""]) == ["A\r", "B", ""]
    assert applied(dry_run(client, "ends.txt", "A\nB"), ["A", "B", ""]) == ["A", "B"]


def test_appending_shows_only_what_is_added(client: Client) -> None:
    hunks = dry_run(client, START, "more;\n", mode="append")
    assert applied(hunks, SCENE.split("\n")) == (SCENE + "more;\n").split("\n")
    assert changed_lines(hunks) == 1


@WITH_A_SHARED_PROGRAM
@given(old=TEXTS, new=TEXTS, mode=st.sampled_from(["overwrite", "append"]))
def test_applying_the_hunks_of_any_two_texts_gives_the_second_one(
    stdio: Stdio, project: Path, old: str, new: str, mode: str
) -> None:
    put(project, "any.txt", old)
    hunks = dry_run(stdio, "any.txt", new, mode=mode)
    expected = old + new if mode == "append" else new
    assert applied(hunks, old.split("\n")) == expected.split("\n")
    assert (project / "any.txt").read_bytes() == old.encode()


@WITH_A_SHARED_PROGRAM
@given(
    old=st.lists(st.sampled_from("abc"), max_size=12).map("\n".join),
    new=st.lists(st.sampled_from("abc"), max_size=12).map("\n".join),
)
def test_no_diff_has_fewer_changed_lines(stdio: Stdio, project: Path, old: str, new: str) -> None:
    put(project, "any.txt", old)
    hunks = dry_run(stdio, "any.txt", new)
    assert changed_lines(hunks) == fewest_changed_lines(old.split("\n"), new.split("\n"))


def test_a_large_file_is_still_diffed_minimally(client: Client, project: Path) -> None:
    old = [f"line {number}" for number in range(20_000)]
    new = [f"{line}!" if number % 100 == 7 else line for number, line in enumerate(old)]
    put(project, "large.txt", "\n".join(old))
    hunks = dry_run(client, "large.txt", "\n".join(new))
    assert len(hunks) == 200
    assert applied(hunks, old) == new


def test_neither_read_limit_nor_batch_limit_limits_a_diff(client: Client, project: Path) -> None:
    put_policy(project, maxReadBytes=1, batchMaxLines=0)
    assert dry_run(client, START, "all\nnew\n") != []


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_a_binary_file_is_an_encoding_error(client: Client, project: Path, mode: str) -> None:
    put(project, "latin.txt", b"\xe9")
    assert client.code("write_to_file", path="latin.txt", content="x", mode=mode, dryRun=True) == "E_ENCODING"
    assert (project / "latin.txt").read_bytes() == b"\xe9"


def test_a_dry_run_that_failed_allows_no_write(client: Client, project: Path) -> None:
    put(project, "latin.txt", b"\xe9")
    assert client.code("write_to_file", path="latin.txt", content="x", dryRun=True) == "E_ENCODING"
    assert client.code("write_to_file", path="latin.txt", content="x", dryRun=False) == "E_POLICY_VIOLATION"


def test_a_folder_can_not_be_dry_run_over(client: Client) -> None:
    assert client.code("write_to_file", path="game/scene", content="x", dryRun=True) == "E_IO"
    assert client.code("write_to_file", path=".", content="x", dryRun=True) == "E_BAD_ARGS"


@pytest.mark.also_cli
def test_dry_run_is_required(client: Client, project: Path) -> None:
    error = client.error("write_to_file", path=START, content="x")
    assert error["code"] == "E_BAD_ARGS"
    assert "dryRun" in error["message"]
    assert client.code("write_to_file", path=START, content="x", dryRun="true") == "E_BAD_ARGS"
    assert (project / START).read_text() == SCENE
