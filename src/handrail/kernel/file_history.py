"""Compares the other files of the state directory with what the checkpoints say about them."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from handrail.kernel.checkpoint import Checkpoint, FileState
from handrail.ports.record import StateFiles, WrittenFile


class Changes(NamedTuple):
    """`new` contents since the last checkpoint, `faults` that can't result from normal use, and people's `edits`."""

    new: dict[str, FileState]
    faults: list[str]
    edits: list[str]


class FileHistory:
    """The states of each file that the checkpoints contain, the newest last."""

    def __init__(self, checkpoints: Iterable[Checkpoint]) -> None:
        self.seen: dict[str, list[tuple[str, FileState]]] = {}
        self._starts: dict[str, str] = {}
        all_checkpoints = list(checkpoints)
        self.number = all_checkpoints[-1].number if all_checkpoints else 0
        folded = next((each.folded for each in reversed(all_checkpoints) if each.folded is not None), None)
        if folded is not None:
            self.seen = {name: list(seen) for name, seen in folded.files.items()}
            self._starts = dict(folded.starts)
        for checkpoint in all_checkpoints:
            if checkpoint.accepted:
                self._starts.clear()
                self.seen.clear()
            for name, seen in checkpoint.files.items():
                self.seen.setdefault(name, []).append((checkpoint.ts, seen))

    def last(self, name: str) -> FileState | None:
        return self.seen[name][-1][1] if name in self.seen else None

    def changes(self, files: StateFiles) -> Changes:
        new: dict[str, FileState] = {}
        faults: list[str] = []
        edits: list[str] = []
        written, growing = files.written(), files.growing()
        for name in {*files.replaced(), *growing, *self.seen, *written}:
            last = self.last(name)
            if name in written:
                fault = None
                state = None if written[name].digest is None else FileState(written[name].digest or "")
                for what, is_fault in self._from_outside(name, written[name]):
                    (faults if is_fault else edits).append(what)
            elif name in growing:
                state, fault = self._grown(files, name, last, growing[name])
            else:
                state, fault = self._replaced(files, name, last)
            if fault is not None:
                faults.append(fault)
            elif state != last and state is not None:
                new[name] = state
        return Changes(new, sorted([*faults, *files.foreign()]), sorted(edits))

    def _from_outside(self, name: str, file: WrittenFile) -> Iterator[tuple[str, bool]]:
        """Changes by others to a file that handrail writes, and whether each is a fault: people may edit some files."""
        earlier: dict[str | None, str] = {}
        for content in file.contents:
            if content.is_outside:
                when = f"noticed on {content.ts}"
                yield self._spelled(name, content.sha256, earlier, when, file.is_edited_by_people)
            earlier[content.sha256] = content.ts
        if not file.is_known:
            since = f"since checkpoint {self.number}" if self.number else "before the first checkpoint"
            yield self._spelled(name, file.digest, earlier, since, file.is_edited_by_people)

    @staticmethod
    def _spelled(
        name: str, digest: str | None, earlier: Mapping[str | None, str], when: str, is_edited_by_people: bool
    ) -> tuple[str, bool]:
        if digest is None:
            return f"{name} is missing: it was removed outside handrail, {when}", True
        if digest in earlier:
            return f"{name} was rolled back, {when}: it is as it was on {earlier[digest]}", True
        return f"{name} was changed outside handrail, {when}", not is_edited_by_people

    def _replaced(self, files: StateFiles, name: str, last: FileState | None) -> tuple[FileState | None, str | None]:
        digest = files.digest(name)
        if digest is None:
            return (None, None) if last is None else (None, f"{name} is missing")
        if last is None or digest == last.sha256:
            return FileState(digest), None
        for ts, seen in reversed(self.seen[name][:-1]):
            if seen.sha256 == digest:
                return None, f"{name} was rolled back: it is as it was on {ts}"
        return FileState(digest), None

    def _grown(
        self, files: StateFiles, name: str, last: FileState | None, unit: str
    ) -> tuple[FileState | None, str | None]:
        size = files.size(name)
        known_size = 0 if last is None or last.size is None else last.size
        if size is None:
            return (None, None) if last is None else (None, f"{name} is missing")
        if size < known_size:
            return None, f"{name} was cut or rolled back: it has {size} {unit}, and had {known_size}"
        if size == known_size:
            return last, None
        return FileState(_chained("" if last is None else last.sha256, files.read(name, known_size, size)), size), None

    def damage(self, files: StateFiles) -> Iterator[str]:
        """Reads the files that only grow and compares them with every checkpoint."""
        for name, unit in files.growing().items():
            at, chained = 0, ""
            for ts, seen in self.seen.get(name, ()):
                if seen.size is None or (files.size(name) or 0) < seen.size:
                    break
                expected = self._starts.get(name) if at == 0 else None
                digest = _chained(chained, files.read(name, at, seen.size))
                chained = seen.sha256
                if digest != (expected or seen.sha256):
                    yield f"{name} was changed between {unit} {at} and {seen.size}, which were there on {ts}"
                    break
                at = seen.size


def _chained(before: str, parts: Iterable[bytes]) -> str:
    digest = sha256(before.encode())
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def describe_changes(changes: Mapping[str, FileState], sightings: FileHistory, known: Iterable[str]) -> list[str]:
    """What has changed since the newest checkpoint, in words; `known` are files that handrail writes."""
    return [
        f"{name} was changed since the last checkpoint"
        for name, seen in sorted(changes.items())
        if sightings.last(name) is not None and seen.size is None and name not in known
    ]
