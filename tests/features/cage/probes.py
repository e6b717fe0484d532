"""Attempts to get out of a cage. Runs inside it with the standard library alone, so it imports nothing of ours.

Each function returns whether it got out, or raises OSError. Prints a JSON object: what each of the named ones found.
"""

import ctypes
import errno
import fcntl
import json
import os
import pty
import re
import socket
import sys
from pathlib import Path
from typing import Any

OUTSIDE = json.loads(os.environ["OUTSIDE"])
SECRET = OUTSIDE["secret"]
HOME = Path(OUTSIDE["home"])
libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: Any) -> int:
    """A system call's error, 0 where it worked."""
    return 0 if libc.syscall(number, *arguments) >= 0 else ctypes.get_errno()


def reads(path: Path) -> bool:
    return SECRET in Path(path).read_text(errors="replace")


def answers(family: socket.AddressFamily, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as trying:
        trying.settimeout(3)
        trying.connect(address)
        return SECRET in trying.recv(100).decode()


def descriptors() -> bool:
    return {int(name) for name in os.listdir("/proc/self/fd")} - {0, 1, 2, 3} != set()


def state_files() -> bool:
    return reads(HOME / ".local/state/handrail/console.key")


def ssh_keys() -> bool:
    return reads(HOME / ".ssh/id_ed25519")


def home_listing() -> bool:
    return set(os.listdir(HOME)) - {"shop"} != set()


def git_configuration() -> bool:
    return any(reads(path) for path in (HOME / ".gitconfig", Path("/etc/gitconfig"), Path.home() / ".gitconfig"))


def environment() -> bool:
    return SECRET in (value for name, value in os.environ.items() if name != "OUTSIDE")


def bus_socket() -> bool:
    return answers(socket.AF_UNIX, OUTSIDE["bus"])


def socket_in_the_project() -> bool:
    return answers(socket.AF_UNIX, OUTSIDE["project_socket"])


def pipe_in_the_project() -> bool:
    descriptor = os.open(OUTSIDE["project_pipe"], os.O_WRONLY | os.O_NONBLOCK)
    return os.write(descriptor, b"hello") > 0


def overlay_attributes() -> bool:
    os.mkdir("led-elsewhere")
    os.setxattr("led-elsewhere", "user.overlay.redirect", b"/.ssh")
    return bool(os.getxattr("led-elsewhere", "user.overlay.redirect") and os.listdir("led-elsewhere"))


def evidence() -> bool:
    return reads(Path(".handrail/artifacts/kept"))


def display_socket() -> bool:
    return answers(socket.AF_UNIX, OUTSIDE["display"])


def abstract_socket() -> bool:
    return answers(socket.AF_UNIX, "\0" + OUTSIDE["abstract"])


def loopback_tcp() -> bool:
    return answers(socket.AF_INET, ("127.0.0.1", OUTSIDE["tcp"]))


def loopback_udp() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trying:
        trying.settimeout(1)
        trying.connect(("127.0.0.1", OUTSIDE["udp"]))
        trying.send(b"hello")
        return SECRET in trying.recv(100).decode()


def interfaces() -> bool:
    return [name for _, name in socket.if_nameindex() if name != "lo"] != []


def vsock() -> bool:
    return call(41, 40, socket.SOCK_STREAM, 0) not in (errno.EAFNOSUPPORT,)


def shared_memory() -> bool:
    return bool(libc.shmget(OUTSIDE["shm"], 4096, 0o600) >= 0)


def signals() -> bool:
    os.kill(OUTSIDE["pid"], 0)
    return True


def helper() -> bool:
    """Handrail's own process in the cage's network was there before this one."""
    for pid in range(2, os.getpid()):
        os.kill(pid, 0)
    return os.getpid() > 2


def environments_in_proc() -> bool:
    found = [Path(f"/proc/{name}/environ") for name in os.listdir("/proc") if name.isdigit()]
    return any(b"PERSON=" in path.read_bytes() for path in found if os.access(path, os.R_OK))


def processes_in_proc() -> bool:
    return len([name for name in os.listdir("/proc") if name.isdigit()]) > 6


def ptrace() -> bool:
    return bool(libc.ptrace(16, OUTSIDE["pid"], 0, 0) == 0)


def writable_proc() -> bool:
    names = ("sys/kernel/core_pattern", "sysrq-trigger", "sys/kernel/modprobe", "sys/vm/drop_caches")
    return any(os.access(f"/proc/{name}", os.W_OK) for name in names)


def unshared_user_namespace() -> bool:
    return call(272, 0x10000000) == 0


def is_unshare_refused_early() -> bool:
    """Without a filter the kernel would say that there are too many, or that the flags don't fit."""
    return call(272, 0x10000000 | 0x00010000) != errno.EPERM


def cloned_user_namespace() -> bool:
    return call(56, 0x10000000 | 0x00000100, 0, 0, 0, 0) != errno.EPERM


def clone3() -> bool:
    return call(435, 0, 0) != errno.ENOSYS


def mount() -> bool:
    return call(165, b"none", b"/tmp", b"tmpfs", 0, None) != errno.ENOSYS


def new_mount_api() -> bool:
    return call(430, b"tmpfs", 0) != errno.ENOSYS


def setns() -> bool:
    return call(308, -1, 0) != errno.ENOSYS


def kernel_keys() -> bool:
    return call(250, 0, -3, 1) != errno.ENOSYS


def bpf() -> bool:
    return call(321, 0, 0, 0) != errno.ENOSYS


def performance_events() -> bool:
    return call(298, 0, 0, -1, -1, 0) != errno.ENOSYS


def page_faults() -> bool:
    return call(323, 0) != errno.ENOSYS


def io_uring() -> bool:
    return call(425, 1, 0) != errno.ENOSYS


def kernel_log() -> bool:
    return call(103, 10, None, 0) != errno.ENOSYS


def tiocsti() -> bool:
    _, slave = pty.openpty()
    return _refusal(slave, 0x5412) != errno.ENOSYS


def tioclinux() -> bool:
    _, slave = pty.openpty()
    return _refusal(slave, 0x541C) != errno.ENOSYS


def _refusal(terminal: int, request: int) -> int | None:
    try:
        fcntl.ioctl(terminal, request, b"x")
    except OSError as error:
        return error.errno
    return 0


def controlling_terminal() -> bool:
    os.open("/dev/tty", os.O_RDWR)
    return True


def capabilities() -> bool:
    return re.search(r"CapEff:\t0*[1-9a-f]", Path("/proc/self/status").read_text()) is not None


def new_privileges() -> bool:
    return "NoNewPrivs:\t1" not in Path("/proc/self/status").read_text()


def device_nodes() -> bool:
    os.mknod("/tmp/disk", 0o60600, os.makedev(254, 0))
    return True


def devices() -> bool:
    usual = {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout"}
    return set(os.listdir("/dev")) - usual - {"tty", "urandom", "zero"} != set()


def host_name() -> bool:
    return bool(socket.gethostname() == OUTSIDE["hostname"])


def control_group() -> bool:
    return any(line.split(":", 2)[2] != "/" for line in Path("/proc/self/cgroup").read_text().splitlines())


def temporary_files() -> bool:
    return os.path.exists(OUTSIDE["display"])


def writable_root() -> bool:
    for folder in ("/", "/etc", "/usr", "/opt", "/home"):
        try:
            Path(folder, "written").write_text("x")
        except OSError:
            continue
        return True
    return False


def first_process_root() -> bool:
    return os.path.exists(f"/proc/1/root{HOME}/.ssh")


def own_proc_works() -> bool:
    return os.path.exists("/proc/self/exe")


def own_dev_works() -> bool:
    return Path("/dev/null").write_text("x") == 1


def own_tmp_works() -> bool:
    return Path("/tmp/x").write_text("x") == 1


def project_itself() -> bool:
    """Whether this reached the person's own file is seen outside."""
    Path("README.md").write_text("changed inside\n")
    return False


def main(names: list[str]) -> None:
    found: dict[str, bool] = {}
    for name in names:
        try:
            found[name] = bool(globals()[name]())
        except OSError:
            found[name] = False
    print(json.dumps(found))


main(sys.argv[1:])
