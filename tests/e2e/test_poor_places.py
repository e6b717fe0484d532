"""File systems without free inodes, or that become read-only: a clear error, and a recovery."""

import subprocess
from pathlib import Path

import pytest

from tests.e2e.servers import Server, audit_records, leftovers, serving, snapshots
from tests.e2e.test_failing_disk import small_disk
from tests.effort import count, tries
from tests.wire.clients import run
from tests.wire.stage import START, furnish

OLD = "old\n"
TIMES = tries(1, 20)

pytestmark = [pytest.mark.trial("poor places"), pytest.mark.timeout(120 + 60 * TIMES)]


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


def use_up_inodes(folder: Path) -> list[Path]:
    taken: list[Path] = []
    while True:
        try:
            (folder / f"taken-{len(taken)}").touch(exist_ok=False)
        except OSError:
            return taken
        taken.append(folder / f"taken-{len(taken)}")


def refused(server: Server, words: str, number: int) -> None:
    """Checks that a write is an error with a reason, and changes nothing."""
    error = server.error("write_to_file", path=START, content=f"{number}\n", dryRun=False)
    assert error["code"] == "E_IO"
    assert words in error["message"]


def prepared(server: Server, number: int) -> None:
    server.ok("write_to_file", path=START, content=f"{number}\n", dryRun=True)


def written(server: Server, project: Path, number: int) -> None:
    assert server.ok("write_to_file", path=START, content=f"{number}\n", dryRun=False)["applied"]
    assert (project / START).read_text() == f"{number}\n"


def test_a_project_without_free_inodes_keeps_its_files(tmp_path: Path, state: Path) -> None:
    with small_disk(tmp_path / "project", "4m,nr_inodes=400") as project:
        furnish(project)
        (project / START).write_text(OLD)
        with serving(project, state) as server:
            server.write("other.txt", "so that all folders are there\n")
            for number in range(TIMES):
                count()
                before = (project / START).read_text()
                prepared(server, number)
                taken = use_up_inodes(project)
                refused(server, "No space left on device", number)
                assert server.ok("read_file", path=START)["content"] == before
                for each in taken:
                    each.unlink()
                written(server, project, number)
        assert leftovers(project) == []
        assert len(snapshots(project)) == 1 + TIMES
        audit_records(state)


def test_a_project_that_becomes_read_only_can_be_read_and_is_written_to_later(tmp_path: Path, state: Path) -> None:
    with small_disk(tmp_path / "project", "4m") as project:
        furnish(project)
        (project / START).write_text(OLD)
        with serving(project, state) as server:
            server.write("other.txt", "so that all folders are there\n")
            for number in range(TIMES):
                count()
                before = (project / START).read_text()
                prepared(server, number)
                remount(project, "ro")
                refused(server, "Read-only file system", number)
                assert server.ok("read_file", path=START)["content"] == before
                remount(project, "rw")
                written(server, project, number)
        assert leftovers(project) == []
        audit_records(state)


def test_with_a_read_only_state_directory_a_command_reports_it_and_does_nothing(project: Path, tmp_path: Path) -> None:
    write = ("call", "write_to_file", '{"path": "new.txt", "content": "x", "dryRun": false}', "--project", project)
    with small_disk(tmp_path / "state", "8m") as state:
        with serving(project, state) as server:
            server.write("other.txt", "first\n")
        for _ in range(TIMES):
            count()
            remount(state, "ro")
            result = run(*write, "--answer", "allow", "--state", state)
            assert result.returncode != 0
            assert "Read-only file system" in result.stdout
            assert "Traceback" not in result.stderr
            assert not (project / "new.txt").exists()
            remount(state, "rw")
            with serving(project, state) as server:
                server.write("other.txt", "again\n")
        audit_records(state)
