"""Waiters can be seen and reached only by their own user."""

import asyncio
import os
import socket
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.stores.local import waiters as waiters_module
from handrail.stores.local.waiters import Waiters
from handrail.stores.shared import mailbox as mailbox_module
from tests.stores.processes import finish_killed, start


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short enough for a plain client to connect; pytest's own folders are not."""
    with tempfile.TemporaryDirectory() as short:
        yield Path(short, "state", "waiters")


@pytest.fixture
def waiters(folder: Path) -> Waiters:
    return Waiters(folder)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


async def deliver(waiters: Waiters, request_id: str, digest: str, **values: str) -> bool:
    return await asyncio.to_thread(waiters.deliver, request_id, digest, values)


async def test_a_waiter_is_visible_while_it_waits(waiters: Waiters, folder: Path) -> None:
    assert not waiters.is_waiting("r")
    assert os.listdir(folder.parent.parent) == []
    async with waiters.waiting("r"):
        assert waiters.is_waiting("r")
        assert Waiters(folder).is_waiting("r")
        assert not waiters.is_waiting("other")
        for _ in range(300):  # more than a socket's queue can store
            assert waiters.is_waiting("r")
    assert not waiters.is_waiting("r")
    assert os.listdir(folder) == []


async def test_socket_and_folder_are_private_to_the_owner(waiters: Waiters, folder: Path) -> None:
    os.makedirs(folder)
    os.chmod(folder, 0o777)
    async with waiters.waiting("r"):
        path = only_file(folder)
        assert stat.S_ISSOCK(path.stat().st_mode)
        assert (mode(path), mode(folder)) == (0o600, 0o700)


@pytest.mark.parametrize(
    "request_id", ["../../etc/passwd", "a/b", "", ".", "\0", "x" * 100_000, "中文\u2028", "\ud800"]
)
async def test_no_id_becomes_a_file_name(waiters: Waiters, folder: Path, request_id: str) -> None:
    async with waiters.waiting(request_id) as mailbox:
        (name,) = os.listdir(folder)
        assert len(name) == 37
        assert name.endswith(".sock")
        assert waiters.is_waiting(request_id)
        assert await deliver(waiters, request_id, "d", key="value")
        assert await mailbox.take("d") == {"key": "value"}


async def test_secrets_arrive_whole_and_by_digest(waiters: Waiters) -> None:
    key = "-----BEGIN KEY-----\n" + "\u2028\x00中" * 500_000
    async with waiters.waiting("r") as mailbox:
        assert await deliver(waiters, "r", "lost", key="wrong")
        assert await deliver(waiters, "r", "won", key=key, empty="")
        assert await mailbox.take("won") == {"key": key, "empty": ""}


async def test_a_delivery_that_is_on_its_way_is_waited_for(waiters: Waiters) -> None:
    async with waiters.waiting("r") as mailbox:
        taking = asyncio.create_task(mailbox.take("d"))
        await asyncio.sleep(0)
        assert await deliver(waiters, "r", "other", key="1")
        assert not taking.done()
        assert await deliver(waiters, "r", "d", key="2")
        assert await taking == {"key": "2"}


async def test_waiting_ends_at_the_timeout(waiters: Waiters, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox_module, "_DELIVERY_SECONDS", 0.01)
    async with waiters.waiting("r") as mailbox:
        assert await mailbox.take("d") == {}


async def test_without_a_waiter_nothing_is_delivered(waiters: Waiters) -> None:
    assert not await deliver(waiters, "r", "d", key="value")
    async with waiters.waiting("r"):
        pass
    assert not await deliver(waiters, "r", "d", key="value")


async def test_a_hanging_waiter_does_not_count_as_delivery(waiters: Waiters, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiters_module, "_DELIVERY_SECONDS", 0.05)
    async with waiters.waiting("r"):
        assert waiters.deliver("r", "d", {"key": "value"}) is False  # runs on the loop's own thread, so it can't answer


@pytest.mark.parametrize(
    "noise", [b"", b"\n", b"{}\n", b"[\xff]\n", b'{"digest":"d","values":{"a":1}}\n', b'{"digest":']
)
async def test_noise_does_a_waiter_no_harm(waiters: Waiters, folder: Path, noise: bytes) -> None:
    async with waiters.waiting("r") as mailbox:
        path = only_file(folder)
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(path))
            stranger.sendall(noise)
            assert await deliver(waiters, "r", "d", key="value")
        assert await mailbox.take("d") == {"key": "value"}


async def test_a_cancelled_wait_leaves_nothing_behind(waiters: Waiters, folder: Path) -> None:
    async def wait() -> None:
        async with waiters.waiting("r"):
            entered.set()
            await asyncio.Event().wait()

    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        entered = asyncio.Event()
        waiting = asyncio.create_task(wait())
        await entered.wait()
        path = only_file(folder)
        with socket.socket(socket.AF_UNIX) as half_open:
            half_open.connect(str(path))
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
    assert os.listdir(folder) == []
    assert len(os.listdir("/proc/self/fd")) == before


async def test_the_latest_waiter_is_reached_even_after_an_earlier_one_leaves(waiters: Waiters, folder: Path) -> None:
    async with waiters.waiting("r") as second:
        async with Waiters(folder).waiting("r") as third:
            assert await deliver(waiters, "r", "d", key="value")
            assert await third.take("d") == {"key": "value"}
        assert second is not third
        assert not waiters.is_waiting("r")
    async with waiters.waiting("a"):
        async with Waiters(folder).waiting("b"):
            pass
        assert waiters.is_waiting("a")


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from handrail.stores.local.waiters import Waiters

async def main():
    waiters = Waiters(Path(sys.argv[1]))
    async with waiters.waiting("r"):
        assert waiters.is_waiting("r")
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_killed_waiter_does_not_count_and_its_socket_is_removed(waiters: Waiters, folder: Path) -> None:
    finish_killed(start(KILLED, folder))
    path = only_file(folder)
    assert not waiters.is_waiting("r")
    assert not await deliver(waiters, "r", "d", key="value")
    async with Waiters(folder).waiting("fresh"):
        assert path.exists()  # too new to be considered unused
        os.utime(path, (time.time() - 3600,) * 2)
        async with Waiters(folder).waiting("other"):
            assert not path.exists()
            assert waiters.is_waiting("fresh")
    async with waiters.waiting("r"):
        assert waiters.is_waiting("r")


async def test_a_stale_socket_does_not_block_the_next_waiter(waiters: Waiters, folder: Path) -> None:
    finish_killed(start(KILLED, folder))
    async with waiters.waiting("r") as mailbox:
        assert await deliver(waiters, "r", "d", key="value")
        assert await mailbox.take("d") == {"key": "value"}
    assert os.listdir(folder) == []


async def test_a_state_directory_may_have_a_long_name(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40) / ("name" * 40) / "waiters"
    waiters = Waiters(folder)
    async with waiters.waiting("r") as mailbox:
        assert waiters.is_waiting("r")
        assert await deliver(waiters, "r", "d", key="value")
        assert await mailbox.take("d") == {"key": "value"}
        assert [path.suffix for path in folder.iterdir()] == [".sock"]
    assert not waiters.is_waiting("r")
