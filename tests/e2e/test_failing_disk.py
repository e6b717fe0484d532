"""Full disks and failing devices: no success is reported, the old content stays, and the server keeps running."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.servers import Server, audit_records, leftovers, serving, snapshots
from tests.waiting import until
from tests.wire.stage import START, furnish

OLD = "old\n" * 100
NEW = "new\n" * 100


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Fills the disk until not a single block is free."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
    return ballast


def test_on_a_full_disk_a_write_is_an_io_error_and_everything_stays(tmp_path: Path, state: Path) -> None:
    with small_disk(tmp_path / "project", "2m") as project:
        furnish(project)
        (project / START).write_text(OLD)
        with serving(project, state) as server:
            first = server.write("other.txt", "first\n")
            server.ok("write_to_file", path=START, content=NEW, dryRun=True)
            before = snapshots(project)
            ballast = fill(project)
            error = server.error("write_to_file", path=START, content=NEW, dryRun=False)
            assert error["code"] == "E_IO"
            assert server.code("replace_in_file", path=START, find="old", replace="new") == "E_IO"
            assert server.code("write_to_file", path="more.txt", content=NEW, dryRun=True) == "E_IO"
            assert (project / START).read_text() == OLD
            assert server.ok("read_file", path=START)["content"] == OLD
            assert server.ok("restore_snapshot", snapshotId=first["snapshotId"])["content"] == ""
            assert snapshots(project) == before
            ballast.unlink()
            result = server.ok("write_to_file", path=START, content=NEW, dryRun=False)
            assert result["applied"], "the dry run was not used up by the write that failed"
            assert (project / START).read_text() == NEW
            assert leftovers(project) == []
        audit_records(state)


def test_a_disk_that_fills_up_in_the_middle_leaves_the_old_content(tmp_path: Path, state: Path) -> None:
    """Frees more and more room: the write fails at later and later steps until it succeeds."""
    codes: list[str | None] = []
    with small_disk(tmp_path / "project", "4m") as project:
        content = "new" + "x" * 100_000 + "\n"
        with serving(project, state) as server:
            (project / "big.txt").write_text("old")
            server.write("other.txt", "so that all folders are there\n")
            server.ok("write_to_file", path="big.txt", content=content, dryRun=True)
            ballast = fill(project)
            for _ in range(100):
                outcome = server.call("write_to_file", {"path": "big.txt", "content": content, "dryRun": False})
                codes.append(outcome.code)
                if outcome.code is None:
                    break
                assert (project / "big.txt").read_text() == "old"
                shutil.rmtree(
                    project / ".handrail/artifacts", ignore_errors=True
                )  # the evidence of the attempt would use up the room
                os.truncate(ballast, ballast.stat().st_size - 8192)
            assert (project / "big.txt").read_text() == content
            assert len(snapshots(project)) == 2
            assert not (project / ".webgal_agent/intent.json").exists()
    assert set(codes) == {"E_IO", None}
    assert len(codes) > 5


def test_without_a_record_nothing_is_changed(project: Path, tmp_path: Path) -> None:
    (project / START).write_text(OLD)
    with small_disk(tmp_path / "state", "1m") as state:
        with serving(project, state) as server:
            server.write("other.txt", "first\n")
            server.ok("write_to_file", path=START, content=NEW, dryRun=True)
            ballast = fill(state)
            # A few blocks have room for some more records; after that, there is none.
            codes = [server.call("list_files", {"path": "."}).code for _ in range(200)]
            assert codes[-1] == "E_IO"
            assert server.code("write_to_file", path=START, content=NEW, dryRun=False) == "E_IO"
            assert (project / START).read_text() == OLD
            ballast.unlink()
            assert server.ok("write_to_file", path=START, content=NEW, dryRun=False)["applied"]
        audit_records(state)


@contextmanager
def faulty(server: Server, *rules: str) -> Iterator[None]:
    """Makes the running server's system calls fail by these strace rules until the block ends."""
    strace = shutil.which("strace")
    assert strace, "strace is a package of the tests"
    injected = [part for rule in rules for part in ("-e", f"inject={rule}")]
    tracer = subprocess.Popen(
        [strace, "-f", "-o", os.devnull, *injected, "-p", str(server.process.pid)], stderr=subprocess.PIPE
    )
    try:
        assert tracer.stderr is not None
        line = tracer.stderr.readline()
        if b"attached" not in line:
            pytest.skip(f"strace may not trace: {line.decode()}")
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.communicate(timeout=60)
    # If the log's flush, which has its own timer, failed in between, the next call is refused with that error.
    until(lambda: server.call("list_files", {"path": "."}).code is None)


FAULTS = [
    *(f"fsync:error=EIO:when={count}" for count in range(1, 13)),
    *(f"fdatasync:error=EIO:when={count}" for count in range(1, 6)),
    *(f"renameat:error=EIO:when={count}" for count in range(1, 7)),
    "fsync:error=EIO",
    "fdatasync:error=EIO",
    "fsync,fdatasync:error=ENOSPC",
    "renameat,renameat2,rename:error=EROFS",
    "linkat:error=EIO",
    "unlinkat:error=EIO",
    "ftruncate:error=EIO",
    "flock:error=ENOLCK",
    "pwrite64:error=ENOSPC",
]


def test_a_device_failure_at_any_step_is_reported_and_the_old_content_stays(project: Path, state: Path) -> None:
    """One server for all faults, because it must survive each of them."""
    outcomes: dict[str, str | None] = {}
    with serving(project, state) as server:
        server.write("other.txt", "so that all folders are there\n", idempotencyKey="first")
        for number, fault in enumerate(FAULTS):
            old, new = OLD + f"{number}\n", NEW + f"{number}\n"
            (project / START).write_text(old)
            write = {"path": START, "content": new, "idempotencyKey": fault}
            server.ok("write_to_file", path=START, content=new, dryRun=True)
            with faulty(server, fault):
                outcome = server.call("write_to_file", {**write, "dryRun": False})
            outcomes[fault] = outcome.code
            content = (project / START).read_text()
            if outcome.code is None:
                assert content == new, fault
            else:
                assert outcome.code in ("E_IO", "E_CONFLICT"), (fault, outcome.error)
                assert content == old, fault
            # Once the device works again, the same call is carried out, once.
            assert server.ok("write_to_file", **write, dryRun=False)["applied"] is True
            assert (project / START).read_text() == new
            assert server.ok("write_to_file", **write, dryRun=False)["bytesWritten"] == 0
            assert leftovers(project) == [], fault
            snapshots(project)
    assert list(outcomes.values()).count("E_IO") >= 10, outcomes
    assert None in outcomes.values(), "the last faults come after the last step"
    audit_records(state)


def test_a_device_that_fails_makes_no_new_file_and_no_folder(project: Path, state: Path) -> None:
    with serving(project, state) as server:
        server.write("other.txt", "so that all folders are there\n")
        for fault in ("fsync:error=EIO", "fsync,fdatasync:error=ENOSPC", "linkat,renameat:error=EIO"):
            server.ok("write_to_file", path="new/deep/file.txt", content=NEW, dryRun=True)
            with faulty(server, fault):
                assert server.code("write_to_file", path="new/deep/file.txt", content=NEW, dryRun=False) == "E_IO"
            assert not (project / "new").exists()
            assert len(snapshots(project)) == 1
    audit_records(state)
