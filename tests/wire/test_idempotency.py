"""`idempotencyKey`: contract 3 §0.4, and the order of the checks."""

from pathlib import Path

import pytest

from tests.wire.clients import Client, Json, Start
from tests.wire.stage import SCENE, START, Stage, put

NEW = "written once;\n"
WRITE: Json = {"path": START, "content": NEW, "dryRun": False, "idempotencyKey": "0f4e-1"}


@pytest.mark.also_cli
def test_the_same_write_with_the_same_key_gets_the_first_answer_and_writes_nothing(
    client: Client, project: Path
) -> None:
    first = client.write(START, NEW, idempotencyKey="0f4e-1")
    put(project, START, "edited since;\n")
    again = client.ok("write_to_file", **WRITE)
    assert again == {"applied": True, "snapshotId": first["snapshotId"], "bytesWritten": 0}
    assert (project / START).read_text() == "edited since;\n"
    assert len(client.ok("list_snapshots")["snapshots"]) == 1


@pytest.mark.parametrize("other", [{"content": "something else\n"}, {"path": "game/config.txt"}])
def test_the_same_key_with_another_path_or_content_is_a_conflict(client: Client, project: Path, other: Json) -> None:
    client.write(START, NEW, idempotencyKey="0f4e-1")
    before = (project / "game/config.txt").read_text()
    client.ok("write_to_file", **{**WRITE, **other, "dryRun": True})
    assert client.code("write_to_file", **{**WRITE, **other}) == "E_CONFLICT"
    assert (project / START).read_text() == NEW
    assert (project / "game/config.txt").read_text() == before


def test_the_path_is_the_same_however_it_is_spelled(client: Client) -> None:
    client.write(START, NEW, idempotencyKey="0f4e-1")
    assert client.ok("write_to_file", **{**WRITE, "path": f"./{START}"})["bytesWritten"] == 0


def test_another_key_is_another_write(client: Client, project: Path) -> None:
    first = client.write(START, NEW, idempotencyKey="0f4e-1")
    assert client.code("write_to_file", **{**WRITE, "idempotencyKey": "0f4e-2"}) == "E_POLICY_VIOLATION"
    second = client.write(START, NEW, idempotencyKey="0f4e-2")
    assert second["snapshotId"] != first["snapshotId"]
    assert second["bytesWritten"] == len(NEW)


def test_keys_are_shared_by_all_processes(stage: Stage, project: Path) -> None:
    first = stage.client("stdio").write(START, NEW, idempotencyKey="0f4e-1")
    for face in ("api", "streamable", "cli"):
        assert stage.client(face).ok("write_to_file", **WRITE)["snapshotId"] == first["snapshotId"]


def test_the_key_is_stored_with_its_snapshot(client: Client) -> None:
    client.write(START, NEW, idempotencyKey="0f4e-1")
    client.write("notes.md", NEW)
    by_path = {snapshot["path"]: snapshot for snapshot in client.ok("list_snapshots")["snapshots"]}
    assert by_path[START]["idempotencyKey"] == "0f4e-1"
    assert "idempotencyKey" not in by_path["notes.md"]


def test_a_damaged_store_of_keys_does_not_stand_in_the_way(client: Client, project: Path) -> None:
    for damage in (b"{", b"[]", b'{"entries": {"x": 1}}', b"\xff", b'{"entries": "\xff"}', b"[" * 100_000):
        put(project, ".webgal_agent/idem.json", damage)
        client.write(START, f"{damage[:9]!r}\n", idempotencyKey=f"{damage[:9]!r}")


def test_a_dry_run_does_not_use_up_the_key(client: Client, project: Path) -> None:
    client.ok("write_to_file", **{**WRITE, "dryRun": True})
    assert client.ok("write_to_file", **WRITE)["bytesWritten"] == len(NEW)
    assert (project / START).read_text() == NEW


def test_a_key_may_not_be_endless(client: Client) -> None:
    client.ok("write_to_file", path=START, content=NEW, dryRun=True)
    assert client.code("write_to_file", **{**WRITE, "idempotencyKey": "k" * 1025}) == "E_BAD_ARGS"


def test_the_key_is_looked_at_before_the_dry_run(client: Client) -> None:
    client.write(START, NEW, idempotencyKey="0f4e-1")
    assert client.code("write_to_file", **{**WRITE, "content": "never dry run\n"}) == "E_CONFLICT"
    assert client.ok("write_to_file", **WRITE)["bytesWritten"] == 0


def test_the_dry_run_is_looked_for_before_a_conflict(client: Client, project: Path) -> None:
    client.ok("write_to_file", path=START, content=NEW, dryRun=True)
    put(project, START, "somebody else's;\n")
    assert client.code("write_to_file", path=START, content="other;\n", dryRun=False) == "E_POLICY_VIOLATION"


def test_key_dry_run_and_conflict_come_before_the_approval(start: Start, own_project: Path, own_state: Path) -> None:
    allowing = start("cli", own_project, own_state, answer="allow")
    denying = start("stdio", own_project, own_state, answer="deny")
    first = allowing.write(START, NEW, idempotencyKey="0f4e-1")
    assert denying.ok("write_to_file", **WRITE)["snapshotId"] == first["snapshotId"]
    assert denying.code("write_to_file", **{**WRITE, "content": "x"}) == "E_CONFLICT"

    error = denying.error("write_to_file", path=START, content="no dry run", dryRun=False)
    assert error["details"]["reason"] == "noDryRun"

    denying.ok("write_to_file", path="notes.md", content=NEW, dryRun=True)
    assert denying.error("write_to_file", path="notes.md", content=NEW, dryRun=False)["details"]["reason"] == "denied"
    put(own_project, "notes.md", "changed\n")
    assert denying.code("write_to_file", path="notes.md", content=NEW, dryRun=False) == "E_CONFLICT"


def test_a_denied_write_uses_up_neither_key_nor_dry_run(start: Start, own_project: Path, own_state: Path) -> None:
    denying = start("stdio", own_project, own_state, answer="deny")
    denying.ok("write_to_file", **{**WRITE, "dryRun": True})
    assert denying.code("write_to_file", **WRITE) == "E_POLICY_VIOLATION"
    assert (own_project / START).read_text() == SCENE
    assert start("cli", own_project, own_state, answer="allow").ok("write_to_file", **WRITE)["bytesWritten"] == len(NEW)
