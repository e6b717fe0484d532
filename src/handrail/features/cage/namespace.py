"""What the launcher's child does before it becomes bubblewrap: its namespaces, the overlay, the endpoint's socket.

Runs between fork and exec, so it starts no thread and opens nothing that it doesn't close.
"""

import array
import ctypes
import errno
import fcntl
import os
import select
import socket
import struct

NEW_USER = 0x10000000
NEW_MOUNTS = 0x00020000
NEW_NETWORK = 0x40000000
NEW_PROCESSES = 0x20000000

_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000
_SIOCSIFFLAGS, _IFF_UP_RUNNING = 0x8914, 0x41
_PR_SET_PDEATHSIG = 1
_SIGKILL = 9

_libc = ctypes.CDLL(None, use_errno=True)


def enter_namespaces(*, has_network: bool) -> None:
    """New ones of users, with our own ids mapped to themselves, of mounts and, for children, of processes. OSError.

    Ids stay as they are because git compares the owner of each file with what its index says.
    """
    uid, gid = os.geteuid(), os.getegid()
    _call("unshare", NEW_USER | NEW_MOUNTS | NEW_PROCESSES | (0 if has_network else NEW_NETWORK))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    _call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    if not has_network:
        _raise_loopback()


def mount_overlay(project: str, seen: tuple[int, int], upper: str, work: str) -> None:
    """Over the folder `project`, as long as it is the one whose device and inode the launcher has seen. OSError."""
    folder = os.open(project, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(folder)
        if (status.st_dev, status.st_ino) != seen:
            raise OSError(errno.ESTALE, f"{project} was replaced meanwhile")
        target = f"/proc/self/fd/{folder}"
        options = f"lowerdir={target},upperdir={_escaped(upper)},workdir={_escaped(work)},userxattr"
        _call("mount", b"overlay", target.encode(), b"overlay", _MS_NOSUID | _MS_NODEV, os.fsencode(options))
    finally:
        os.close(folder)


def listen_inside(port: int) -> socket.socket:
    """On loopback, in the namespace that we are in."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(256)
    return listening


def send_socket(line: socket.socket, message: bytes, passed: socket.socket | None = None) -> None:
    rights = [] if passed is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [passed.fileno()]))]
    line.sendmsg([message], rights)


def receive_socket(line: socket.socket) -> tuple[bytes, socket.socket | None]:
    """Blocks. An empty message is the end of the line."""
    message, rights, _, _ = line.recvmsg(4096, socket.CMSG_SPACE(4))
    for level, kind, data in rights:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            return message, socket.socket(fileno=array.array("i", data[:4])[0])
    return message, None


def end_with_parent(parent: int) -> None:
    """A launcher that is killed leaves nothing behind."""
    _call("prctl", _PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def end_with_starter(alive: int) -> None:
    """The same across process namespaces, where a parent has no number: the other end of `alive` is only its own."""
    _call("prctl", _PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    looked = select.poll()
    looked.register(alive, 0)
    if looked.poll(0):
        os._exit(1)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP_RUNNING))


def _escaped(path: str) -> str:
    """As overlayfs reads its options."""
    return path.replace("\\", "\\\\").replace(",", "\\,").replace(":", "\\:")


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
