"""kill -9 at any moment of a dry run or a write: no partial writes, no lost acknowledged ones, no duplicates."""

import fcntl
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.servers import Server, audit_records, leftovers, serving, snapshots
from tests.effort import chance, count, tries
from tests.waiting import let_run, until
from tests.wire.stage import put_policy

KILLS = tries(5, 40)
PATH = "game/big.txt"


def version(number: int) -> str:
    """Half a megabyte that differs from other versions in every line."""
    return f"{number:04d}{'x' * 1000}\n" * 500


AIMS = ("commit", "write", "dry run", "commit", "write")


def kill(server: Server, aim: str, delay: float) -> None:
    """Kills it with kill -9 some time into a step. The moment is under test, so no clock can be injected."""
    if aim == "commit":
        intent = server.project / ".webgal_agent/intent.json"
        until(lambda: intent.exists() or server.process.poll() is not None)
        delay /= 4
    let_run(server.process, delay)
    server.process.kill()


@pytest.mark.trial("kill")
@pytest.mark.timeout(600)
def test_a_server_that_is_killed_at_any_moment_leaves_everything_whole(project: Path, state: Path) -> None:
    put_policy(project, snapshotRetention=0)
    moments = chance()
    with serving(project, state) as server:
        server.ok("write_to_file", path=PATH, content=version(0), dryRun=True)
        start = time.monotonic()
        server.ok("write_to_file", path=PATH, content=version(0), dryRun=False, idempotencyKey="0")
        duration = time.monotonic() - start
    current, cut_off = 0, 0
    # Starting a server takes longer than a write: the next ones start while one works.
    starter = ThreadPoolExecutor(1)
    waiting = [starter.submit(Server, project, state, answer="allow") for _ in range(2)]
    try:
        for number in range(1, KILLS + 1):
            count()
            server, aim = waiting.pop(0).result(), AIMS[number % len(AIMS)]
            waiting.append(starter.submit(Server, project, state, answer="allow"))
            killer = threading.Thread(target=kill, args=(server, aim, moments.uniform(0, duration)))
            write = {"path": PATH, "content": version(number)}
            key = {"idempotencyKey": str(number)}
            if aim == "dry run":
                killer.start()
            dry_run = server.call_unless_gone("write_to_file", **write, dryRun=True)
            if aim != "dry run":
                killer.start()
            result = server.call_unless_gone("write_to_file", **write, **key, dryRun=False) if dry_run else None
            killer.join()
            server.kill()
            cut_off += dry_run is not None and result is None

            content = (project / PATH).read_text()
            assert content in (version(current), version(number)), "nothing is half"
            if result is not None:
                assert result.result is not None, result.error
                assert content == version(number), "what was acknowledged is there"

            # Another server, which ran all the time, is asked the same again.
            repeated = waiting[0].result().call("write_to_file", {**write, **key, "dryRun": False})
            if dry_run is None and repeated.code == "E_POLICY_VIOLATION":
                assert content == version(current), "there was no dry run, so there was no write"
                continue
            assert repeated.result is not None, repeated.error
            assert (repeated.result["bytesWritten"] == 0) == (content == version(number)), "written once, and once only"
            assert (project / PATH).read_text() == version(number)
            of_key = [meta for meta, _ in snapshots(project).values() if meta.get("idempotencyKey") == str(number)]
            assert [meta["id"] for meta in of_key] == [repeated.result["snapshotId"]]
            assert snapshots(project)[repeated.result["snapshotId"]][1] == version(current).encode()
            current = number
    finally:
        for future in waiting:
            future.result().kill()
        starter.shutdown()
    assert cut_off >= tries(0, 1), "some were killed in the middle of a write"

    with serving(project, state) as server:
        listed = server.ok("list_snapshots", path=PATH)["snapshots"]
        assert {snapshot["id"] for snapshot in listed} == set(snapshots(project))
        assert [snapshot["idempotencyKey"] for snapshot in listed] == sorted(
            (snapshot["idempotencyKey"] for snapshot in listed), key=int, reverse=True
        )
        until(lambda: leftovers(project) == [])  # a new server cleans up soon after its start
    records = audit_records(state)
    ends = {record["executionId"] for record in records if record.get("event") == "end"}
    begins = {record["executionId"] for record in records if record.get("event") == "begin"}
    assert len(begins - ends) >= tries(0, 1), "a call that a crash cut off has a beginning and no end"


def test_a_new_server_removes_leftovers_of_killed_ones_and_keeps_those_of_running_ones(
    project: Path, state: Path
) -> None:
    with serving(project, state) as server:
        result = server.write("notes.md", "changed\n")
    (evidence,) = project.glob(".handrail/artifacts/*/*/*")
    folders = [
        project / ".webgal_agent",
        project / ".webgal_agent/dry_runs",
        project / ".webgal_agent/snapshots",
        evidence,
    ]
    for folder in folders:
        (folder / ".handrail-0123456789abcdef.tmp").write_text("half")
    alive = project / ".webgal_agent/snapshots/.handrail-fedcba9876543210.tmp"
    with alive.open("w") as file, serving(project, state) as server:
        fcntl.flock(file, fcntl.LOCK_EX)  # as a writer does while it runs
        until(lambda: leftovers(project) == [str(alive.relative_to(project))])
        assert server.ok("restore_snapshot", snapshotId=result["snapshotId"])["content"] == "# Notes\n"
