"""The promises of the `Folder` port, on ordinary files."""

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from handrail.ports.errors import (
    Aborted,
    Conflict,
    Failure,
    InputOutput,
    InvalidParams,
    NotFound,
    OutsideRoot,
    TooLarge,
)
from handrail.ports.files import Entry, Folder
from handrail.stores.local.files.beneath import Opener
from handrail.stores.local.files.folder import LocalFolder
from tests.stores.files.scenery import names


def test_a_file_is_read_whole(folder: Folder) -> None:
    assert folder.read("game/scene/start.txt") == b"intro\n"
    assert folder.read("./game//scene/start.txt") == b"intro\n"


def test_a_file_as_large_as_the_limit_is_read_and_one_byte_more_is_refused(folder: Folder) -> None:
    assert folder.read("game/scene/start.txt", limit=6) == b"intro\n"
    with pytest.raises(TooLarge):
        folder.read("game/scene/start.txt", limit=5)


def test_a_file_that_claims_to_be_empty_is_read_to_its_end() -> None:
    proc = LocalFolder.open("/proc/self")
    assert b"Name:" in proc.read("status")
    with pytest.raises(TooLarge):
        proc.read("status", limit=10)
    proc.close()


def test_a_part_of_a_file_is_read_from_an_offset(folder: Folder) -> None:
    assert folder.read_at("game/scene/start.txt", 2, 3) == b"tro"
    assert folder.read_at("game/scene/start.txt", 2, 10**15) == b"tro\n"
    assert folder.read_at("game/scene/start.txt", 99, 3) == b""
    with pytest.raises(InvalidParams):
        folder.read_at("game/scene/start.txt", -1, 3)


def test_missing_files_are_not_found_and_named(folder: Folder) -> None:
    for path in ("nothing.txt", "no/such/folder.txt", "game/scene/start.txt/below"):
        with pytest.raises(NotFound) as caught:
            folder.read(path)
        assert caught.value.details["path"] == path
    for path in ("nothing", "game/scene/start.txt"):
        with pytest.raises(NotFound):
            folder.entries(path)
        with pytest.raises(NotFound):
            folder.walk(path)


def test_a_folder_is_not_read_and_not_overwritten(folder: Folder) -> None:
    for attempt in (folder.read, folder.remove, lambda path: folder.write(path, b"")):
        for path in ("game/scene", "."):
            with pytest.raises(InputOutput, match="is a folder"):
                attempt(path)


def test_the_mode_of_a_file_is_returned_or_none_if_it_is_missing(folder: Folder, project: Path) -> None:
    (project / "game/scene/start.txt").chmod(0o640)
    assert folder.mode("game/scene/start.txt") == 0o640
    assert folder.mode("nothing.txt") is None
    assert folder.mode("no/such/folder.txt") is None
    assert folder.mode("game") is None


def test_entries_tell_files_folders_and_links_apart(folder: Folder, project: Path) -> None:
    (project / "game/link").symlink_to("scene")
    (project / "game/notes.md").write_text("")
    assert sorted(folder.entries("game"), key=lambda entry: entry.name) == [
        Entry("link", is_folder=False, is_link=True),
        Entry("notes.md", is_folder=False, is_link=False),
        Entry("scene", is_folder=True, is_link=False),
    ]


def test_entries_and_walk_leave_out_closed_folders_temporary_files_and_names_that_are_no_text(
    folder: Folder, project: Path
) -> None:
    for name in (".GIT", ".env", "build/private", "build/public", "game/build/private", "game/.Git "):
        (project / name).mkdir(parents=True)
    (project / ".handrail-0123456789abcdef.tmp").write_text("")
    (project / "game/.handrail-0123456789abcdef.old.tmp").write_text("")
    (project / "game/.handrail-notes").write_text("")
    (project / "game/开始.txt").write_text("")
    (project / os.fsdecode(b"game/\xff.txt")).write_text("")
    assert {entry.name for entry in folder.entries(".")} == {"build", "game"}
    assert {path for path, _ in folder.walk(".")} == {
        "build",
        "build/public",
        "game",
        "game/.handrail-notes",
        "game/build",
        "game/build/private",
        "game/scene",
        "game/scene/start.txt",
        "game/开始.txt",
    }
    assert {path for path, _ in folder.walk("game/scene")} == {"start.txt"}


def test_write_creates_a_file_with_its_folders_and_replaces_it(folder: Folder, project: Path) -> None:
    folder.write("new/deep/file.txt", b"one")
    assert (project / "new/deep/file.txt").read_bytes() == b"one"
    folder.write("new/deep/file.txt", b"")
    assert folder.read("new/deep/file.txt") == b""
    folder.write("new/deep/file.txt", b"two", is_durable=False)
    assert folder.read("new/deep/file.txt") == b"two"
    assert {name for name in names(project) if name.startswith("new")} == {"new", "new/deep", "new/deep/file.txt"}


def test_a_new_file_gets_the_mode_that_the_umask_leaves(folder: Folder, project: Path) -> None:
    old = os.umask(0o027)
    try:
        folder.write("by-write.txt", b"")
        folder.create("by-create.txt", b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE((project / "by-write.txt").stat().st_mode) == 0o640
    assert stat.S_IMODE((project / "by-create.txt").stat().st_mode) == 0o640


def test_a_guard_that_raises_leaves_everything_as_it_was(folder: Folder, project: Path) -> None:
    before = names(project)

    def stop() -> None:
        raise Aborted("stopped")

    for path in ("game/scene/start.txt", "new/deep/file.txt"):
        with pytest.raises(Aborted):
            folder.write(path, b"new", guard=stop)
    assert names(project) == before
    assert folder.read("game/scene/start.txt") == b"intro\n"


def test_a_guard_sees_the_old_content(folder: Folder) -> None:
    values: list[bytes] = []
    folder.write("game/scene/start.txt", b"new", guard=lambda: values.append(folder.read("game/scene/start.txt")))
    assert values == [b"intro\n"]
    assert folder.read("game/scene/start.txt") == b"new"


@pytest.mark.parametrize("is_durable", [True, False])
def test_create_refuses_a_taken_name(folder: Folder, project: Path, is_durable: bool) -> None:
    folder.create("new/file.txt", b"one", is_durable=is_durable)
    with pytest.raises(Conflict):
        folder.create("new/file.txt", b"two", is_durable=is_durable)
    with pytest.raises(Failure):
        folder.create("game", b"two", is_durable=is_durable)
    assert folder.read("new/file.txt") == b"one"
    assert (project / "new/file.txt").stat().st_nlink == 1
    assert [path.name for path in (project / "new").iterdir()] == ["file.txt"]


def test_only_one_of_many_concurrent_creations_or_removals_succeeds(folder: Folder) -> None:
    def at_once(attempt: object) -> int:
        wins: list[bool] = []
        barrier = threading.Barrier(16)

        def contend() -> None:
            barrier.wait()
            try:
                assert callable(attempt)
                wins.append(attempt() is not False)
            except Conflict:
                pass

        threads = [threading.Thread(target=contend) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(wins)

    for _ in range(20):
        assert at_once(lambda: folder.create("token", b"x", is_durable=False)) == 1
        assert at_once(lambda: folder.remove("token", is_durable=False)) == 1


def test_remove_returns_whether_the_file_existed(folder: Folder) -> None:
    assert folder.remove("game/scene/start.txt")
    assert not folder.remove("game/scene/start.txt")
    assert not folder.remove("no/such/file.txt")


def test_remove_tree_removes_everything_except_the_targets_of_links(
    folder: Folder, project: Path, outside: Path
) -> None:
    own = folder.subfolder(".handrail")
    own.write("artifacts/a/b/result.json", b"{}")
    (project / ".handrail/artifacts/a/out").symlink_to(outside)
    (project / ".handrail/artifacts/a/.handrail-0123456789abcdef.tmp").write_text("")
    (project / os.fsdecode(b".handrail/artifacts/\xff/\xfe")).mkdir(parents=True)
    own.remove_tree("artifacts")
    assert own.entries(".") == []
    own.remove_tree("artifacts")
    with pytest.raises(Failure):
        folder.remove_tree(".")


def test_usage_counts_the_bytes_of_all_files_below_but_not_behind_links(
    folder: Folder, project: Path, outside: Path
) -> None:
    own = folder.subfolder(".handrail")
    own.write("artifacts/a/b/result.json", b"12345")
    own.write("artifacts/a/log", b"123")
    (project / ".handrail/artifacts/a/.handrail-0123456789abcdef.tmp").write_bytes(b"1234567")
    (project / ".handrail/artifacts/out").symlink_to(outside)
    (project / ".handrail/artifacts/file").symlink_to(outside / "start.txt")
    assert own.total_size("artifacts") == 15
    assert own.total_size("artifacts/a/b") == 5
    with pytest.raises(NotFound):
        own.total_size("nothing")


def test_a_stamp_differs_once_a_file_was_changed_and_nothing_behind_links_has_one(
    folder: Folder, project: Path, outside: Path
) -> None:
    for path in ("art/a/one.png", "art/two.png", "art/.git/config"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(b"12345")
    (project / "art/out").symlink_to(outside)
    (project / "art/file").symlink_to(outside / "start.txt")
    os.mkfifo(project / "art/pipe")
    before = folder.stamps("art")
    assert sorted(before) == ["a/one.png", "two.png"]
    assert {stamp.size for stamp in before.values()} == {5}
    folder.write("art/two.png", b"54321")
    after = folder.stamps("art")
    assert after["two.png"] == folder.stamp("art/two.png")
    assert folder.stamp("art/gone.png") is folder.stamp("art/a") is folder.stamp("art/pipe") is None
    with pytest.raises(OutsideRoot):
        folder.stamp("art/file")
    assert after["a/one.png"] == before["a/one.png"]
    assert after["two.png"] != before["two.png"]
    with pytest.raises(NotFound):
        folder.stamps("nothing")


def test_a_subfolder_is_made_when_first_written_to_and_has_no_closed_folders(folder: Folder, project: Path) -> None:
    own = folder.subfolder(".webgal_agent")
    assert own.location == str(project / ".webgal_agent")
    with pytest.raises(NotFound):
        own.entries(".")
    assert own.mode("idem.json") is None
    assert not (project / ".webgal_agent").exists()
    own.write(".git/x", b"1")
    assert (project / ".webgal_agent/.git/x").read_bytes() == b"1"


def test_a_subfolder_removed_during_a_write_is_created_again(folder: Folder, project: Path) -> None:
    own = folder.subfolder(".webgal_agent")
    own.write("idem.json", b"1")
    folder.subfolder(".").remove_tree(".webgal_agent")
    own.write("idem.json", b"2")
    assert (project / ".webgal_agent/idem.json").read_bytes() == b"2"


def test_a_held_folder_can_be_a_child_processs_working_directory(folder: Folder, project: Path) -> None:
    with folder.open_descriptor("game") as fd:
        (project / "game").rename(project / "moved")
        assert os.listdir(fd) == ["scene"]
        assert not os.get_inheritable(fd)


def test_the_project_may_be_reached_through_a_link(project: Path, tmp_path: Path, opener: Opener) -> None:
    (tmp_path / "link").symlink_to(project)
    folder = LocalFolder.open(str(tmp_path / "link"), opener=opener)
    assert folder.location == str(project)
    assert folder.read("game/scene/start.txt") == b"intro\n"
    folder.close()


def test_a_project_that_is_no_absolute_folder_is_refused(project: Path) -> None:
    with pytest.raises(InvalidParams):
        LocalFolder.open("game")
    with pytest.raises(NotFound):
        LocalFolder.open(str(project / "nothing"))
    with pytest.raises(NotFound):
        LocalFolder.open(str(project / "game/scene/start.txt"))


def test_the_names_in_a_folder_are_returned_and_a_missing_folder_is_not_found(folder: Folder, project: Path) -> None:
    own = folder.subfolder(".own")
    with pytest.raises(NotFound):
        own.names("kept")
    own.write("kept/a.txt", b"")
    own.write("kept/b/c.txt", b"")
    assert sorted(own.names("kept")) == ["a.txt", "b"]


def test_a_closed_root_opens_nothing_any_more(project: Path, opener: Opener) -> None:
    folder = LocalFolder.open(str(project), opener=opener)
    own = folder.subfolder("game")
    folder.close()
    folder.close()
    with pytest.raises(InputOutput):
        own.read("scene/start.txt")


def test_no_descriptor_is_left_open(folder: Folder, project: Path) -> None:
    (project / "link").symlink_to("game")
    os.mkfifo(project / "pipe")
    before = set(os.listdir("/proc/self/fd"))
    for path in ("game/scene/start.txt", "game", "link", "link/scene", "pipe", "no/thing", ".git/config", "new/file"):
        for attempt in (
            lambda path: folder.read(path),
            lambda path: folder.mode(path),
            lambda path: folder.entries(path),
            lambda path: next(folder.walk(path)),
            lambda path: folder.write(path, b"1"),
            lambda path: folder.create(path, b"1"),
            lambda path: folder.lock(path, 0).__enter__(),
            lambda path: folder.sweep(path),
            lambda path: folder.remove(path),
        ):
            with suppress(Failure, StopIteration):
                attempt(path)
    assert set(os.listdir("/proc/self/fd")) == before
