"""What checkpoints say about the other files of the state directory, and what is not as they say."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from handrail.kernel.checkpoint import Checkpoint, Seen
from handrail.ports.record import StateFiles


class Sightings:
    """Every state of every file that the checkpoints have seen, the newest last."""

    def __init__(self, checkpoints: Iterable[Checkpoint]) -> None:
        self.seen: dict[str, list[tuple[str, Seen]]] = {}
        self._starts: dict[str, str] = {}
        known = list(checkpoints)
        folded = next((each.folded for each in reversed(known) if each.folded is not None), None)
        if folded is not None:
            self.seen = {name: list(seen) for name, seen in folded.files.items()}
            self._starts = dict(folded.starts)
        for checkpoint in known:
            if checkpoint.accepted:
                self._starts.clear()
                self.seen.clear()
            for name, seen in checkpoint.files.items():
                self.seen.setdefault(name, []).append((checkpoint.ts, seen))

    def last(self, name: str) -> Seen | None:
        return self.seen[name][-1][1] if name in self.seen else None

    def changes(self, files: StateFiles) -> tuple[dict[str, Seen], list[str]]:
        """What is new since, and what can't have come about by use."""
        new: dict[str, Seen] = {}
        faults: list[str] = []
        for name in {*files.replaced(), *files.growing(), *self.seen}:
            last = self.last(name)
            if name in files.growing():
                found, fault = self._grown(files, name, last)
            else:
                found, fault = self._replaced(files, name, last)
            if fault is not None:
                faults.append(fault)
            elif found != last and found is not None:
                new[name] = found
        return new, sorted(faults)

    def _replaced(self, files: StateFiles, name: str, last: Seen | None) -> tuple[Seen | None, str | None]:
        digest = files.digest(name)
        if digest is None:
            return (None, None) if last is None else (None, f"{name} is missing")
        if last is None or digest == last.sha256:
            return Seen(digest), None
        for ts, seen in reversed(self.seen[name][:-1]):
            if seen.sha256 == digest:
                return None, f"{name} was rolled back: it is as it was on {ts}"
        return Seen(digest), None

    def _grown(self, files: StateFiles, name: str, last: Seen | None) -> tuple[Seen | None, str | None]:
        size = files.size(name)
        known = 0 if last is None or last.size is None else last.size
        if size is None:
            return (None, None) if last is None else (None, f"{name} is missing")
        if size < known:
            return None, f"{name} was cut or rolled back: it has {size} bytes, and had {known}"
        if size == known:
            return last, None
        return Seen(_chained("" if last is None else last.sha256, files.read(name, known, size)), size), None

    def damage(self, files: StateFiles) -> Iterator[str]:
        """Files that only grow, read as a whole and held against every checkpoint."""
        for name in files.growing():
            at, chained = 0, ""
            for ts, seen in self.seen.get(name, ()):
                if seen.size is None or (files.size(name) or 0) < seen.size:
                    break
                expected = self._starts.get(name) if at == 0 else None
                found = _chained(chained, files.read(name, at, seen.size))
                chained = seen.sha256
                if found != (expected or seen.sha256):
                    yield f"{name} was changed between byte {at} and byte {seen.size}, which were there on {ts}"
                    break
                at = seen.size


def _chained(before: str, parts: Iterable[bytes]) -> str:
    digest = sha256(before.encode())
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def described(changes: Mapping[str, Seen], sightings: Sightings) -> list[str]:
    """What was changed since the newest checkpoint, for people to read."""
    return [
        f"{name} was changed since the last checkpoint"
        for name, seen in sorted(changes.items())
        if sightings.last(name) is not None and seen.size is None
    ]
