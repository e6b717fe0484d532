"""Attempts to get out of a cage. Runs inside with only the standard library, so it imports nothing of ours.

Each function returns whether it got out, or raises OSError. Prints a JSON object with the result of each named one.
"""

import array
import ctypes
import errno
import fcntl
import json
import os
import pty
import re
import resource
import signal
import socket
import sys
from pathlib import Path
from typing import Any

OUTSIDE = json.loads(os.environ["OUTSIDE"])
SECRET = OUTSIDE["secret"]
HOME = Path(OUTSIDE["home"])
libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: Any) -> int:
    """Returns a system call's error number, 0 if it succeeded."""
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
    return set(os.listdir(HOME)) - {"shop", "shown"} != set()


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


def message_queues() -> bool:
    return bool(libc.mq_open(OUTSIDE["queue"].encode(), os.O_RDONLY) >= 0)


def packet_sockets() -> bool:
    return _socket_refusal(socket.AF_PACKET, socket.SOCK_RAW) != errno.EAFNOSUPPORT


def crypto_sockets() -> bool:
    return _socket_refusal(38, socket.SOCK_SEQPACKET) != errno.EAFNOSUPPORT


def _socket_refusal(family: int, kind: int) -> int | None:
    try:
        socket.socket(family, kind).close()
    except OSError as error:
        return error.errno
    return 0


def system_information() -> bool:
    return os.listdir("/sys") != []


def written_mount() -> bool:
    with open(OUTSIDE["shown"], "r+b"):
        return True


def signals() -> bool:
    os.kill(OUTSIDE["pid"], 0)
    return True


def helper() -> bool:
    """handrail's own process in the cage's network was started before this one."""
    for pid in range(2, os.getpid()):
        os.kill(pid, 0)
    return os.getpid() > 2


def environments_in_proc() -> bool:
    matches = [Path(f"/proc/{name}/environ") for name in os.listdir("/proc") if name.isdigit()]
    return any(b"PERSON=" in path.read_bytes() for path in matches if os.access(path, os.R_OK))


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
    """Without a filter, the kernel would report too many namespaces or invalid flags."""
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


def any_refused_call() -> bool:
    """Each call that the filter refuses for all arguments, and each kind of socket."""
    numbers = (103, 155, 165, 166, 248, 249, 250, 298, 304, 308, 321, 323, *range(425, 434), 435, 442)
    kinds = set(range(64)) - {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK}
    return any(call(number, -1, -1, -1, -1, -1) != errno.ENOSYS for number in numbers) or any(
        call(number, kind, socket.SOCK_RAW, 0, 0) != errno.EAFNOSUPPORT for kind in kinds for number in (41, 53)
    )


def calls_of_the_other_interface() -> bool:
    """The call numbers of x32, which many filters forget."""
    return any(call(0x40000000 | number, -1, -1, -1) != errno.ENOSYS for number in (165, 250, 272, 308, 321, 425))


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


def terminal_of_another() -> bool:
    descriptor = os.open(OUTSIDE["terminal"], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    return SECRET in os.read(descriptor, 100).decode()


def shared_files() -> bool:
    return reads(OUTSIDE["shared_file"])


def memory_of_another() -> bool:
    with open(f"/proc/{OUTSIDE['pid']}/mem", "rb"):
        return True


def descriptor_of_another() -> bool:
    return call(438, os.pidfd_open(OUTSIDE["pid"]), 0, 0) == 0


def limits_of_another() -> bool:
    resource.prlimit(OUTSIDE["pid"], resource.RLIMIT_CORE, (0, 0))
    return True


def file_handles() -> bool:
    return call(304, -100, None, 0) != errno.ENOSYS


def calls_newer_than_the_filter() -> bool:
    return call(469, -100, None, None, 0, 0) != errno.ENOSYS


def unix_datagram() -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as trying:
        return trying.sendto(b"hello", OUTSIDE["datagrams"]) > 0


def unix_datagram_of_a_pair() -> bool:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"hello", OUTSIDE["datagrams"]) > 0


def data_before_a_connection() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trying:
        return trying.sendto(b"hello", 0x20000000, ("127.0.0.1", OUTSIDE["tcp"])) > 0


def message_before_a_connection() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trying:
        return trying.sendmsg([b"hello"], [], 0x20000000, ("127.0.0.1", OUTSIDE["tcp"])) > 0


def multipath_tcp() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as trying:
        trying.connect(("127.0.0.1", OUTSIDE["tcp"]))
        return True


def multipath_tcp_over_ipv6() -> bool:
    return socket.socket(socket.AF_INET6, socket.SOCK_STREAM, 262).fileno() >= 0 and OUTSIDE["level"] == "narrow"


def other_machines() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trying:
        trying.setblocking(False)
        return trying.connect_ex(("192.0.2.1", 80)) == errno.EINPROGRESS


def loopback_in_other_spellings() -> bool:
    for family, host in (
        (socket.AF_INET, "0.0.0.0"),
        (socket.AF_INET, "127.9.9.9"),
        (socket.AF_INET6, "::ffff:127.0.0.1"),
        (socket.AF_INET6, "::1"),
        (socket.AF_INET6, "::"),
    ):
        try:
            if answers(family, (host, OUTSIDE["tcp"])):
                return True
        except OSError:
            continue
    return False


def _outside() -> bytes:
    return os.fsencode(OUTSIDE["shown"])


def mode_outside() -> bool:
    return call(90, _outside(), 0o666) == 0


def mode_of_a_descriptor() -> bool:
    return call(91, os.open(_outside(), os.O_RDONLY), 0o666) == 0


def mode_below_a_folder() -> bool:
    return call(268, -100, _outside(), 0o666) == 0


def mode_with_flags() -> bool:
    return call(452, -100, _outside(), 0o666, 0) == 0


def mode_through_a_link() -> bool:
    os.symlink(_outside(), b"to-outside")
    return call(90, b"to-outside", 0o666) == 0


def narrow_mode_of_the_keepers_descriptors() -> bool:
    return any(call(90, b"/proc/self/fd/%d" % number, 0o777) == 0 for number in range(3, 30))


def times_outside() -> bool:
    return call(132, _outside(), None) == 0


def exact_times_outside() -> bool:
    return call(235, _outside(), None) == 0


def times_below_a_folder() -> bool:
    return call(261, -100, _outside(), None) == 0


def most_exact_times_outside() -> bool:
    return call(280, -100, _outside(), None, 0) == 0


def times_of_a_descriptor() -> bool:
    return call(280, os.open(_outside(), os.O_RDONLY), None, None, 0) == 0


def owner_outside() -> bool:
    return call(92, _outside(), -1, os.getgid()) == 0


def attributes_outside() -> bool:
    return call(188, _outside(), b"user.mark", b"x", 1, 0) == 0


def watch_outside() -> bool:
    return bool(libc.inotify_add_watch(libc.inotify_init(), os.fsencode(HOME / ".ssh"), 0xFFF) >= 0)


def narrow_any_refused_call() -> bool:
    """Each additional call that the narrow cage refuses for all arguments, and each kind of socket."""
    return _let_through() != []


def _let_through() -> list[object]:
    no_call, no_permission, no_support = errno.ENOSYS, errno.EPERM, errno.EOPNOTSUPP
    answers = dict.fromkeys((29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240, 241, 300), no_call)
    answers |= dict.fromkeys((92, 93, 94, 260), no_permission)
    answers |= dict.fromkeys((188, 189, 190, 197, 198, 199, 463, 466), no_support)
    let_through: list[object] = [
        number for number, answer in answers.items() if call(number, -1, -1, -1, -1, -1, -1) != answer
    ]
    others = [(family, kind, 0) for family in (socket.AF_INET, socket.AF_INET6) for kind in (2, 3, 4, 5, 6, 10)]
    others += [(family, socket.SOCK_STREAM, 132) for family in (socket.AF_INET, socket.AF_INET6)]
    others += [(socket.AF_UNIX, kind, 0) for kind in (2, 3)] + [(socket.AF_NETLINK, socket.SOCK_RAW, 4)]
    let_through += [each for each in others if call(41, *each) != errno.EAFNOSUPPORT]
    early = ((44, -1, None, 0, 0x20000000), (46, -1, None, 0x20000000), (307, -1, None, 0, 0x20000000))
    let_through += [each for each in early if call(*each) != no_support]
    return let_through + [kind for kind in (2, 3) if call(53, socket.AF_UNIX, kind, 0, None) != errno.EAFNOSUPPORT]


def own_server_works() -> bool:
    """Also that programs inside can connect to each other by TCP and Unix sockets."""
    matches = []
    for family, address in ((socket.AF_INET, ("0.0.0.0", 0)), (socket.AF_INET6, ("::", 0)), (socket.AF_UNIX, "s.sock")):
        with socket.socket(family) as listening, socket.socket(family) as connecting:
            listening.bind(address)
            listening.listen()
            name = listening.getsockname()
            connecting.connect(
                ("127.0.0.1" if family == socket.AF_INET else "::ffff:127.0.0.1", name[1]) if len(name) < 5 else name
            )
            matches.append(listening.accept())
    return len(matches) == 3


def connections_work_while_signals_come() -> bool:
    """As in Go programs, which interrupt their own threads all the time."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, False)
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listening:
        port = listening.getsockname()[1]
        address = b"\2\0" + port.to_bytes(2, "big") + b"\x7f\0\0\1" + bytes(8)
        signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
        failures = []
        for _ in range(150):
            with socket.socket() as connecting:
                if libc.connect(connecting.fileno(), address, len(address)) != 0:
                    failures.append(ctypes.get_errno())
        signal.setitimer(signal.ITIMER_REAL, 0)
    return failures == []


def own_files_work() -> bool:
    """Modes, times and watches of the agent's own files."""
    for number, path in enumerate(("own", "own-folder/own")):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        Path(path).write_text("x")
        os.chmod(path, 0o755)
        os.utime(path, (number, 7))
    folder = os.open("own-folder", os.O_RDONLY)
    os.chmod("own", 0o700, dir_fd=folder)
    os.utime("own", ns=(5, 6), dir_fd=folder)
    os.fchmod(os.open("own", os.O_RDONLY), 0o711)
    watched = libc.inotify_add_watch(libc.inotify_init(), b"own-folder", 0xFFF)
    status = os.stat("own-folder/own")
    return (status.st_mode & 0o777, status.st_mtime_ns, os.stat("own").st_mode & 0o777, watched) == (0o700, 6, 0o711, 1)


def own_proc_works() -> bool:
    return os.path.exists("/proc/self/exe")


def own_dev_works() -> bool:
    return Path("/dev/null").write_text("x") == 1


def own_tmp_works() -> bool:
    return Path("/tmp/x").write_text("x") == 1


def project_itself() -> bool:
    """Whether this changed the person's own file is checked outside."""
    Path("README.md").write_text("changed inside\n")
    return False


def narrow_listens_on_all_addresses() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("0.0.0.0", 0))
        listening.listen()
        return bool(listening.getsockname()[0] == "0.0.0.0")


def narrow_listens_without_binding() -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.listen()
        return bool(listening.getsockname()[0] == "0.0.0.0")


def narrow_message_queues() -> bool:
    return call(240, b"queue", os.O_CREAT | os.O_RDWR, 0o600, None) != errno.ENOSYS


def narrow_sockets_of_others() -> bool:
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4).fileno() >= 0


def narrow_watches_of_file_systems() -> bool:
    return call(300, 0, 0) != errno.ENOSYS


def narrow_priorities() -> bool:
    return call(141, 2, 0, 19) == 0


def narrow_disk_priorities() -> bool:
    """Of all programs of this user."""
    return call(251, 3, os.getuid(), 2 << 13 | 7) == 0


def flags_outside() -> bool:
    """As `chattr` does, and for whole file systems the newer call; reading a file is enough for both."""
    with open(_outside(), "rb") as file:
        number, flags = file.fileno(), array.array("L", [0])
        fcntl.ioctl(number, 0x80086601, flags)
        old = flags[0]
        try:
            fcntl.ioctl(number, 0x40086602, array.array("L", [old ^ 0x40]))
        except OSError:
            extended = bytearray(28)
            fcntl.ioctl(number, 0x801C581F, extended)
            fcntl.ioctl(number, 0x401C5820, extended)
        return True


def main(names: list[str]) -> None:
    matches: dict[str, bool] = {}
    for name in names:
        try:
            matches[name] = bool(globals()[name]())
        except OSError:
            matches[name] = False
    print(json.dumps(matches))


main(sys.argv[1:])
