"""What a program did to the disk, call by call, and what a power cut could have left of it.

`command` runs it under strace. `Recording.disk_after` gives one of the disks that a cut at a moment may leave: what
was synced is there; of what was not, each write to a file, and each of the last changes to a folder, may be missing.
A sync of a file takes its name and its folders along, and nothing else: so do the file systems that
`stores/local/files/file_systems.py` names.
"""

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

CALLS = (
    "openat,openat2,write,pwrite64,writev,ftruncate,fallocate,lseek,fsync,fdatasync,syncfs,renameat,renameat2,rename,linkat,unlink,"
    "unlinkat,mkdir,mkdirat,rmdir,clone,clone3,fork,vfork,copy_file_range,sendfile"
)
_LINE = re.compile(r"^(\d+) +(.*)$")
_CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)(?:<(.*)>)?")
_UNFINISHED = " <unfinished ...>"
_RESUMED = re.compile(r"^<\.\.\. \w+ resumed>(.*)$")


def command(trace: Path) -> list[str]:
    """Prefix of the recorded command. `-y` names the file of each descriptor, `-xx` keeps every byte."""
    return ["strace", "-f", "-y", "-xx", "-s", "10000000", "-e", f"trace={CALLS}", "-o", str(trace)]


@dataclass
class Change:
    """A change to a file or a folder, and when its call began and ended, as line numbers of the trace."""

    began: int
    ended: int


@dataclass
class Write(Change):
    offset: int
    data: bytes


@dataclass
class Truncate(Change):
    size: int


@dataclass
class NameChange(Change):
    """A folder gained a name (`inode`) or lost it (None)."""

    path: str
    inode: "Inode | None"


@dataclass(eq=False)
class Inode:
    """A file or a folder."""

    is_folder: bool = False
    content: bytes = b""
    """What it held when the recording began."""
    changes: list[Change] = field(default_factory=list)
    syncs: list[Change] = field(default_factory=list)

    def is_synced(self, change: Change, moment: int) -> bool:
        return any(sync.began > change.ended and sync.ended <= moment for sync in self.syncs)

    def content_at(self, moment: int, chance: random.Random, kept_share: float) -> bytes:
        """`kept_share` is the probability that an unsynced change survives."""
        data = bytearray(self.content)
        for change in self.changes:
            if change.ended > moment or not (self.is_synced(change, moment) or chance.random() < kept_share):
                continue
            if isinstance(change, Truncate):
                data = data[: change.size].ljust(change.size, b"\0")
            elif isinstance(change, Write):
                data = data.ljust(change.offset, b"\0")
                data[change.offset : change.offset + len(change.data)] = change.data
        return bytes(data)


@dataclass
class _Descriptor:
    position: int = 0
    is_appending: bool = False


class Recording:
    """The changes below some folders. `said` is the first process's output to pipes, with the moment."""

    def __init__(self, roots: Sequence[Path], before: Mapping[str, bytes | None], trace: Path) -> None:
        self._roots = [str(root) for root in roots]
        self._names = {path: Inode(content is None, content or b"") for path, content in before.items()}
        self._before = dict(self._names)
        self._named = list[NameChange]()
        self._synced = list[tuple[str, Change]]()
        self._synced_all = list[Change]()
        self._descriptors: dict[int, dict[int, _Descriptor]] = {}
        self.said = list[tuple[int, bytes]]()
        self.moments = list[int]()
        """After each call that changed something or made it safe."""
        for began, until, process, call, arguments, result, target in _calls(trace):
            self._first = getattr(self, "_first", process)
            self._take(began, until, process, call, arguments, result, target)

    def disk_after(self, moment: int, chance: random.Random) -> dict[str, bytes | None]:
        """Returns files with their contents and folders with None."""
        kept_share = chance.choice((0.0, 0.5, 1.0))
        names, cut_at = dict(self._before), dict[str, int]()
        for change in (change for change in self._named if change.ended <= moment):
            if not self._is_name_synced(change, moment):
                # A folder's changes are ordered: if one is lost, all later ones are lost too.
                folder = str(PurePosixPath(change.path).parent)
                cut = cut_at.setdefault(folder, change.ended if chance.random() < 1 - kept_share else moment + 1)
                if change.ended >= cut:
                    continue
            if change.inode is None:
                names.pop(change.path, None)
            else:
                names[change.path] = change.inode
        contents = {
            inode: inode.content_at(moment, chance, kept_share) for inode in {*names.values()} if not inode.is_folder
        }
        return {path: contents.get(inode) for path, inode in names.items()}

    def _is_name_synced(self, change: NameChange, moment: int) -> bool:
        folder = str(PurePosixPath(change.path).parent)
        if any(
            sync.began > change.ended and sync.ended <= moment
            for path, sync in self._synced
            if path == folder
            or (change.inode is not None and (path == change.path or path.startswith(f"{change.path}/")))
        ):
            return True
        return any(sync.began > change.ended and sync.ended <= moment for sync in self._synced_all)

    def whole_disk(self) -> dict[str, bytes | None]:
        """With nothing lost; this must match the real disk, otherwise the recording missed a call."""
        end, chance = max(self.moments, default=0), random.Random(0)
        return {
            path: None if inode.is_folder else inode.content_at(end, chance, 1.0) for path, inode in self._names.items()
        }

    def _take(
        self, began: int, until: int, process: int, call: str, arguments: str, result: int, target: str | None
    ) -> None:
        if call in ("clone", "clone3", "fork", "vfork"):
            own = self._table(process)
            self._descriptors[result] = own if "CLONE_FILES" in arguments else {**own}
            return
        parts = _split(arguments)
        if call == "syncfs":
            self._sync_all(Change(began, until))
        elif call in ("openat", "openat2"):
            self._open(began, until, process, parts, result, target)
        elif call in ("write", "writev", "pwrite64", "ftruncate", "fsync", "fdatasync", "lseek"):
            number, path = _descriptor(parts[0])
            if process == self._first and path is not None and path.startswith("pipe:") and call == "write":
                self.said.append((until, b"".join(_texts(parts[1]))))
            elif path is not None and self._is_ours(path) and (inode := self._names.get(path)) is not None:
                at = self._table(process).setdefault(number, _Descriptor())
                self._change(began, until, at, inode, call, parts, result)
                if call in ("fsync", "fdatasync"):
                    self._synced.append((path, inode.syncs[-1]))
        elif call in ("rename", "renameat", "renameat2", "linkat", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat"):
            self._rename(began, until, call, parts)
        elif call in ("copy_file_range", "sendfile", "fallocate"):
            paths = [path for part in parts if (path := _descriptor(part)[1]) is not None and self._is_ours(path)]
            assert not paths, f"{call} is not understood"

    def _sync_all(self, sync: Change) -> None:
        self._synced_all.append(sync)
        for inode in {*self._before.values(), *(entry.inode for entry in self._named if entry.inode is not None)}:
            inode.syncs.append(sync)
        self.moments.append(sync.ended)

    def _open(
        self, began: int, until: int, process: int, parts: Sequence[str], result: int, target: str | None
    ) -> None:
        if target is None or not self._is_ours(path := _unescaped(target)):
            return
        flags = parts[2]
        self._table(process)[result] = _Descriptor(is_appending="O_APPEND" in flags)
        if path not in self._names:
            if "O_CREAT" not in flags and "O_TMPFILE" not in flags:
                return  # a device, a socket, or a removed file
            inode = self._names[path] = Inode()
            if "O_TMPFILE" not in flags:
                self._name(began, until, path, inode)
        elif "O_TRUNC" in flags:
            self._note(self._names[path].changes, Truncate(began, until, 0))

    def _change(
        self, began: int, until: int, at: _Descriptor, inode: Inode, call: str, parts: Sequence[str], result: int
    ) -> None:
        match call:
            case "write" | "writev":
                data = b"".join(_texts(parts[1]))[:result]
                if at.is_appending:
                    at.position = len(inode.content_at(until, random.Random(0), 1.0))
                self._note(inode.changes, Write(began, until, at.position, data))
                at.position += result
            case "pwrite64":
                data = b"".join(_texts(parts[1]))[:result]
                self._note(inode.changes, Write(began, until, int(parts[3]), data))
            case "ftruncate":
                self._note(inode.changes, Truncate(began, until, int(parts[1])))
            case "lseek":
                at.position = result
            case _:
                self._note(inode.syncs, Change(began, until))

    def _rename(self, began: int, until: int, call: str, parts: Sequence[str]) -> None:
        match call:
            case "mkdir" | "unlink" | "rmdir":
                old, new = None, _path(None, parts[0])
            case "mkdirat" | "unlinkat":
                old, new = None, _path(parts[0], parts[1])
            case "rename":
                old, new = _path(None, parts[0]), _path(None, parts[1])
            case _:
                old, new = _path(parts[0], parts[1]), _path(parts[2], parts[3])
        if new is None or not self._is_ours(new):
            return
        if call in ("mkdir", "mkdirat"):
            self._names[new] = Inode(is_folder=True)
            self._name(began, until, new, self._names[new])
        elif call in ("unlink", "unlinkat", "rmdir"):
            self._names.pop(new, None)
            self._name(began, until, new, None)
        elif old is not None:
            below = [path for path in self._names if path == old or path.startswith(f"{old}/")]
            for path in below:
                inode = self._names[path] if call == "linkat" else self._names.pop(path)
                self._names[new + path[len(old) :]] = inode
                self._name(began, until, new + path[len(old) :], inode)
                if call != "linkat":
                    self._name(began, until, path, None)

    def _name(self, began: int, until: int, path: str, inode: Inode | None) -> None:
        self._named.append(NameChange(began, until, path, inode))
        self.moments.append(until)

    def _note(self, changes: list[Change], change: Change) -> None:
        changes.append(change)
        self.moments.append(change.ended)

    def _table(self, process: int) -> dict[int, _Descriptor]:
        return self._descriptors.setdefault(process, {})

    def _is_ours(self, path: str) -> bool:
        return any(path == root or path.startswith(f"{root}/") for root in self._roots)


def tree(*roots: Path) -> dict[str, bytes | None]:
    """Returns files with their contents and folders with None; sockets and other files are left out."""
    files = itertools.chain.from_iterable((root, *root.rglob("*")) for root in roots)
    return {
        str(path): None if path.is_dir() else path.read_bytes() for path in files if path.is_dir() or path.is_file()
    }


def _calls(trace: Path) -> Iterator[tuple[int, int, int, str, str, int, str | None]]:
    """Yields the successful calls in the order in which they ended."""
    unfinished: dict[int, tuple[int, str]] = {}
    for number, line in enumerate(trace.read_text().split("\n")):
        if (read := _LINE.match(line)) is None:
            continue
        process, text = int(read[1]), read[2]
        if text.endswith(_UNFINISHED):
            unfinished[process] = (number, text.removesuffix(_UNFINISHED))
            continue
        began = number
        if resumed := _RESUMED.match(text):
            began, start = unfinished.pop(process)
            text = start + resumed[1]
        if (call := _CALL.match(text)) is not None and int(call[3]) >= 0:
            yield began, number, process, call[1], call[2], int(call[3]), call[4]


def _split(arguments: str) -> list[str]:
    """Splits at commas outside of brackets; with `-xx` there are no commas inside of quotes."""
    parts, depth, start = list[str](), 0, 0
    for place, sign in enumerate(arguments):
        depth += (sign in "[{(") - (sign in "]})")
        if sign == "," and depth == 0:
            parts.append(arguments[start:place].strip())
            start = place + 1
    return [*parts, arguments[start:].strip()]


def _descriptor(text: str) -> tuple[int, str | None]:
    read = re.match(r"^(-?\d+|AT_FDCWD)<(.*)>$", text)
    if read is None:
        return -1, None
    return -1 if read[1] == "AT_FDCWD" else int(read[1]), _unescaped(read[2])


def _path(folder: str | None, name: str) -> str | None:
    """Returns an absolute path; one that starts with /proc/self/fd is a file without a name."""
    text = b"".join(_texts(name)).decode()
    if through := re.match(r'^"[^"]*"<(.*)>$', name):
        return _unescaped(through[1])
    if text.startswith("/"):
        return text
    at = _descriptor(folder)[1] if folder is not None else None
    if folder is not None and text == "":
        return at
    return None if at is None else str(PurePosixPath(at, text))


def _texts(argument: str) -> Iterator[bytes]:
    for quoted in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', argument):
        yield bytes.fromhex(quoted.replace("\\x", ""))


def _unescaped(path: str) -> str:
    return re.sub(rb"\\x([0-9a-f]{2})", lambda read: bytes.fromhex(read[1].decode()), path.encode()).decode()
