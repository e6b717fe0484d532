"""Nothing gets out of the cage, and each part of it is needed: without it, an attempt succeeds."""

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from handrail.features.cage.spec import FLAGS, READ_ONLY_ROOT
from handrail.features.cage.syscalls import REFUSED_CALLS
from tests.features.cage.plain_user import PYTHON, PlainUser, plain_user

PROBES = Path(__file__).with_name("probes.py").read_text(encoding="utf-8")
WORKING = {"own /proc": "own_proc_works", "own /dev": "own_dev_works", "own /tmp": "own_tmp_works"}
"""Parts that provide what the otherwise empty root lacks."""
NAMES: list[str] = re.findall(r"^def ([a-z]\w+)\(\) -> bool:", PROBES, re.MULTILINE)
ATTEMPTS = [
    name for name in NAMES if not name.endswith(("_works", "_work", "_come")) and not name.startswith("narrow_")
]

# Parts of the cage, and the attempt that succeeds if only that part is missing.
PARTS = {
    "processes": "helper",
    "shared memory": "shared_memory",
    "host name": "host_name",
    "control groups": "control_group",
    "read-only root": "writable_root",
    "network": "loopback_tcp",
    "empty root": "ssh_keys",
    "environment": "environment",
    "type into a terminal": "tiocsti",
    "use the console's selection": "tioclinux",
    "use kernel keys": "kernel_keys",
    "load programs into the kernel": "bpf",
    "watch performance events": "performance_events",
    "handle page faults": "page_faults",
    "use io_uring": "io_uring",
    "read the kernel's log": "kernel_log",
    "mount": "mount",
    "join a namespace": "setns",
    "open files by handle": "file_handles",
    "make a user namespace": "is_unshare_refused_early",
    "start in a user namespace": "cloned_user_namespace",
    "start by clone3": "clone3",
    "open sockets of kind 17": "packet_sockets",
    "open sockets of kind 40": "vsock",
    "calls that are newer": "calls_newer_than_the_filter",
    "read-only mounts": "written_mount",
    "hidden folders": "evidence",
    "closed descriptors": "descriptors",
}
ROOTS_PARTS = {"no capabilities": "capabilities", "read-only kernel settings": "writable_proc"}
"""For a cage started by root: other users couldn't do more without these parts."""
TESTED_BELOW = {"no nested namespaces", "ends with the launcher"}


@pytest.fixture(scope="module")
def user() -> Iterator[PlainUser]:
    with plain_user() as plain:
        yield plain


@pytest.fixture(scope="module")
def caged(user: PlainUser) -> dict[str, Any]:
    return tried(user, ATTEMPTS)


def tried(user: PlainUser, probes: Sequence[str], without: Sequence[str] = (), level: str = "full") -> dict[str, Any]:
    readable = [str(user.home / "shown"), *([] if sys.base_prefix.startswith("/usr") else [sys.base_prefix])]
    command = [PYTHON, "-I", "-S", "-c", PROBES, *probes]
    matches = user.driven({"command": command, "mounts": readable, "without": list(without), "level": level})
    assert matches["code"] == 0, matches
    return {**json.loads(matches["said"]), "readme": matches["readme"], "heard": matches["heard"]}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_an_agent_does_not_get_out(caged: dict[str, Any], attempt: str) -> None:
    assert not caged[attempt]


def test_nothing_outside_has_heard_of_the_agent_and_the_project_is_as_it_was(caged: dict[str, Any]) -> None:
    assert (caged["heard"], caged["readme"]) == ([], "# Shop\n")


@pytest.mark.trial("cage", is_long=True)
@pytest.mark.parametrize(("part", "attempt"), [*PARTS.items(), ("shared memory", "message_queues")])
def test_without_this_part_the_agent_gets_out(user: PlainUser, part: str, attempt: str) -> None:
    assert tried(user, [attempt], [part])[attempt]


@pytest.mark.trial("cage", is_long=True)
@pytest.mark.parametrize(("part", "probe"), WORKING.items())
def test_without_this_part_programs_fail(user: PlainUser, part: str, probe: str) -> None:
    assert tried(user, [probe])[probe]
    assert not tried(user, [probe], [part])[probe]


def test_without_the_overlay_the_project_itself_is_written(user: PlainUser) -> None:
    try:
        assert tried(user, ["project_itself"], ["overlay"])["readme"] == "changed inside\n"
    finally:
        (user.project / "README.md").write_text("# Shop\n")


@pytest.mark.parametrize("probe", ["own_server_works", "own_files_work", "connections_work_while_signals_come"])
def test_programs_work_normally_inside(user: PlainUser, probe: str) -> None:
    assert tried(user, [probe])[probe]


@pytest.fixture(scope="module")
def root() -> Iterator[PlainUser]:
    with plain_user(as_root=True) as plain:
        yield plain


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start it as root")
def test_roots_agent_does_not_get_out_either(root: PlainUser) -> None:
    result = tried(root, ATTEMPTS)
    assert {name for name in ATTEMPTS if result[name]} == set()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start it as root")
@pytest.mark.parametrize(("part", "attempt"), ROOTS_PARTS.items())
def test_without_this_part_roots_agent_gets_out(root: PlainUser, part: str, attempt: str) -> None:
    assert tried(root, [attempt], [part])[attempt]


def test_user_namespaces_are_barred_twice(user: PlainUser) -> None:
    """By the system call filter, and by the namespace itself."""
    attempt = "unshared_user_namespace"
    assert not tried(user, [attempt], ["make a user namespace"])[attempt]
    assert tried(user, [attempt], ["make a user namespace", "no nested namespaces"])[attempt]


def test_every_part_of_the_cage_has_an_attempt_that_it_stops() -> None:
    names = {flag.name for flag in (*FLAGS, READ_ONLY_ROOT)} | {one.name for one in REFUSED_CALLS}
    assert names - PARTS.keys() - WORKING.keys() - ROOTS_PARTS.keys() == TESTED_BELOW
