"""Where a path of a native tool leads: into the project, outside of it, or to handrail itself."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from handrail.kernel.policy import OWN_NAMES
from handrail.kernel.target import Target
from handrail.ports.errors import Declined, InvalidParams
from handrail.ports.paths import fold_name

_OWN_FOLDERS = frozenset(fold_name(name) for name in OWN_NAMES if "." not in name.lstrip("."))


_OF_PROCESSES = ("/proc/", "/dev/")
"""What is found there depends on the process that looks."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The project's real folder and the folders that are handrail's own."""

    root: str
    state: str
    closed: tuple[str, ...] = ()
    """Names that the policy closes for every tool, such as `.git`."""
    given: tuple[str, ...] = ()
    """Folders below `state` in which a confined agent works."""

    def target(self, path: str) -> Target:
        """Of an absolute path, followed to where it really leads. Looks at the disk."""
        real = os.path.realpath(path)
        if path.startswith(_OF_PROCESSES):
            return Target(path=os.path.normpath(path), is_outside=True)
        if not is_within(real, self.root):
            return Target(path=real, is_outside=True)
        inside = os.path.relpath(real, self.root)
        names = {fold_name(part) for part in inside.split("/")}
        return Target(path=inside, is_closed=not names.isdisjoint(fold_name(name) for name in self.closed))

    def is_own(self, path: str) -> bool:
        """State and project files of handrail, by their text or by where they lead."""
        for each in {os.path.normpath(path), os.path.realpath(path)}:
            is_given = any(is_within(each, folder) for folder in self.given)
            if (is_within(each, self.state) and not is_given) or any(
                fold_name(part) in _OWN_FOLDERS for part in each.split("/")
            ):
                return True
        return False

    def may_match_own(self, pattern: str) -> bool:
        """Whether a pattern of an absolute path, as shells expand it, can lead to what is handrail's own."""
        parts, state = pattern.split("/"), self.state.split("/")
        if len(parts) >= len(state) and all(map(fnmatchcase, state, parts)):
            return True
        return any(part.startswith(".") and fnmatchcase(name, part) for part in parts for name in _OWN_FOLDERS)

    def holds_own(self, path: str) -> bool:
        """A folder above handrail's state: who takes all of it takes the state, too."""
        real = os.path.realpath(path)
        return is_within(self.state, real)

    def refuse_own(self, paths: Iterable[str], *, is_written: bool = False, is_whole: bool = False) -> None:
        """`is_whole`: of a folder everything is meant, so one that holds handrail's state is refused, too."""
        for path in paths:
            is_own_file = is_written and fold_name(os.path.basename(path)) in OWN_NAMES
            if self.is_own(path) or is_own_file or (is_whole and self.holds_own(path)):
                raise reaches_handrail(path)


def is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def checked(path: str, cwd: str) -> str:
    """The absolute path that a client means. InvalidParams."""
    if not path or "\0" in path or len(path) > 4096:
        raise InvalidParams("The path is empty, too long, or contains a NUL character.")
    if path.startswith("~"):
        path = os.path.expanduser(path)
    joined = os.path.join(cwd, path)
    shortened = os.path.normpath(joined)
    if os.path.realpath(joined) != os.path.realpath(shortened):
        raise InvalidParams("The path is ambiguous: `..` follows a link.", hint="Name it without `..`.")
    return shortened


def reaches_handrail(what: str) -> Declined:
    return Declined(
        f"{what[:200]} is handrail's own: agents can't use it.",
        hint="Ask the person to do this themselves.",
        reason="own",
    )
