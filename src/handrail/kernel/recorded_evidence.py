"""Files of evidence that the audit's records name, and which of them a power cut has lost.

What a call is about to do is on disk before it happens, and named in its first record. The result is named in its last
record, and on disk before a checkpoint signs that record. So a power cut can lose only files that no checkpoint has
signed. The next checkpoint records which files were lost: from then on, any other missing file was removed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from handrail.kernel.evidence import Evidence
from handrail.ports.errors import Failure, NotFound, TooLarge

RECOVERED = "recovered"
_LARGEST = 256 * 1024 * 1024
_MARKS = (b'"evidence":', b'"pruned"', b'"recovered"')

OpenEvidence = Callable[[str], Evidence | None]
"""Opens the evidence of a project by its path; None if the project doesn't exist."""


def mentions_evidence(line: bytes) -> bool:
    return any(mark in line for mark in _MARKS)


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """`seq` is the number of the record that names it. Durable: it was already on disk then."""

    project: str
    folder: str
    name: str
    digest: str
    seq: int
    is_durable: bool

    @property
    def key(self) -> tuple[str, str, str]:
        return self.project, self.folder, self.name


class RecordedEvidence:
    """Collects the files from the audit's records, which are added in order."""

    def __init__(self) -> None:
        self.lost_records = 0
        """How many records were not on disk when the machine stopped."""
        self.not_there: set[str] = set()
        """Projects that couldn't be opened."""
        self._files: dict[tuple[str, str, str], RecordedFile] = {}
        self._pruned: set[tuple[str, str]] = set()
        self._lost: dict[tuple[str, str, str], int] = {}
        self._last = 0
        self._stopped_after = 0

    def add(self, seq: int, line: bytes) -> None:
        self._last = seq
        if not mentions_evidence(line):
            return
        record: dict[str, Any] = msgspec.json.decode(line)
        match record:
            case {"event": "pruned", "project": str(project), "days": [*days]}:
                self._pruned.update((project, str(day)) for day in days)
            case {"event": "recovered", "lostEvidence": [*lost]}:
                self._lost |= {(each["project"], each["dir"], each["name"]): seq for each in lost}
            case {"event": "recovered"}:
                self.lost_records += record.get("lost", 0)
                self._stopped_after = seq
            case {"project": str(project), "evidence": {"dir": str(folder), "sha256": {**hashes}}}:
                for name, digest in hashes.items():
                    file = RecordedFile(project, folder, str(name), str(digest), seq, record.get("event") != "end")
                    earlier = self._files.get(file.key)
                    if earlier is None or earlier.digest != file.digest:
                        self._files[file.key] = file

    def note_stop(self) -> None:
        """Call this if the machine stopped after the last record."""
        self._stopped_after = self._last + 1

    def looked_at(self, open_evidence: OpenEvidence) -> Iterator[tuple[RecordedFile, str | None]]:
        """Each file, and what is wrong with it. Blocks."""
        for _, evidence, files in self._by_project(open_evidence):
            for file in files:
                yield file, _wrong(evidence, file)

    def sync(self, open_evidence: OpenEvidence) -> None:
        """Syncs all of them to disk. Blocks."""
        for _, evidence, files in self._by_project(open_evidence):
            evidence.sync([(file.folder, file.name) for file in files if not file.is_durable])

    def newly_lost(self, open_evidence: OpenEvidence) -> list[dict[str, str]]:
        """Files that a power cut has lost and no record says so yet. Blocks."""
        if not self._stopped_after:
            return []
        return [
            {"project": file.project, "dir": file.folder, "name": file.name}
            for file, fault in self.looked_at(open_evidence)
            if fault is not None and self._may_be_lost(file) and file.key not in self._lost
        ]

    def is_lost(self, file: RecordedFile, signed: Sequence[int]) -> bool:
        """Whether a power cut has lost it. `signed`: how many records each checkpoint has signed."""
        if (recorded := self._lost.get(file.key)) is not None:
            return not file.is_durable and not any(file.seq <= count < recorded for count in signed)
        return self._may_be_lost(file) and not any(file.seq <= count for count in signed)

    def _may_be_lost(self, file: RecordedFile) -> bool:
        return not file.is_durable and file.seq < self._stopped_after

    def _by_project(self, open_evidence: OpenEvidence) -> Iterator[tuple[str, Evidence, list[RecordedFile]]]:
        files: dict[str, list[RecordedFile]] = {}
        for file in self._files.values():
            if (file.project, file.folder.rpartition("/")[0]) not in self._pruned:
                files.setdefault(file.project, []).append(file)
        for project, each in files.items():
            evidence = open_evidence(project)
            if evidence is None:
                self.not_there.add(project)
                continue
            try:
                yield project, evidence, each
            finally:
                evidence.close()


def _wrong(evidence: Evidence, file: RecordedFile) -> str | None:
    try:
        data = evidence.read(file.folder, file.name, _LARGEST)
    except NotFound:
        return "is missing"
    except TooLarge:
        return None
    except Failure as failure:
        return f"can't be read: {failure.message}"
    return None if sha256(data).hexdigest() == file.digest else "was changed"
