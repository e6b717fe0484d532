"""The kernel calls of the launcher's child before it becomes bubblewrap: namespaces, overlay, the endpoint's socket.

Runs between fork and exec, so it starts no thread and closes whatever it opens.
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

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x8, 0x4000, 0x40000
_SIOCSIFFLAGS, _IFF_UP_RUNNING = 0x8914, 0x41
_PR_SET_PDEATHSIG = 1
_SIGKILL = 9

_libc = ctypes.CDLL(None, use_errno=True)


def enter_namespaces(*, has_network: bool) -> None:
    """Enters new user (ids mapped to themselves), mount and, for children, process namespaces. OSError.

    Ids stay the same because git compares each file's owner with its index.
    """
    uid, gid = os.geteuid(), os.getegid()
    _call("unshare", NEW_USER | NEW_MOUNTS | NEW_PROCESSES | (0 if has_network else NEW_NETWORK))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    _call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    if not has_network:
        _raise_loopback()


def mount_overlay(project: str, expected_inode: tuple[int, int], upper: str, work: str) -> None:
    """Mounts over `project` if it still has the device and inode that the launcher saw. OSError."""
    folder = os.open(project, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(folder)
        if (status.st_dev, status.st_ino) != expected_inode:
            raise OSError(errno.ESTALE, f"{project} was replaced in the meantime")
        target = f"/proc/self/fd/{folder}"
        options = f"lowerdir={target},upperdir={_escaped(upper)},workdir={_escaped(work)},userxattr"
        _call("mount", b"overlay", target.encode(), b"overlay", _MS_NOSUID | _MS_NODEV, os.fsencode(options))
    finally:
        os.close(folder)


def mount_own_proc() -> None:
    """Shows this namespace's processes in /proc, where bubblewrap looks its child up by its id. OSError."""
    _call("mount", b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, None)


def listen_inside(port: int) -> socket.socket:
    """Listens on loopback in this process's network namespace."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(256)
    return listening


def send_socket(channel: socket.socket, message: bytes, attachment: socket.socket | None = None) -> None:
    rights = (
        [] if attachment is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [attachment.fileno()]))]
    )
    channel.sendmsg([message], rights)


def receive_socket(channel: socket.socket) -> tuple[bytes, socket.socket | None]:
    """Blocks. An empty message means that the other side has closed the channel."""
    message, rights, _, _ = channel.recvmsg(4096, socket.CMSG_SPACE(4))
    for level, kind, data in rights:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            return message, socket.socket(fileno=array.array("i", data[:4])[0])
    return message, None


def end_with_parent(parent: int) -> None:
    """Ends this process when its parent is killed."""
    _call("prctl", _PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def end_with_starter(alive: int) -> None:
    """Does the same across process namespaces, where the parent has no id: only it has `alive`'s other end."""
    _call("prctl", _PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    poll = select.poll()
    poll.register(alive, 0)
    if poll.poll(0):
        os._exit(1)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP_RUNNING))


def _escaped(path: str) -> str:
    """Escapes a path for overlayfs options."""
    return path.replace("\\", "\\\\").replace(",", "\\,").replace(":", "\\:")


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
