"""Verifies the record: the audit, its checkpoints, their copies and the witness, the other files of the state
directory, and the evidence. Repairs nothing, and reports all faults instead of stopping at the first.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from handrail.kernel.audit import Audit
from handrail.kernel.chain import Link
from handrail.kernel.chain_check import BrokenChain
from handrail.kernel.checkpoint import Checkpoint, CompactedCheckpoints, InvalidCheckpoint, hash_line, verify_checkpoint
from handrail.kernel.checkpoint_chain import check_lines, newest_compaction, readable_checkpoints, standing_faults
from handrail.kernel.checkpoint_copies import copy_faults, newest_checkpoint
from handrail.kernel.file_history import FileHistory, describe_changes
from handrail.kernel.merkle import Tree, consistency_proof, inclusion_proof, is_consistent, is_included, leaf
from handrail.kernel.recorded_evidence import OpenEvidence, RecordedEvidence
from handrail.ports.errors import Damaged, Failure, NotFound
from handrail.ports.record import RecordStores

_MOST_NAMED = 20


@dataclass(slots=True)
class Findings:
    """`faults` can't result from normal use; `edits` were probably made by a person; `notes` are for information.

    `witness` is the name of the one that was asked.
    """

    count: int = 0
    checkpoints: int = 0
    covered: int = 0
    evidence: int = 0
    witness: str = ""
    broken: BrokenChain | None = None
    faults: list[str] = field(default_factory=list)
    edits: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_intact(self) -> bool:
        return self.broken is None and not self.faults


class _Roots:
    """Compares the growing tree with the roots in the checkpoints."""

    def __init__(self, checkpoints: Sequence[Checkpoint]) -> None:
        self.tree = Tree()
        self.faults: list[str] = []
        self._wanted: dict[int, list[Checkpoint]] = {}
        for checkpoint in checkpoints:
            self._wanted.setdefault(checkpoint.count, []).append(checkpoint)

    def add(self, link: Link, line: bytes) -> None:
        self.tree.add(line.removesuffix(b"\n"))
        for checkpoint in self._wanted.get(link.seq, ()):
            if self.tree.root.hex() != checkpoint.root:
                self.faults.append(
                    f"the first {link.seq} records are not those that checkpoint {checkpoint.number} has signed"
                )

    def end(self) -> None:
        beyond = [count for count in self._wanted if count > self.tree.count]
        if beyond:
            self.faults.append(
                f"the audit was rolled back: it has {self.tree.count} records, and checkpoints know {max(beyond)}"
            )


def verify_record(audit: Audit, stores: RecordStores, open_evidence: OpenEvidence | None = None) -> Findings:
    findings = Findings()
    with stores.lock():  # so that no checkpoint is added in between
        lines = list(stores.checkpoints.lines())
        of_places = list(_places(lines, stores))
    chain = check_lines(lines)
    checkpoints = chain.checkpoints
    findings.faults, findings.notes = [*chain.faults], [*chain.notes]
    roots = _Roots(checkpoints)
    named = RecordedEvidence()

    def each(link: Link, line: bytes) -> None:
        roots.add(link, line)
        named.add(link.seq, line)

    try:
        findings.count = audit.verify(each)
        if audit.lag:
            findings.notes.append(
                f"the machine stopped before the audit's head was on disk: {audit.lag} whole records follow it"
            )
        if lost := named.lost_records + audit.lost:
            findings.notes.append(f"the machine stopped before {_many(lost, ('record', 'the audit'))} on disk")
        roots.end()
    except BrokenChain as broken:
        findings.broken = broken
    findings.faults += roots.faults
    findings.checkpoints = len(checkpoints)
    findings.covered = checkpoints[-1].count if checkpoints else 0
    findings.faults += [*of_places, *_damaged_places(stores)]
    findings.faults += standing_faults(lines)
    _check_files(checkpoints, stores, findings)
    _check_witness(lines, stores, findings)
    if open_evidence is not None:
        if audit.may_lag:
            named.note_stop()
        _check_evidence(named, [each.count for each in checkpoints], open_evidence, findings)
    findings.faults = list(dict.fromkeys(findings.faults))
    return findings


def quick_check(stores: RecordStores, audit: Audit) -> Findings:
    """Checks what is possible without reading the audit, for the start of a server and for `doctor`."""
    findings = Findings()
    with stores.lock():
        lines = list(stores.checkpoints.lines())
        faults = [*_places(lines, stores), *standing_faults(lines)]
    last_line, last = newest_checkpoint(lines)
    if last is not None:
        try:
            verify_checkpoint(last_line or b"")
        except InvalidCheckpoint as wrong:
            faults.append(f"checkpoint {last.number} was changed: {wrong}")
        if not audit.has_record(last.head, last.size) and last.count:
            faults.append(f"the audit was rolled back or changed: record {last.count} is not where it was")
        changes = FileHistory(readable_checkpoints(lines)).changes(stores.files)
        findings.edits += changes.edits
        faults += changes.faults
    findings.faults = faults
    return findings


def _places(lines: Sequence[bytes], stores: RecordStores) -> Iterator[str]:
    last_line, last = newest_checkpoint(lines)
    try:
        yield from copy_faults(last_line, stores.places)
        key = stores.signer.public_key()
        if last is not None and (key is None or key.hex() != last.key):
            yield "the key that signs checkpoints is missing or was replaced"
    except Failure as failure:
        yield failure.message


def _damaged_places(stores: RecordStores) -> Iterator[str]:
    for place in stores.places:
        try:
            place.check()
        except Failure as failure:
            yield failure.message.removesuffix(".")


def _check_files(checkpoints: Sequence[Checkpoint], stores: RecordStores, findings: Findings) -> None:
    sightings = FileHistory(checkpoints)
    changes = sightings.changes(stores.files)
    findings.faults += [*changes.faults, *sightings.damage(stores.files)]
    findings.edits += changes.edits
    findings.notes += describe_changes(changes.new, sightings, stores.files.written())


def _check_witness(lines: Sequence[bytes], stores: RecordStores, findings: Findings) -> None:
    if stores.witness is None:
        return
    findings.witness = stores.witness.name
    ours = {line.removesuffix(b"\n") for line in lines}
    try:
        theirs = [line.removesuffix(b"\n") for line in stores.witness.lines()]
    except (Failure, OSError) as failure:
        findings.faults.append(f"the witness {stores.witness.name} can't be asked: {failure}")
        return
    accounted_for = ours | _folded_here(theirs, newest_compaction(lines))
    missing = [line for line in theirs if line not in accounted_for and not _is_torn(line, ours)]
    if missing:
        findings.faults.append(
            f"the witness {stores.witness.name} has {len(missing)} checkpoints that are not here: "
            "the record was rolled back or recreated"
        )
    late = len(ours - set(theirs))
    if late:
        checkpoints = f"{late} checkpoint{'' if late == 1 else 's'}"
        findings.notes.append(f"the witness {stores.witness.name} hasn't received {checkpoints} yet")


def _is_torn(line: bytes, ours: Set[bytes]) -> bool:
    """Whether it is the beginning of a checkpoint that is here, as a full disk or a lost connection leaves one."""
    return any(each.startswith(line) for each in ours)


def _folded_here(theirs: Sequence[bytes], folded: CompactedCheckpoints | None) -> set[bytes]:
    """The witness's checkpoints that a summary here covers, found by following the chain of hashes."""
    covered: set[bytes] = set()
    by_hash = {hash_line(line): line for line in theirs}
    wanted = None if folded is None else folded.hash
    while wanted is not None and (line := by_hash.get(wanted)) is not None:
        covered.add(line)
        wanted = next((each.before for each in readable_checkpoints([line])), None)
    return covered


def _check_evidence(
    named: RecordedEvidence, signed: Sequence[int], open_evidence: OpenEvidence, findings: Findings
) -> None:
    wrong: list[str] = []
    lost = 0
    for file, fault in named.looked_at(open_evidence):
        findings.evidence += 1
        if fault is None:
            continue
        if named.is_lost(file, signed):
            lost += 1
        else:
            wrong.append(f"{file.project}: {file.folder}/{file.name} {fault}")
    findings.notes += [
        f"the project {project} is not there: its evidence can't be checked" for project in sorted(named.not_there)
    ]
    if lost:
        findings.notes.append(f"the machine stopped before {_many(lost, ('file', 'evidence'))} on disk")
    findings.faults += wrong[:_MOST_NAMED]
    if len(wrong) > _MOST_NAMED:
        findings.faults.append(f"and {len(wrong) - _MOST_NAMED} more files of evidence")


def _many(count: int, what: tuple[str, str]) -> str:
    return f"1 {what[0]} of {what[1]} was" if count == 1 else f"{count} {what[0]}s of {what[1]} were"


def record_proof(audit: Audit, stores: RecordStores, number: int) -> dict[str, Any]:
    """Proves that a record is in the tree of a checkpoint, and that the tree has only grown since."""
    checkpoints = list(readable_checkpoints(list(stores.checkpoints.lines())))
    signed = next((each for each in checkpoints if each.count >= number), None)
    if signed is None or number < 1:
        raise NotFound(
            f"No checkpoint has signed record {number} yet.",
            hint="`handrail audit verify` says how many records are signed.",
        )
    lines: list[bytes] = []
    audit.verify(lambda link, line: lines.append(line.removesuffix(b"\n")))
    leaves, last = [leaf(line) for line in lines], checkpoints[-1]
    proof = inclusion_proof(leaves[: signed.count], number - 1)
    grown = consistency_proof(leaves[: last.count], signed.count)
    root, last_root = bytes.fromhex(signed.root), bytes.fromhex(last.root)
    is_in_tree = is_included(leaves[number - 1], number - 1, signed.count, proof, root)
    if not (is_in_tree and is_consistent(signed.count, root, last.count, last_root, grown)):
        raise Damaged(f"Record {number} is not the one that checkpoint {signed.number} has signed.")
    return {
        "record": lines[number - 1].decode(),
        "index": number - 1,
        "leaf": leaves[number - 1].hex(),
        "checkpoint": {"number": signed.number, "count": signed.count, "root": signed.root},
        "inclusion": [node.hex() for node in proof],
        "newest": {"number": last.number, "count": last.count, "root": last.root, "key": last.key},
        "consistency": [node.hex() for node in grown],
    }
