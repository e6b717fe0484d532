"""Two servers on one project at once: no write is lost or done twice, and their records stay intact."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.servers import Server, audit_records, leftovers, serving, snapshots
from tests.effort import tries
from tests.wire.stage import put, put_policy

ROUNDS = tries(4, 12)
pytestmark = pytest.mark.trial("two servers")
MAY_TRY_AGAIN = {"E_CONFLICT", "E_POLICY_VIOLATION"}  # another writer was faster: at the file, or at the dry run


@pytest.fixture(params=["one state directory", "two state directories"])
def states(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    is_shared = request.param == "one state directory"
    return [tmp_path / "state 1", tmp_path / ("state 1" if is_shared else "state 2")]


@pytest.fixture
def servers(project: Path, states: list[Path]) -> Iterator[list[Server]]:
    put_policy(project, snapshotRetention=0)
    with ExitStack() as running:
        yield [running.enter_context(serving(project, state)) for state in states]
    assert leftovers(project) == []
    assert not (project / ".webgal_agent/intent.json").exists()


def side_by_side(works: list[Callable[[], None]]) -> None:
    """Runs all at once; the first failure fails the test."""
    failures: list[BaseException] = []
    gate = threading.Barrier(len(works))

    def guarded(work: Callable[[], None]) -> None:
        try:
            gate.wait()
            work()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_writers_of_one_file_lose_no_line(project: Path, servers: list[Server], states: list[Path]) -> None:
    """Each adds its own lines, and writes only if a dry run has shown that nothing is removed."""
    put(project, "log.txt", "begin\n")
    written: list[tuple[str, str]] = []

    def add(server: Server, line: str) -> None:
        while True:
            expected = {"path": "log.txt", "content": server.ok("read_file", path="log.txt")["content"] + line}
            hunks = server.ok("write_to_file", **expected, dryRun=True)["diff"]["hunks"]
            if any(hunk["lenOld"] for hunk in hunks):
                continue
            outcome = server.call("write_to_file", {**expected, "dryRun": False})
            if outcome.result is not None:
                written.append((outcome.result["snapshotId"], line))
                return
            assert outcome.code in MAY_TRY_AGAIN, outcome.error

    def add_all(number: int) -> Callable[[], None]:
        def add_lines() -> None:
            for turn in range(ROUNDS):
                add(servers[number], f"{number} {turn}\n")

        return add_lines

    side_by_side([add_all(0), add_all(1)])
    text = (project / "log.txt").read_text()
    assert sorted(text.split("\n")) == sorted(["", "begin", *(line.rstrip() for _, line in written)])
    copies = snapshots(project)
    assert set(copies) == {snapshot_id for snapshot_id, _ in written}
    # In the order of the lines, each snapshot contains exactly the lines before its own.
    line_of = dict(written)
    for snapshot_id, (_, content) in copies.items():
        assert content.decode() == text[: text.index(line_of[snapshot_id])]
    for state in set(states):
        records = audit_records(state)
        assert sum(record.get("event") == "begin" for record in records) >= ROUNDS


def test_writers_of_many_files_do_not_hinder_each_other(
    project: Path, servers: list[Server], states: list[Path]
) -> None:
    def write_all(number: int) -> Callable[[], None]:
        def write() -> None:
            for turn in range(ROUNDS):
                content = f"{number} {turn}\n" * 50
                assert servers[number].write(f"out/{number}/{turn}.txt", content)["applied"] is True

        return write

    side_by_side([write_all(0), write_all(1)])
    for number in (0, 1):
        for turn in range(ROUNDS):
            assert (project / f"out/{number}/{turn}.txt").read_text() == f"{number} {turn}\n" * 50
    assert len(snapshots(project)) == 2 * ROUNDS
    ends = [record for state in set(states) for record in audit_records(state) if record.get("evidence")]
    assert sum(record["event"] == "end" and record["ok"] for record in ends) == 2 * ROUNDS


def test_the_same_write_with_the_same_key_at_once_is_done_once(project: Path, servers: list[Server]) -> None:
    for turn in range(ROUNDS):
        write = {"path": "keyed.txt", "content": f"{turn}\n", "idempotencyKey": f"key {turn}"}
        servers[turn % 2].ok("write_to_file", path="keyed.txt", content=f"{turn}\n", dryRun=True)
        results: list[dict[str, object]] = []

        def send(server: Server, write: dict[str, str] = write, results: list[dict[str, object]] = results) -> None:
            results.append(server.ok("write_to_file", **write, dryRun=False))

        side_by_side([lambda: send(servers[0]), lambda: send(servers[1])])
        assert {result["snapshotId"] for result in results} == {results[0]["snapshotId"]}
        assert sorted(int(str(result["bytesWritten"])) for result in results) == [0, len(f"{turn}\n")]
        assert len(snapshots(project)) == turn + 1


def test_one_dry_run_allows_one_write_through_either_server(project: Path, servers: list[Server]) -> None:
    for turn in range(ROUNDS):
        content = f"{turn}\n"
        servers[0].ok("write_to_file", path="once.txt", content=content, dryRun=True)
        codes: list[str | None] = []

        def send(server: Server, content: str = content, codes: list[str | None] = codes) -> None:
            codes.append(server.call("write_to_file", {"path": "once.txt", "content": content, "dryRun": False}).code)

        side_by_side([lambda: send(servers[0]), lambda: send(servers[1])])
        assert codes.count(None) == 1
        assert set(codes) - {None} <= MAY_TRY_AGAIN
    assert len(snapshots(project)) == ROUNDS


def test_a_write_through_one_is_seen_and_undone_through_the_other(project: Path, servers: list[Server]) -> None:
    result = servers[0].write("notes.md", "changed\n")
    assert servers[1].ok("read_file", path="notes.md")["content"] == "changed\n"
    restored = servers[1].ok("restore_snapshot", snapshotId=result["snapshotId"])
    servers[1].write("notes.md", restored["content"])
    assert (project / "notes.md").read_text() == "# Notes\n"
    assert [meta["path"] for meta, _ in snapshots(project).values()] == ["notes.md", "notes.md"]
