"""The cage as data: each flag with what it keeps out. The launcher reads it; tests remove flags one by one."""

from __future__ import annotations

from types import MappingProxyType

from handrail.features.cage.syscalls import REFUSED_CALLS, REFUSED_SOCKETS, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
ENDPOINT_PORT = 6007
"""The port of handrail's endpoint inside the cage, on 127.0.0.1."""
TAKE_TERMINAL = ("setsid", "--ctty")
HOME = "/agent"
"""The agent's own home. It isn't the person's path, so that nothing is mounted below a folder the agent can write."""


class Flag:
    """`arguments` for bubblewrap, and what they keep out."""

    def __init__(self, name: str, arguments: tuple[str, ...], keeps_out: str) -> None:
        self.name = name
        self.arguments = arguments
        self.keeps_out = keeps_out


_PROC_READ_ONLY = ("acpi", "bus", "fs", "irq", "scsi", "sys", "sysrq-trigger")

FLAGS = (
    Flag("no nested namespaces", ("--unshare-user", "--disable-userns"), "namespaces in which the agent is root"),
    Flag("processes", ("--unshare-pid",), "other processes: signals, /proc, ptrace"),
    Flag("shared memory", ("--unshare-ipc",), "System V memory, queues and semaphores of other programs"),
    Flag("host name", ("--unshare-uts", "--hostname", "cage"), "the machine's name"),
    Flag("control groups", ("--unshare-cgroup-try",), "where the machine's control groups are"),
    Flag("no capabilities", ("--cap-drop", "ALL"), "what root may do, where root runs the agent"),
    Flag("ends with the launcher", ("--die-with-parent",), "agents that outlive the launcher"),
    Flag("own /proc", ("--proc", "/proc"), "other processes' memory and environment"),
    Flag(
        "read-only kernel settings",
        tuple(word for name in _PROC_READ_ONLY for word in ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")),
        "what root may set for the whole machine, such as the program that handles crashes",
    ),
    Flag("own /dev", ("--dev", "/dev"), "disks, cameras, input devices"),
    Flag("own /tmp", ("--tmpfs", "/tmp"), "other programs' temporary files and sockets"),  # noqa: S108
)
READ_ONLY_ROOT = Flag("read-only root", ("--remount-ro", "/"), "writing files outside the mounts")


class Mount:
    """A folder or file outside, and its path inside."""

    def __init__(self, source: str, target: str, is_writable: bool = False) -> None:
        self.source = source
        self.target = target
        self.is_writable = is_writable


class CageSpec:
    """Everything that decides what an agent can reach."""

    def __init__(
        self,
        project: str,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        upper: str,
        work: str,
        home: str,
        mounts: Sequence[Mount] = (),
        links: Sequence[tuple[str, str]] = (),
        hidden: Sequence[str] = (),
        files: Mapping[str, bytes] = MappingProxyType({}),
        flags: Sequence[Flag] = (*FLAGS, READ_ONLY_ROOT),
        refused: Sequence[Refusal] = (*REFUSED_CALLS, *REFUSED_SOCKETS),
        has_own_network: bool = True,
        has_overlay: bool = True,
    ) -> None:
        self.project = project
        self.command = command
        self.environment = environment
        self.upper = upper
        self.work = work
        self.home = home
        self.mounts = mounts
        self.links = links
        """Paths of links inside with their targets, such as /bin and usr/bin."""
        self.hidden = hidden
        """Folders of the project that appear empty inside."""
        self.files = files
        """Generated and copied files of /etc, read-only like the root."""
        self.flags = flags
        self.refused = refused
        self.has_own_network = has_own_network
        self.has_overlay = has_overlay

    def arguments(
        self, data: Mapping[str, int], filter_descriptor: int | None, has_terminal: bool = False
    ) -> list[str]:
        """Returns bubblewrap's arguments. `data` has descriptors of the generated files. The root is remounted last."""
        words = [word for flag in self.flags if flag is not READ_ONLY_ROOT for word in flag.arguments]
        for target in ("/var/tmp", "/run"):  # noqa: S108
            words += ["--tmpfs", target]
        for mount in self.mounts:
            words += ["--bind" if mount.is_writable else "--ro-bind", mount.source, mount.target]
        for target, leads_to in self.links:
            words += ["--symlink", leads_to, target]
        for target, descriptor in data.items():
            words += ["--perms", "0644", "--file", str(descriptor), target]  # the root is read-only
        words += ["--bind", self.home, HOME, "--bind", self.project, self.project, "--chdir", self.project]
        words += [word for folder in self.hidden for word in ("--tmpfs", folder)]
        if filter_descriptor is not None:
            words += ["--seccomp", str(filter_descriptor)]
        words += [word for flag in self.flags if flag is READ_ONLY_ROOT for word in flag.arguments]
        # The agent gets its own session, so that Ctrl-C doesn't reach bubblewrap, which would end everything.
        return [*words, "--", *(TAKE_TERMINAL if has_terminal else ()), *self.command]
