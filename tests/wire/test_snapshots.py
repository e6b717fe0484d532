"""list_snapshots and restore_snapshot: contract 3 §0.4, §2.4, §2.5."""

import hashlib
import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.wire.clients import Client, Refused, Start, run
from tests.wire.stage import SCENE, START, Stage, put, put_policy, put_snapshot, trust

DAYS = itertools.count(20_000_101)
SnapshotId = Callable[[int], str]


def ids(client: Client, **params: Any) -> list[str]:
    return [snapshot["id"] for snapshot in client.ok("list_snapshots", **params)["snapshots"]]


@pytest.fixture
def snapshot_id() -> SnapshotId:
    """Ids of only this test: a running server treats a snapshot that it has seen as immutable."""
    moment = f"snap_{next(DAYS):08}T093210_"
    return lambda number: f"{moment}{number:08x}"


@pytest.mark.also_cli
def test_a_snapshot_is_listed_with_its_path_time_and_content_hash(client: Client) -> None:
    earliest = time.time() * 1000 - 1
    result = client.write(START, "new\n")
    latest = time.time() * 1000 + 1
    (snapshot,) = client.ok("list_snapshots")["snapshots"]
    assert snapshot["id"] == result["snapshotId"]
    assert snapshot["path"] == START
    assert earliest <= snapshot["timestamp"] <= latest
    assert snapshot["contentHash"] == hashlib.sha256(SCENE.encode()).hexdigest()[:8]
    moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime(snapshot["timestamp"] // 1000))
    assert snapshot["id"].startswith(f"snap_{moment}_")


@pytest.mark.also_cli
def test_a_snapshot_contains_the_content_before_its_write(client: Client) -> None:
    first = client.write(START, "one\n")
    second = client.write(START, "two\n")
    assert client.ok("restore_snapshot", snapshotId=first["snapshotId"]) == {"path": START, "content": SCENE}
    assert client.ok("restore_snapshot", snapshotId=second["snapshotId"]) == {"path": START, "content": "one\n"}


@pytest.mark.parametrize("content", ["a\r\nb", "\ufeffBOM\n", "", "a\0b\n"])
def test_restoring_takes_the_write_back_exactly(client: Client, project: Path, content: str) -> None:
    put(project, START, content)
    result = client.write(START, "new\n")
    restored = client.ok("restore_snapshot", snapshotId=result["snapshotId"])
    assert (project / START).read_text() == "new\n", "restoring itself writes nothing"
    client.write(restored["path"], restored["content"])
    assert (project / START).read_bytes() == content.encode()


def test_the_snapshot_of_a_created_file_is_empty(client: Client) -> None:
    result = client.write("new.txt", "new\n")
    assert client.ok("restore_snapshot", snapshotId=result["snapshotId"]) == {"path": "new.txt", "content": ""}


def test_undo_removes_a_file_that_the_write_had_made(stage: Stage, project: Path) -> None:
    result = stage.client("api").write("new.txt", "new\n")
    undone = run("undo", result["snapshotId"], "--project", project, "--state", stage.state, "--answer", "allow")
    assert undone.returncode == 0, undone.stderr
    assert not (project / "new.txt").exists()


def test_the_files_are_where_the_contract_says(client: Client, project: Path) -> None:
    result = client.write(START, "new\n")
    folder = project / ".webgal_agent/snapshots"
    assert (folder / f"{result['snapshotId']}.txt").read_text() == SCENE
    assert (folder / f"{result['snapshotId']}.meta.json").exists()


def test_the_last_twenty_snapshots_of_a_path_are_kept(client: Client) -> None:
    client.write("other.txt", "x\n")
    put_back_and_forth(client, 21)
    assert len(ids(client, path=START)) == 20
    assert len(ids(client, path="other.txt")) == 1


@pytest.mark.parametrize(("keep", "remaining"), [(3, 3), (1, 1), (0, 22)])
def test_the_policy_says_how_many_snapshots_are_kept(client: Client, stage: Stage, keep: int, remaining: int) -> None:
    project = stage.project
    put_policy(project, snapshotRetention=keep)
    trust(project, stage.state)
    put_back_and_forth(client, 22)
    assert len(ids(client)) == remaining
    assert len(list((project / ".webgal_agent/snapshots").iterdir())) == 2 * remaining


def put_back_and_forth(client: Client, times: int) -> None:
    for turn in range(times):
        this, that = ("beach", "city") if turn % 2 == 0 else ("city", "beach")
        assert client.ok("replace_in_file", path=START, find=this, replace=that) == {"count": 1}


def test_the_newest_are_kept_and_listed_first(client: Client, stage: Stage) -> None:
    put_policy(stage.project, snapshotRetention=3)
    trust(stage.project, stage.state)
    result = [client.write(START, f"{number}\n")["snapshotId"] for number in range(5)]
    snapshots = client.ok("list_snapshots")["snapshots"]
    assert {snapshot["id"] for snapshot in snapshots} == set(result[2:])
    times = [(snapshot["timestamp"], snapshot["id"]) for snapshot in snapshots]
    assert times == sorted(times, reverse=True)


def test_snapshots_of_one_moment_are_listed_by_descending_id(
    client: Client, project: Path, snapshot_id: SnapshotId
) -> None:
    for number in (2, 9, 1, 5):
        put_snapshot(project, snapshot_id(number))
    assert ids(client) == [snapshot_id(number) for number in (9, 5, 2, 1)]


def test_the_time_and_not_the_id_decides_the_order(client: Client, project: Path, snapshot_id: SnapshotId) -> None:
    for number, timestamp in ((1, 100), (2, 300), (3, 200.5)):
        put_snapshot(project, snapshot_id(number), timestamp=timestamp)
    put_snapshot(project, "snap_19991231T235959_00000000", timestamp=250)
    newest_first = [snapshot_id(2), "snap_19991231T235959_00000000", snapshot_id(3), snapshot_id(1)]
    assert ids(client) == newest_first


def test_the_path_filter_is_a_case_sensitive_prefix_applied_before_the_limit(
    client: Client, project: Path, snapshot_id: SnapshotId
) -> None:
    paths = ["game/scene/a.txt", "game/scene/b.txt", "game/config.txt", "notes.md", "Game/scene/a.txt"]
    for number, path in enumerate(paths):
        put_snapshot(project, snapshot_id(number), path=path)
    assert ids(client, path="game/scene") == [snapshot_id(1), snapshot_id(0)]
    assert ids(client, path="game/sce", limit=1) == [snapshot_id(1)]
    assert ids(client, path="game/scene/a.txt") == [snapshot_id(0)]
    assert ids(client, path="scene") == []
    assert len(ids(client, path="")) == 5


def test_limits_are_read_as_the_contract_says(client: Client, project: Path, snapshot_id: SnapshotId) -> None:
    for number in range(1001):
        put_snapshot(project, snapshot_id(number))
    assert len(ids(client)) == 50
    assert len(ids(client, limit=-1)) == 50
    assert len(ids(client, limit=-0.5)) == 50
    assert len(ids(client, limit=0)) == 0
    assert len(ids(client, limit=1)) == 1
    assert len(ids(client, limit=2.0)) == 2
    assert len(ids(client, limit=1000)) == 1000
    assert client.code("list_snapshots", limit=1001) == "E_BAD_ARGS"


@pytest.mark.parametrize("params", [{"limit": "10"}, {"limit": True}, {"limit": None}, {"path": 1}, {"limit": [1]}])
def test_arguments_of_the_wrong_type_are_refused(client: Client, params: dict[str, Any]) -> None:
    assert client.call("list_snapshots", params).code == "E_BAD_ARGS"


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_limits_that_are_not_json_numbers_are_refused(client: Client, number: bytes) -> None:
    try:
        outcome = client.raw_call("list_snapshots", b'{"limit": %s}' % number)
    except Refused:
        return
    assert outcome.code == "E_BAD_ARGS"


def test_damaged_and_incomplete_snapshots_are_skipped(client: Client, project: Path, snapshot_id: SnapshotId) -> None:
    folder = ".webgal_agent/snapshots"
    put_snapshot(project, snapshot_id(1))
    another = {"id": snapshot_id(1), "path": START, "timestamp": 1, "contentHash": "00000000"}
    odd_hash = {**another, "id": snapshot_id(9), "contentHash": "0" * 64}
    damages = [b"{", b"[]", b"", b"\xff", b'{"id": "\xff"}', b'{"id": 1}', b"[" * 100_000, json.dumps(another).encode()]
    for number, damage in enumerate([*damages, json.dumps(odd_hash).encode()], start=2):
        put_snapshot(project, snapshot_id(number))
        put(project, f"{folder}/{snapshot_id(number)}.meta.json", damage)
    put_snapshot(project, snapshot_id(20))
    (project / folder / f"{snapshot_id(20)}.txt").unlink()
    put(project, f"{folder}/{snapshot_id(21)}.txt", "no meta")
    put(project, f"{folder}/stray.txt", "")
    put(project, f"{folder}/stray.meta.json", "{}")
    assert ids(client) == [snapshot_id(1)]


def test_a_snapshot_that_was_damaged_after_it_was_listed_is_skipped_too(client: Client, project: Path) -> None:
    result = client.write(START, "new\n")
    assert ids(client) == [result["snapshotId"]]
    meta = project / f".webgal_agent/snapshots/{result['snapshotId']}.meta.json"
    meta.write_text("{" + meta.read_text())
    assert ids(client) == []
    assert client.code("restore_snapshot", snapshotId=result["snapshotId"]) == "E_PARSE_FAIL"


def test_without_a_folder_of_snapshots_the_list_is_empty(client: Client, project: Path) -> None:
    assert ids(client) == []
    (project / ".webgal_agent/snapshots").mkdir(parents=True)
    assert ids(client) == []


@pytest.mark.parametrize(
    "id",
    [
        "",
        "snap_20251101T093210_0000000",
        "snap_20251101T093210_ABCDEF01",
        "snap_20251101T093210_00000001\n",
        " snap_20251101T093210_00000001",
        "snap_２０２５１１０１T093210_00000001",
        "../snapshots/snap_20251101T093210_00000001",
        "snap_20251101T093210_00000001.txt",
        1,
        None,
    ],
)
def test_an_id_of_another_form_is_a_bad_argument(
    client: Client, project: Path, id: Any, snapshot_id: SnapshotId
) -> None:
    put_snapshot(project, snapshot_id(1))
    assert client.code("restore_snapshot", snapshotId=id) == "E_BAD_ARGS"


def test_a_restore_needs_an_id(client: Client) -> None:
    assert client.code("restore_snapshot") == "E_BAD_ARGS"


@pytest.mark.also_cli
def test_a_snapshot_that_is_not_there_is_not_found(client: Client, snapshot_id: SnapshotId) -> None:
    assert client.code("restore_snapshot", snapshotId=snapshot_id(7)) == "E_NOT_FOUND"


@pytest.mark.parametrize("half", [".txt", ".meta.json"])
def test_half_a_snapshot_is_not_found(client: Client, project: Path, half: str, snapshot_id: SnapshotId) -> None:
    put_snapshot(project, snapshot_id(1))
    (project / f".webgal_agent/snapshots/{snapshot_id(1)}{half}").unlink()
    assert client.code("restore_snapshot", snapshotId=snapshot_id(1)) == "E_NOT_FOUND"


ANOTHERS = b'{"id":"snap_20251101T093210_00000001","path":"notes.md","timestamp":1,"contentHash":"00000000"}'


@pytest.mark.parametrize(
    "damage", [b"{", b"[]", b"", b"\xff", b'{"id": "\xff"}', b'{"id": 1}', b"[" * 100_000, ANOTHERS]
)
def test_damaged_metadata_is_a_parse_failure(
    client: Client, project: Path, damage: bytes, snapshot_id: SnapshotId
) -> None:
    put_snapshot(project, snapshot_id(1))
    put(project, f".webgal_agent/snapshots/{snapshot_id(1)}.meta.json", damage)
    assert client.code("restore_snapshot", snapshotId=snapshot_id(1)) == "E_PARSE_FAIL"


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", ".git/config", ".handrail/policy.json"])
def test_a_forged_snapshot_opens_no_closed_path(
    client: Client, project: Path, path: str, snapshot_id: SnapshotId
) -> None:
    put_snapshot(project, snapshot_id(1), "content", path=path)
    assert client.code("restore_snapshot", snapshotId=snapshot_id(1)) == "E_DENY_PATH"


def test_restoring_needs_no_approval(start: Start, own_project: Path, own_state: Path) -> None:
    result = start("cli", own_project, own_state, answer="allow").write(START, "new\n")
    denying = start("stdio", own_project, own_state, answer="deny")
    assert denying.ok("restore_snapshot", snapshotId=result["snapshotId"])["content"] == SCENE


@pytest.mark.parametrize("link", [".webgal_agent", ".webgal_agent/snapshots"])
def test_a_snapshot_never_passes_a_link(
    client: Client, project: Path, tmp_path: Path, link: str, snapshot_id: SnapshotId
) -> None:
    outside = tmp_path / "outside"
    (outside / "snapshots").mkdir(parents=True)
    put_snapshot(tmp_path / "forged", snapshot_id(1), "secret")
    for file in (tmp_path / "forged/.webgal_agent/snapshots").iterdir():
        (outside / file.name).write_bytes(file.read_bytes())
        (outside / "snapshots" / file.name).write_bytes(file.read_bytes())
    before = sorted(outside.rglob("*"))
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(outside)
    assert client.call("restore_snapshot", {"snapshotId": snapshot_id(1)}).code == "E_DENY_PATH"
    assert client.code("replace_in_file", path=START, find="beach", replace="city") == "E_DENY_PATH"
    assert sorted(outside.rglob("*")) == before
    assert (project / START).read_text() == SCENE
