"""System calls that wait for an answer: the kernel notifies a listener and returns the listener's answer.

Arguments are only numbers. What they point to is read from the caller's memory once and used as it was read.
"""

import array
import ctypes
import errno
import fcntl
import os
import select
import socket
import struct
from typing import NamedTuple

_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_FILTER, _NEW_LISTENER, _WAIT_KILLABLE = 1, 1 << 3, 1 << 5
_RECEIVE, _SEND, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
_NOTIFICATION = struct.Struct("QII iI Q 6Q")
_RESPONSE = struct.Struct("QqiI")
_PIDFD_GETFD = 438
_LONGEST_PATH = 4096

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


class Notification(NamedTuple):
    """A system call of a thread inside that waits for an answer.

    Files opened by the thread's number are used only if the thread still waits after opening: otherwise it may have
    ended, and another program may have its number.
    """

    listener: int
    id: int
    thread: int
    number: int
    arguments: tuple[int, ...]

    def memory(self, address: int, size: int) -> bytes:
        """Returns up to `size` bytes. OSError."""
        with open(f"/proc/{self.thread}/mem", "rb", buffering=0) as memory:
            self.check_waiting()
            memory.seek(address)
            return memory.read(size) or b""

    def path(self, address: int) -> bytes:
        """OSError."""
        to_page_end = 4096 - address % 4096
        data = self.memory(address, to_page_end)
        if b"\0" not in data:
            data += self.memory(address + to_page_end, _LONGEST_PATH)
        text, end, _ = data.partition(b"\0")
        if not end or len(text) >= _LONGEST_PATH:
            raise OSError(36, "the path is too long")
        return text

    def descriptor(self, number: int) -> int:
        """Returns a copy of the caller's descriptor, which we have to close. OSError."""
        process = os.pidfd_open(self._process())
        try:
            self.check_waiting()
            copy = int(_libc.syscall(_PIDFD_GETFD, process, ctypes.c_int(number), 0))
        finally:
            os.close(process)
        if copy < 0:
            raise OSError(ctypes.get_errno(), "the descriptor can't be copied")
        os.set_inheritable(copy, False)
        return copy

    def folder(self) -> int:
        """Returns a descriptor of its working folder, which we have to close. OSError."""
        descriptor = os.open(f"/proc/{self.thread}/cwd", os.O_PATH | os.O_CLOEXEC)
        try:
            self.check_waiting()
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def check_waiting(self) -> None:
        """OSError if the thread doesn't wait any more."""
        _control(self.listener, _IS_VALID, struct.pack("Q", self.id))

    def _process(self) -> int:
        with open(f"/proc/{self.thread}/status", encoding="ascii", errors="replace") as file:
            return next(int(line[5:]) for line in file if line.startswith("Tgid:"))


def load_filter(program: bytes) -> int:
    """Applies to this process and its children; returns the listener. OSError.

    A signal doesn't interrupt a call that is being answered. Otherwise the call would be repeated, and a connection
    that succeeded the first time would look like a failure.
    """
    loaded = _Program(len(program) // 8, program)
    number = _SECCOMP[os.uname().machine]
    listener = -1
    for flags in (_NEW_LISTENER | _WAIT_KILLABLE, _NEW_LISTENER):  # Linux before 5.19 supports only the second
        listener = int(_libc.syscall(number, _SET_FILTER, flags, ctypes.byref(loaded)))
        if listener >= 0 or ctypes.get_errno() != errno.EINVAL:
            break
    if listener < 0:
        raise OSError(ctypes.get_errno(), f"seccomp: {os.strerror(ctypes.get_errno())}")
    return listener


def receive_notification(listener: int) -> Notification | None:
    """None if the caller is already gone."""
    data = bytearray(_NOTIFICATION.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, data)
    except OSError:
        return None
    own_id, thread, _, number, _, _, *arguments = _NOTIFICATION.unpack(data)
    return Notification(listener, own_id, thread, number, tuple(arguments))


def has_ended(listener: int) -> bool:
    """Whether no process is left that could make a call."""
    poll = select.poll()
    poll.register(listener, 0)
    return any(events & select.POLLHUP for _, events in poll.poll(0))


def respond(notification: Notification, value: int, error_number: int) -> None:
    """`error_number` is an errno, 0 where the call succeeded with `value`."""
    try:
        _control(notification.listener, _SEND, _RESPONSE.pack(notification.id, value, -error_number, 0))
    except OSError:
        return  # the caller no longer waits


def _control(listener: int, request: int, data: bytes) -> None:
    """Retries when a signal interrupts it (such as a child's end): the caller would wait forever. OSError."""
    while True:
        try:
            fcntl.ioctl(listener, request, data)
            return
        except InterruptedError:
            continue


def send_listener(channel: socket.socket, listener: int) -> None:
    channel.sendmsg([b"ready"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])


def receive_listener(channel: socket.socket) -> tuple[bytes, int | None]:
    """Blocks."""
    message, rights, _, _ = channel.recvmsg(4096, socket.CMSG_SPACE(4))
    for level, kind, data in rights:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            return message, array.array("i", data[:4])[0]
    return message, None
