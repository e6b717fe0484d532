"""What a path of a native tool belongs to: the project, the rest of the machine, or handrail itself."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from handrail.kernel.policy import OWN_NAMES
from handrail.kernel.target import Target
from handrail.ports.errors import Declined, InvalidParams
from handrail.ports.paths import fold_name

_OWN_FOLDERS = frozenset(fold_name(name) for name in OWN_NAMES if "." not in name.lstrip("."))


_PROCESS_FOLDERS = ("/proc/", "/dev/")
"""The content of these folders depends on the process that looks."""


@dataclass(frozen=True, slots=True)
class PathScope:
    """The project's real folder and handrail's own folders."""

    root: str
    state: str
    closed: tuple[str, ...] = ()
    """Names that the policy closes for every tool, such as `.git`."""
    agent_folders: tuple[str, ...] = ()
    """Folders below `state` in which a confined agent works."""
    restricts: Callable[[Target], bool] | None = None
    """Whether a rule about paths may deny a file's reading, or ask about it; None if there is no such rule."""

    def target(self, path: str) -> Target:
        """Resolves links of an absolute path. Looks at the disk."""
        real = os.path.realpath(path)
        if path.startswith(_PROCESS_FOLDERS):
            return Target(path=os.path.normpath(path), is_outside=True)
        return self.real_target(real)

    def real_target(self, real: str) -> Target:
        """For a path without links."""
        if not is_within(real, self.root):
            return Target(path=real, is_outside=True)
        inside = os.path.relpath(real, self.root)
        names = {fold_name(part) for part in inside.split("/")}
        return Target(path=inside, is_closed=not names.isdisjoint(fold_name(name) for name in self.closed))

    def is_handrails(self, path: str) -> bool:
        """Whether it is handrail's state or project files, by its text or after resolving links."""
        for candidate in {os.path.normpath(path), os.path.realpath(path)}:
            is_agents = any(is_within(candidate, folder) for folder in self.agent_folders)
            if (is_within(candidate, self.state) and not is_agents) or any(
                fold_name(part) in _OWN_FOLDERS for part in candidate.split("/")
            ):
                return True
        return False

    def may_match_handrails(self, pattern: str) -> bool:
        """Whether a pattern of an absolute path, as shells expand it, can lead to handrail's files."""
        parts, state = pattern.split("/"), self.state.split("/")
        if len(parts) >= len(state) and all(map(fnmatchcase, state, parts)):
            return True
        return any(part.startswith(".") and fnmatchcase(name, part) for part in parts for name in _OWN_FOLDERS)

    def contains_state(self, path: str) -> bool:
        """Whether it is a folder above handrail's state: using all of it would include the state."""
        real = os.path.realpath(path)
        return is_within(self.state, real)

    def refuse_handrails(self, paths: Iterable[str], *, is_written: bool = False, is_whole: bool = False) -> None:
        """`is_whole` means that a folder's whole content is used, so one above handrail's state is refused, too."""
        for path in paths:
            is_reserved = is_written and fold_name(os.path.basename(path)) in OWN_NAMES
            if self.is_handrails(path) or is_reserved or (is_whole and self.contains_state(path)):
                raise own_access_denied(path)


def is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def absolute_path(path: str, cwd: str) -> str:
    """Returns the absolute path that a client means. InvalidParams."""
    if not path or "\0" in path or len(path) > 4096:
        raise InvalidParams("The path is empty, too long, or contains a NUL character.")
    if path.startswith("~"):
        path = os.path.expanduser(path)
    joined = os.path.join(cwd, path)
    normalized = os.path.normpath(joined)
    if os.path.realpath(joined) != os.path.realpath(normalized):
        raise InvalidParams("The path is ambiguous: `..` follows a link.", hint="Name it without `..`.")
    return normalized


def own_access_denied(what: str) -> Declined:
    return Declined(
        f"{what[:200]} is handrail's own: agents can't use it.",
        hint="Ask the person to do this themselves.",
        reason="own",
    )
