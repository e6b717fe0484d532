"""Waiting for a file to grow: no change is missed or invented, and nothing polls."""

import asyncio
import os
from pathlib import Path

import pytest
from asyncinotify import Inotify

from handrail.stores.local import file_watch
from handrail.stores.local.file_watch import FollowedFile, Watch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.fixture(params=["inotify", "looking"])
def file(path: Path, request: pytest.FixtureRequest) -> FollowedFile:
    return FollowedFile(path, with_inotify=request.param == "inotify")


def append(path: Path, text: str = "x\n") -> None:
    with path.open("a") as file:
        file.write(text)


async def is_quiet(watch: Watch) -> bool:
    """No event arrives, not even after everything else has run."""
    telling = asyncio.create_task(watch.change())
    for _ in range(10):
        await asyncio.sleep(0)
    is_quiet = not telling.done()
    telling.cancel()
    await asyncio.gather(telling, return_exceptions=True)
    return is_quiet


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


async def test_the_first_look_comes_at_once_and_the_next_with_a_change(file: FollowedFile, path: Path) -> None:
    async with file.watching() as watch:
        await watch.change()
        assert await is_quiet(watch)
        for _ in range(3):
            append(path)
            await watch.change()
            assert await is_quiet(watch)


async def test_a_change_between_two_waits_is_not_missed(file: FollowedFile, path: Path) -> None:
    append(path)
    async with file.watching() as watch:
        await watch.change()
        append(path)
        append(path)
        await watch.change()
        assert await is_quiet(watch)


async def test_a_wait_wakes_up_while_it_waits(file: FollowedFile, path: Path) -> None:
    async with file.watching() as watch:
        await watch.change()
        for _ in range(3):
            waiting = asyncio.create_task(watch.change())
            await asyncio.sleep(0)
            assert not waiting.done()
            append(path)
            await waiting


async def test_a_file_that_is_replaced_or_removed_has_changed(file: FollowedFile, path: Path) -> None:
    append(path, "one\n")
    async with file.watching() as watch:
        await watch.change()
        path.with_name("new").write_text("two\n")
        path.with_name("new").replace(path)
        await watch.change()
        os.unlink(path)
        await watch.change()


async def test_a_folder_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "later" / "log.jsonl"
    async with FollowedFile(path).watching() as watch:
        await watch.change()
        path.parent.mkdir()
        append(path)
        await watch.change()
        assert await is_quiet(watch)
        append(path)
        await watch.change()


async def test_a_cancelled_watcher_misses_no_later_change(file: FollowedFile, path: Path) -> None:
    async with file.watching() as watch:
        await watch.change()
        waiting = asyncio.create_task(watch.change())
        await asyncio.sleep(0)
        append(path)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await watch.change()


async def test_other_files_in_the_folder_wake_no_watcher(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = FollowedFile(path)
    async with file.watching() as watch:
        await watch.change()
        looks: list[object] = []
        monkeypatch.setattr(file, "look", lambda: looks.append(1))
        waiting = asyncio.create_task(watch.change())
        await asyncio.sleep(0)
        looks.clear()
        for _ in range(20):
            append(path.with_name("other"))
            await asyncio.sleep(0)
        assert looks == []
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


async def test_many_watchers_share_one_inotify_and_leave_none(path: Path) -> None:
    file = FollowedFile(path)
    before = open_files()
    async with file.watching() as first:
        await first.change()
        descriptors = open_files()
        assert descriptors > before
        async with file.watching() as second, file.watching() as third:
            for watch in (second, third):
                await watch.change()
            assert open_files() == descriptors
            append(path)
            for watch in (first, second, third):
                await watch.change()
        append(path)
        await first.change()
    assert open_files() == before


async def test_without_inotify_it_polls(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(Inotify, "add_watch", fail)
    before = open_files()
    async with FollowedFile(path).watching() as watch:
        await watch.change()
        append(path)
        await watch.change()
        assert open_files() == before


async def test_a_folder_that_is_removed_and_made_again_is_watched_again(tmp_path: Path) -> None:
    path = tmp_path / "state" / "log.jsonl"
    path.parent.mkdir()
    append(path)
    async with FollowedFile(path).watching() as watch:
        await watch.change()
        for _ in range(2):
            os.unlink(path)
            path.parent.rmdir()
            await watch.change()
            path.parent.mkdir()
            append(path)
            await watch.change()
            assert await is_quiet(watch)


async def test_more_events_than_fit_at_once_are_all_taken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_watch, "_EVENTS_AT_ONCE", 1)
    async with FollowedFile(path).watching() as watch:
        await watch.change()
        for number in range(200):
            append(path.with_name(f"other-{number}"))
        waiting = asyncio.create_task(watch.change())
        await asyncio.sleep(0)
        append(path)
        await waiting


async def test_a_wake_up_takes_milliseconds_and_not_the_next_look(path: Path) -> None:
    loop = asyncio.get_running_loop()
    async with FollowedFile(path).watching() as watch:
        await watch.change()
        start = loop.time()
        for _ in range(10):
            waiting = asyncio.create_task(watch.change())
            await asyncio.sleep(0)
            append(path)
            await waiting
        assert loop.time() - start < file_watch._LOOK_EVERY_SECONDS
