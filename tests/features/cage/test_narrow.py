"""The narrow cage, for machines without user namespaces: what it keeps in, and what each part of it is for."""

import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from handrail.features.cage.narrow.notifications import (
    load_filter,
    receive_listener,
    receive_notification,
    respond,
    send_listener,
)
from handrail.features.cage.narrow.rules import LANDLOCK_PARTS, NARROW_REFUSED_CALLS, SUPERVISED_CALLS
from handrail.features.cage.session import list_cages
from handrail.features.cage.syscalls import REFUSED_CALLS, REFUSED_SOCKETS, filter_program
from tests.features.cage.plain_user import HANDRAIL, SECRET, UID, PlainUser, plain_user
from tests.features.cage.test_escapes import ATTEMPTS, NAMES, tried
from tests.waiting import until

SEEN = {"interfaces", "processes_in_proc", "host_name", "control_group", "temporary_files"}
"""What can't be hidden without namespaces, as docs/cage.md explains."""
NARROW_ATTEMPTS = [name for name in NAMES if name.startswith("narrow_")]

# Parts of the narrow cage, and the attempt that succeeds without each.
PARTS = {
    "files": "ssh_keys",
    "signals": "signals",
    "IPv4 other than TCP": "loopback_udp",
    "IPv6 other than TCP": "multipath_tcp_over_ipv6",
    "Unix datagrams": "unix_datagram",
    "netlink other than routes": "narrow_sockets_of_others",
    "shared memory of other programs": "shared_memory",
    "owners of files": "owner_outside",
    "attributes of files": "attributes_outside",
    "flags of files": "flags_outside",
    "watch whole file systems": "narrow_watches_of_file_systems",
    "limits of other programs": "limits_of_another",
    "priorities of other programs": "narrow_priorities",
    "disk priorities of other programs": "narrow_disk_priorities",
    "data before a connection": "data_before_a_connection",
    "connect": "bus_socket",
    "listen": "narrow_listens_without_binding",
    "chmod": "mode_outside",
    "fchmod": "mode_of_a_descriptor",
    "fchmodat": "mode_below_a_folder",
    "fchmodat2": "mode_with_flags",
    "utime": "times_outside",
    "utimes": "exact_times_outside",
    "futimesat": "times_below_a_folder",
    "utimensat": "most_exact_times_outside",
    "inotify_add_watch": "watch_outside",
}
TWICE = {
    ("TCP", "connect"): "loopback_tcp",
    ("abstract sockets", "connect"): "abstract_socket",
}
"""Kept in by both parts: only without both does the attempt succeed."""
SIGNALS = "connections_work_while_signals_come"
BARRED = [sys.executable, "-m", "tests.features.cage.barred", str(HANDRAIL)]


@pytest.fixture(scope="module")
def user() -> Iterator[PlainUser]:
    with plain_user() as plain:
        yield plain


@pytest.fixture(scope="module")
def caged(user: PlainUser) -> dict[str, Any]:
    return tried(user, [*ATTEMPTS, *NARROW_ATTEMPTS, "own_server_works", "own_files_work", SIGNALS], level="narrow")


def test_an_agent_does_not_get_out(caged: dict[str, Any]) -> None:
    assert {name for name in (*ATTEMPTS, *NARROW_ATTEMPTS) if caged[name]} == SEEN
    assert (caged["heard"], caged["readme"]) == ([], "# Shop\n")


def test_programs_work_normally_inside(caged: dict[str, Any]) -> None:
    assert caged["own_server_works"]
    assert caged["own_files_work"]
    assert caged[SIGNALS]


def test_without_these_parts_the_agent_gets_out(user: PlainUser) -> None:
    """All at once, because each attempt needs only one part to be missing."""
    (user.home / "shown/file").chmod(0o644)
    matches = tried(user, list(PARTS.values()), list(PARTS), level="narrow")
    assert {name for name in PARTS.values() if not matches[name]} == set()


@pytest.mark.trial("cage", is_long=True)
@pytest.mark.parametrize(("parts", "attempt"), TWICE.items(), ids=lambda value: str(value))
def test_without_both_parts_the_agent_gets_out(user: PlainUser, parts: tuple[str, str], attempt: str) -> None:
    for part in parts:
        assert not tried(user, [attempt], [part], level="narrow")[attempt]
    assert tried(user, [attempt], parts, level="narrow")[attempt]


def test_without_the_supervisors_bind_no_server_works(user: PlainUser) -> None:
    assert not tried(user, ["own_server_works"], ["bind"], level="narrow")["own_server_works"]


def test_every_part_has_an_attempt_that_it_stops() -> None:
    shared = {one.name for one in (*REFUSED_CALLS, *REFUSED_SOCKETS)}
    names = {one.name for one in LANDLOCK_PARTS} | {one.name for one in NARROW_REFUSED_CALLS} | set(SUPERVISED_CALLS)
    twice = {part for parts in TWICE for part in parts}
    assert names - shared - PARTS.keys() - twice == {"bind"}


@pytest.mark.trial("cage", is_long=True)
def test_without_namespaces_the_cage_is_reported_as_narrow_and_changes_wait_for_review(user: PlainUser) -> None:
    script = (
        "echo changed > README.md; echo new > made.txt; git init -q; git add made.txt; git commit -qm first;"
        "git log -1 --format='%an <%ae>'; cat ../../../../../../.ssh/id_ed25519;"
        f"ls -A {user.home}; cat {user.project}/README.md; curl -sS http://127.0.0.1:6007/; exit 7"
    )
    result = user.run([*BARRED, "run", "--", "bash", "-c", script])
    out, err = result.stdout.decode(), result.stderr.decode()
    assert (result.returncode, out.splitlines()[0]) == (7, "Ann <ann@example.org>"), err
    assert SECRET not in out
    assert "# Shop" not in out, "the project itself is out of reach"
    assert "There is nothing here" in out, f"handrail did not answer inside: {err}"
    assert err.splitlines()[0].startswith("handrail: cage narrow, because unshare: Operation not permitted · bash in ")
    assert (user.project / "README.md").read_text() == "# Shop\n"
    folder, session = list_cages(user.state)[-1]
    assert (session.project, session.level, session.exit_code) == (str(user.project), "narrow", 7)
    listing = json.loads(user.handrail("review", folder.path.name, "--json").stdout)
    assert [(each["path"], each["status"]) for each in listing["items"]] == [
        ("README.md", "modified"), ("made.txt", "added")
    ]  # fmt: skip
    commits = json.loads(user.handrail("review", folder.path.name, "--commits", "--json").stdout)
    assert [each["subject"] for each in commits["commits"]] == []  # the project has no repository


@pytest.mark.trial("cage", is_long=True)
def test_doctor_says_narrow(user: PlainUser) -> None:
    output = json.loads(user.run([*BARRED, "doctor", "--json"]).stdout)
    (cage,) = [each for each in output["checks"] if each["name"] == "cage"]
    assert cage["detail"].startswith("narrow: Landlock and seccomp on a copy, because the kernel refused")


@pytest.mark.trial("cage", is_long=True)
def test_where_no_cage_can_be_made_an_agent_runs_only_if_a_person_insists(user: PlainUser) -> None:
    none = [*BARRED[:-1], "--no-landlock", str(HANDRAIL)]
    marker = user.home / "marked"
    command = ["--", "bash", "-c", f"touch {marker}; exit 7"]
    refusal = user.run([*none, "run", *command])
    assert (refusal.returncode, marker.exists()) == (1, False)
    assert "No cage can be made here" in refusal.stderr.decode()
    assert "--uncaged" in refusal.stderr.decode()
    (check,) = [
        each for each in json.loads(user.run([*none, "doctor", "--json"]).stdout)["checks"] if each["name"] == "cage"
    ]
    assert (check["ok"], check["detail"].startswith("none: ")) == (False, True)
    unseen = user.run([*none, "run", "--uncaged", *command])
    assert "needs proof that a person is present" in unseen.stderr.decode()
    assert (unseen.returncode == 0, marker.exists()) == (False, False)
    config = user.state / "config.toml"
    config.write_text('presence = "never"\n')
    give(config)
    insisted = user.run([*none, "run", "--uncaged", *command])
    assert (insisted.returncode, marker.exists()) == (7, True)
    assert insisted.stderr.decode().startswith("handrail: cage none · bash in ")
    assert "NOTHING IS CONFINED" in insisted.stderr.decode()
    needless = user.handrail("run", "--uncaged", *command)
    assert "A cage can be made here (full)" in needless.stderr.decode()


@pytest.mark.trial("cage", is_long=True)
def test_everything_in_a_narrow_cage_ends_with_the_agent_and_with_the_launcher(user: PlainUser) -> None:
    mark = f"87654.{os.getpid()}"
    assert user.run([*BARRED, "run", "--", "bash", "-c", f"setsid sleep {mark} & sleep 0.2"]).returncode == 0
    assert _running(mark) == []
    script = f"setsid sleep {mark} & sleep {mark}"
    with user.start([*BARRED, "run", "--", "bash", "-c", script], stderr=subprocess.PIPE) as process:
        until(lambda: len([pid for pid in _running(mark) if _command(pid).startswith(b"sleep")]) == 2, "the agent")
        launcher = min(pid for pid in _running(mark) if b"handrail" in _command(pid))
        os.kill(launcher, signal.SIGKILL)
        until(lambda: not _running(mark), lambda: [_command(pid) for pid in _running(mark)])
        process.wait()


def test_the_supervisor_ignores_a_process_that_reuses_the_pid_of_an_ended_one() -> None:
    """A filter that hands `chmod` to a listener; the caller is killed while its call waits."""
    line, childs = socket.socketpair()
    caller = os.fork()
    if caller == 0:
        try:
            ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # no new privileges
            send_listener(childs, load_filter(filter_program((), supervised=["chmod"])))
            os.chmod("/nowhere", 0o700)
        finally:
            os._exit(0)
    _, listener = receive_listener(line)
    assert listener is not None
    notification = receive_notification(listener)
    assert notification is not None
    assert notification.path(notification.arguments[0]) == b"/nowhere"
    os.kill(caller, signal.SIGKILL)
    os.waitpid(caller, 0)
    buffer = ctypes.create_string_buffer(b"of another program")
    other = notification._replace(thread=os.getpid())
    reads: list[Callable[[], object]] = [
        lambda: other.memory(ctypes.addressof(buffer), 8), lambda: other.descriptor(0), other.folder
    ]  # fmt: skip
    for read in reads:
        with pytest.raises(OSError):
            read()
    for descriptor in (line, childs):
        descriptor.close()
    os.close(listener)


def test_a_call_is_answered_even_if_a_signal_interrupts_the_supervisor(monkeypatch: pytest.MonkeyPatch) -> None:
    line, childs = socket.socketpair()
    caller = os.fork()
    if caller == 0:
        try:
            ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # no new privileges
            send_listener(childs, load_filter(filter_program((), supervised=["chmod"])))
            os.chmod("/nowhere", 0o700)
        except OSError as error:
            os._exit(error.errno or 0)
        finally:
            os._exit(0)
    _, listener = receive_listener(line)
    assert listener is not None
    notification = receive_notification(listener)
    assert notification is not None
    signals, control = [1, 1], fcntl.ioctl

    def interrupted(*arguments: Any) -> Any:
        if signals:
            signals.pop()
            raise InterruptedError
        return control(*arguments)

    monkeypatch.setattr(fcntl, "ioctl", interrupted)
    try:
        respond(notification, -1, errno.EROFS)
        status = until(lambda: os.waitpid(caller, os.WNOHANG)[1], "the call to be answered")
        assert (os.waitstatus_to_exitcode(status), signals) == (errno.EROFS, [])
    finally:
        with suppress(ProcessLookupError):
            os.kill(caller, signal.SIGKILL)
        for descriptor in (line, childs):
            descriptor.close()
        os.close(listener)


def give(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, UID, UID)


def _running(mark: str) -> list[int]:
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if mark.encode() in _command(pid)]


def _command(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""
