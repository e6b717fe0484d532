"""The rulings on callers: which process connects, according to the kernel, and whom the workspace allows."""

import asyncio
import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.wire.desktop_rig import Bridge, DesktopRig

EXE = os.path.realpath(sys.executable)


def allow(desk: DesktopRig, content: object) -> Path:
    file = desk.workspace / "allowlist.json"
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return file


def own(entry: str) -> str:
    return entry.format(pid=os.getpid(), uid=os.getuid(), exe=EXE)


async def is_let_in(bridge: Bridge) -> bool:
    answer = await bridge.send("desktop.health")
    if "error" in answer:
        assert answer["error"]["code"] == "DESKTOP_CALLER_NOT_ALLOWED"
    return "result" in answer


async def test_without_a_list_the_hosts_own_user_may_call(bridge: Bridge) -> None:
    assert await is_let_in(bridge)


@pytest.mark.parametrize("entry", ["*", "pid:{pid}", "uid:{uid}", "exe:{exe}"])
async def test_a_caller_on_the_list_may_call(desk: DesktopRig, bridge: Bridge, entry: str) -> None:
    allow(desk, {"callers": ["uid:4294967294", own(entry)]})
    assert await is_let_in(bridge)


@pytest.mark.parametrize(
    "entry",
    ["pid:1", "uid:4294967294", "exe:/bin/nobody", "exe:{exe}x", "exe:", "", "pid:", "{pid}", "**", "root"],
)
async def test_a_caller_that_is_not_on_the_list_may_not(desk: DesktopRig, bridge: Bridge, entry: str) -> None:
    allow(desk, {"callers": [own(entry)]})
    assert not await is_let_in(bridge)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"callers":"*"}', b'{"callers":[1]}', b'{"callers":["*"],"callers":["*"]}', b"\xff"]
)
async def test_an_unreadable_list_of_callers_admits_no_one(desk: DesktopRig, bridge: Bridge, content: bytes) -> None:
    allow(desk, content)
    assert not await is_let_in(bridge)


@pytest.mark.parametrize("kind", ["link", "folder"])
async def test_a_list_of_callers_that_is_not_a_regular_file_admits_no_one(
    desk: DesktopRig, bridge: Bridge, kind: str
) -> None:
    elsewhere = desk.root / "list.json"
    elsewhere.write_text('{"callers":["*"]}')
    place = desk.workspace / "allowlist.json"
    if kind == "link":
        place.symlink_to(elsewhere)
    else:
        place.mkdir()
    assert not await is_let_in(bridge)


async def test_the_list_is_read_again_for_every_call(desk: DesktopRig, bridge: Bridge) -> None:
    file = allow(desk, {"callers": ["pid:1"]})
    assert not await is_let_in(bridge)
    file.unlink()
    assert await is_let_in(bridge)


async def test_a_caller_that_may_not_call_learns_and_does_nothing(desk: DesktopRig, bridge: Bridge) -> None:
    allow(desk, {"callers": []})
    calls: dict[str, dict[str, Any]] = {
        "desktop.observe": {},
        "desktop.hotkey": {"confirm": {"phrase": "CONFIRM"}, "keys": ["enter"]},
        "desktop.abort": {"executionId": "x"},
        "desktop.confirm.issue": {"intent": {"method": "desktop.hotkey", "params": {"keys": ["enter"]}}},
    }
    for method, params in calls.items():
        error = await bridge.refused(method, **params)
        assert (error["code"], error["retryable"]) == ("DESKTOP_CALLER_NOT_ALLOWED", False)
    assert not (desk.workspace / "artifacts").exists()
    assert desk.desktop.sent == []


async def test_the_digest_identifies_one_process(bridge: Bridge) -> None:
    peer = (await bridge.call("desktop.health"))["peer"]
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()  # noqa: ASYNC240
    content = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]  # noqa: ASYNC240
    whole = sha256(f"{boot}\n{os.getpid()}\n{content}\n{os.getuid()}\n".encode()).hexdigest()
    assert peer == {"pid": os.getpid(), "auditTokenDigest": whole[:8]}


_ORPHAN = """
import os, socket, sys
wire = socket.socket(socket.AF_UNIX)
wire.connect(sys.argv[1])
answers = wire.makefile()
request = sys.argv[2].encode() + b"\\n"
wire.sendall(request)
answers.readline()
print(os.getpid(), flush=True)
if os.fork():
    os._exit(0)
os.read(0, 1)
wire.sendall(request)
print(answers.readline(), flush=True)
"""


async def test_a_pid_on_the_list_means_the_process_that_connected_for_as_long_as_it_lives(
    desk: DesktopRig, bridge: Bridge
) -> None:
    meta = bridge.meta()
    line = json.dumps({"jsonrpc": "2.0", "id": "o", "method": "desktop.health", "params": {"meta": meta}})
    command = [sys.executable, "-c", _ORPHAN, str(desk.socket), line]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
    assert child.stdout is not None
    assert child.stdin is not None
    pid = (await asyncio.to_thread(child.stdout.readline)).strip()
    await asyncio.to_thread(child.wait)
    allow(desk, {"callers": [f"pid:{pid}"]})
    child.stdin.write("x")
    child.stdin.flush()
    answer = json.loads(await asyncio.to_thread(child.stdout.readline))
    child.stdin.close()
    child.stdout.close()
    assert answer["error"]["code"] == "DESKTOP_CALLER_NOT_ALLOWED"
