"""The record after an attacker with this account's rights had its files: any change to one of them is detected."""

import asyncio
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from handrail.kernel.audit import Audit
from handrail.kernel.checkpoint_maker import CheckpointMaker
from handrail.kernel.record_check import Findings, verify_record
from handrail.ports import state_writes
from handrail.ports.approval_card import Grant
from handrail.ports.browser_store import PairedPlugin
from handrail.ports.consents import ConsentRequest
from handrail.ports.errors import Damaged, Failure
from handrail.ports.identity import Caller
from handrail.ports.presence import Passkey
from handrail.ports.task_owners import Owner
from handrail.stores.local.agents import AgentsFile
from handrail.stores.local.presence import PasskeyFile, ProofFiles
from handrail.stores.local.prompt_store import prompt_store
from handrail.stores.local.trust import TrustFile
from handrail.wiring import Wiring
from tests.effort import chance, count, tries
from tests.persons import Person
from tests.wire.clients import Api, Stdio, Up, run

PASSING = (".lock", ".sock", "-wal", "-shm", ".log", "format", "console.key", "stderr.txt")
"""Files without own data: what a running program says about itself, or what is made again when missing."""
OF_PROCESSES = ("agent-processes/", "waiters/")
"""Folders with files about running processes."""


@dataclass(frozen=True)
class Copies:
    """The same state directory at two moments, without running programs; `project` is the project worked on."""

    older: Path
    newer: Path
    state: Path
    project: Path

    def files(self) -> list[str]:
        result = (str(file.relative_to(self.newer)) for file in self.newer.rglob("*") if file.is_file())
        return sorted(name for name in result if not name.endswith(PASSING) and not name.startswith(OF_PROCESSES))

    def restore(self, copy: Path) -> None:
        shutil.rmtree(self.state)
        shutil.copytree(copy, self.state)


def work(project: Path, state: Path, turn: int) -> None:
    """A server, calls, a question, a secret, a setting, trust and a desktop that a person chose."""
    up = Up(project, state, answer="allow")
    try:
        Api(up).write(f"note-{turn}.txt", f"note {turn}\n")
        up.http.post("/api/tasks", json={"title": f"task {turn}"})
    finally:
        up.close()
    agent = Stdio(project, state, answer="ask")
    try:
        question = {"name": "ask_followup_question", "arguments": {"question": f"Which of {turn}?"}}
        agent.send({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": question})
        Person(state).answers("--cancel")
        agent.receive()
    finally:
        agent.close()
    run("model", "use", f"openai:model-{turn}", "--state", state)
    subprocess.run(
        [sys.executable, "-m", "handrail", "model", "key", "openai", "--state", str(state)],
        input=f"sk-{turn}\n".encode(),
        check=False,
        capture_output=True,
    )
    rules = [{"tool": "read_file", "path": f"{turn}", "decision": "deny"}]
    policy = json.dumps({"contractVersion": "1.0.0", "rules": rules})
    (project / ".handrail" / "policy.json").write_text(policy)
    TrustFile(state).add(policy.encode(), str(project))  # `handrail policy trust` needs a person's presence
    asyncio.run(let_in(state, turn))
    run("call", "list_files", '{"path": "."}', "--project", project, "--state", state)


async def let_in(state: Path, turn: int) -> None:
    """Everything else that a person allows: agents, passkeys, proofs, consents, grants and browsers. One is revoked."""
    stores = Wiring().open_stores(state)
    agents = AgentsFile(state)
    agents.add(f"agent-{turn}")
    if turn == 2:
        agents.add("another")
        agents.remove("another")
    PasskeyFile(state).add(Passkey(f"id-{turn}", "key", 0, f"key {turn}", "2026-01-01T00:00:00Z"))
    ProofFiles(state).keep(f"request-{turn}", {"by": "terminal"})
    to = ConsentRequest(f"app-{turn}", "App", "tool", "digest", "digest", "program")
    await stores.consents.add(Caller("mcp", "agent", "pid 1", "agent"), to, is_for_app=False, by="console")
    grant = Grant(tools=("write_to_file",), task="t", identity=f"i{turn}")
    await stores.grants.add(grant, caller="agent", by="console")
    await stores.task_owners.claim(f"task-{turn}", Owner(f"i{turn}", "agent"))
    await stores.once.claim(f"request-{turn}")
    browsers = stores.browser()
    await browsers.plugins.pair(PairedPlugin(f"client-{turn}", "extension", "Chromium", "hash", turn))
    await browsers.close()
    stores.close()


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    folder = tmp_path_factory.mktemp("record")
    project, state = folder / "project", folder / "state"
    project.mkdir()
    for turn, name in ((1, "older"), (2, "newer")):
        work(project, state, turn)
        shutil.copytree(state, folder / name)
    return Copies(folder / "older", folder / "newer", state, project)


def verify(state: Path) -> Findings:
    program = Wiring()
    stores = program.open_stores(state)
    audit = Audit(stores.audit)
    try:
        return verify_record(audit, stores.record(), program.open_evidence)
    finally:
        audit.close()
        stores.close()


def told(findings: Findings) -> str:
    broken = [findings.broken.message] if findings.broken is not None else []
    return "\n".join([*broken, *findings.faults, *findings.edits, *findings.notes])


class NothingToRollBack(Exception):
    """The file didn't exist before, or hasn't changed since."""


def roll_back(copies: Copies, name: str) -> None:
    if not (copies.older / name).exists():
        raise NothingToRollBack
    if (copies.older / name).read_bytes() == (copies.newer / name).read_bytes():
        raise NothingToRollBack
    shutil.copy2(copies.older / name, copies.state / name)
    for more in ("-wal", "-shm"):
        (copies.state / (name + more)).unlink(missing_ok=True)


def delete(copies: Copies, name: str) -> None:
    (copies.state / name).unlink()


def truncate(copies: Copies, name: str) -> None:
    os.truncate(copies.state / name, (copies.state / name).stat().st_size // 2)


def edit(copies: Copies, name: str) -> None:
    """Adds a permission to a database; changes a few bytes in other files."""
    if name.endswith(".db"):
        table = "consent" if name == "handrail.db" else "browser_pairing"
        with closing(sqlite3.connect(copies.state / name)) as rows:
            columns = rows.execute(f"PRAGMA table_info({table})").fetchall()
            rows.execute(f"INSERT INTO {table} VALUES ({', '.join('?' for _ in columns)})", ["1"] * len(columns))
            rows.commit()
        return
    data = bytearray((copies.state / name).read_bytes())
    for place in range(len(data) // 3, len(data) // 3 + min(8, len(data) // 3)):
        data[place] ^= 1
    (copies.state / name).write_bytes(data)


def test_an_untouched_record_verifies(copies: Copies) -> None:
    copies.restore(copies.newer)
    result = verify(copies.state)
    assert result.is_intact, told(result)
    assert not result.notes
    assert result.covered == result.count > 8
    assert result.evidence > 2
    assert {"audit/log.jsonl", "audit/head", "checkpoints.jsonl", "handrail.db", "record.key"} <= {*copies.files()}
    assert {"config.toml", "trusted.json", "secrets.json", "ui-prompts.jsonl"} <= {*copies.files()}


@pytest.mark.parametrize("attack", [roll_back, delete, truncate, edit], ids=lambda attack: attack.__name__)
def test_an_attack_on_any_single_file_is_detected(copies: Copies, attack: Callable[[Copies, str], None]) -> None:
    """A fault, not just a note; only files that a person may edit count as that person's edit."""
    silent, attacked = [], 0
    for name in copies.files():
        copies.restore(copies.newer)
        try:
            attack(copies, name)
        except NothingToRollBack:
            continue
        attacked += 1
        try:
            result = verify(copies.state)
        except Failure:
            continue
        if result.is_intact and not (attack in (edit, truncate) and name == "config.toml" and result.edits):
            silent.append(name)
    assert silent == []
    assert attacked >= 12


def test_a_line_of_the_journal_of_writes_counts_only_where_it_was_written(copies: Copies) -> None:
    """An earlier permission is restored with the lines that announced it: both are detected."""
    journal, agents = copies.state / "writes.jsonl", copies.state / "agents.json"
    lines = [line for line in journal.read_bytes().splitlines(keepends=True) if b'"agents.json"' in line]
    assert lines
    for repeated in (lines[-1], lines[-1][-20:], b"".join(lines)):
        copies.restore(copies.newer)
        with journal.open("ab") as file:
            file.write(repeated)
        assert "writes.jsonl was changed outside handrail" in told(verify(copies.state)), repeated
    copies.restore(copies.newer)
    earlier = (copies.older / "agents.json").read_bytes()
    assert earlier != agents.read_bytes()
    announced = [line for line in lines if hashlib.sha256(earlier).hexdigest().encode() in line]
    agents.write_bytes(earlier)
    with journal.open("ab") as file:
        file.write(b"".join(announced))
    result = told(verify(copies.state))
    assert "agents.json was rolled back" in result
    assert "writes.jsonl was changed outside handrail" in result


@pytest.mark.trial("record")
def test_random_attacks_on_any_file_are_detected(copies: Copies) -> None:
    """Bytes changed, removed, added or repeated anywhere; another file's content; a link in its place."""
    by, names = chance(), copies.files()
    for _ in range(tries(12, 400)):
        count()
        copies.restore(copies.newer)
        name, kind = by.choice(names), by.choice(["flip", "cut", "add", "repeat", "other", "link"])
        if name.endswith(".db") and kind in ("flip", "add"):
            continue  # an unused page may contain anything
        file = copies.state / name
        data, at = file.read_bytes(), by.randrange(max(1, file.stat().st_size))
        another = copies.state / by.choice([each for each in names if each != name])
        changed = {
            "flip": data[:at] + bytes([data[at] ^ (1 << by.randrange(8))]) + data[at + 1 :] if data else b"x",
            "cut": data[:at],
            "add": data[:at] + by.randbytes(by.randint(1, 40)) + data[at:],
            "repeat": data + data[at:],
            "other": another.read_bytes(),
            "link": b"",
        }[kind]
        if changed == data or (kind in ("cut", "repeat") and name.endswith(".db")):
            continue
        if kind == "link":
            file.unlink()
            file.symlink_to(another)
        else:
            file.write_bytes(changed)
        try:
            result = verify(copies.state)
        except Failure:
            continue
        is_edit = name == "config.toml" and bool(result.edits)
        assert not result.is_intact or is_edit, (name, kind, at)


@pytest.mark.parametrize("name", ["agents.json", "trusted.json", "presence"])
def test_a_pipe_in_place_of_a_file_is_reported_and_waited_for_by_nobody(copies: Copies, name: str) -> None:
    copies.restore(copies.newer)
    file = next((copies.state / name).iterdir()) if name == "presence" else copies.state / name
    file.unlink()
    os.mkfifo(file)
    result = verify(copies.state)
    what = file.relative_to(copies.state)
    assert f"{what} is missing: it was removed outside handrail" in told(result)


@pytest.mark.parametrize("name", ["agents.json", "trusted.json", "passkeys.json", "servers.json", "presence/0.json"])
def test_an_unknown_file_is_detected(tmp_path: Path, name: str) -> None:
    project, state = tmp_path / "project", tmp_path / "state"
    project.mkdir()
    run("call", "list_files", '{"path": "."}', "--project", project, "--state", state)
    assert verify(state).is_intact
    (state / name).parent.mkdir(exist_ok=True)
    (state / name).write_text("{}")
    assert f"{name} was changed outside handrail" in told(verify(state))


@pytest.mark.trial("record", is_long=True)
@pytest.mark.parametrize("name", ["agents.json", "trusted.json", "sessions.json", "handrail.db"])
def test_a_change_that_was_used_and_reverted_is_detected(copies: Copies, name: str) -> None:
    """A checkpoint in between has recorded it."""
    copies.restore(copies.newer)
    if not (copies.state / name).exists():
        (copies.state / name).write_text("{}")
    before = (copies.state / name).read_bytes()
    edit(copies, name)
    run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
    if name == "handrail.db":
        with closing(sqlite3.connect(copies.state / name)) as rows:
            rows.execute("DELETE FROM consent WHERE id = '1'")
            rows.commit()
    else:
        (copies.state / name).write_bytes(before)
    run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
    assert not verify(copies.state).is_intact


def test_an_edit_by_hand_is_reported_until_a_person_accepts_it(copies: Copies) -> None:
    """Exit status 3, even after further writes; handrail's own writes aren't edits."""
    copies.restore(copies.newer)
    config = copies.state / "config.toml"
    before = config.read_text()
    config.write_text(f'presence = "never"\n{before}')
    result = run("audit", "verify", "--state", copies.state)
    assert (result.returncode, "config.toml was changed outside handrail, since checkpoint" in result.stderr) == (
        3,
        True,
    )
    run("model", "use", "openai:another", "--state", copies.state)
    run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
    result = run("audit", "verify", "--state", copies.state)
    assert (result.returncode, "config.toml was changed outside handrail, noticed on" in result.stderr) == (3, True)
    assert run("audit", "accept", "--state", copies.state).returncode == 0
    assert run("audit", "verify", "--state", copies.state).returncode == 0
    run("model", "use", "openai:one-more", "--state", copies.state)
    assert run("audit", "verify", "--state", copies.state).returncode == 0
    config.write_text(before)
    assert run("audit", "verify", "--state", copies.state).returncode == 3, "accepted: earlier contents don't count"


def test_restoring_an_earlier_config_is_a_fault(copies: Copies) -> None:
    copies.restore(copies.newer)
    config = copies.state / "config.toml"
    before = config.read_bytes()
    run("model", "use", "openai:another", "--state", copies.state)
    config.write_bytes(before)
    result = run("audit", "verify", "--state", copies.state)
    assert (result.returncode, "config.toml was rolled back" in result.stderr) == (1, True), result.stderr


def test_a_write_interrupted_by_a_crash_is_not_a_fault(copies: Copies, monkeypatch: pytest.MonkeyPatch) -> None:
    """Announced but not completed: only the content before and the new content are accepted."""
    copies.restore(copies.newer)
    with monkeypatch.context() as patch:
        patch.setattr(state_writes, "replace_file", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with suppress(KeyboardInterrupt):
            AgentsFile(copies.state).add("never-written")
    assert verify(copies.state).is_intact
    AgentsFile(copies.state).add("written")
    result = verify(copies.state)
    assert result.is_intact, told(result)
    roll_back(copies, "agents.json")
    assert not verify(copies.state).is_intact


@pytest.mark.parametrize("name", ["audit/log.jsonl", "audit/head", "checkpoints.jsonl", "handrail.db", "trusted.json"])
def test_a_rolled_back_file_stays_a_fault(copies: Copies, name: str) -> None:
    """Further work doesn't hide it."""
    copies.restore(copies.newer)
    roll_back(copies, name)
    assert not verify(copies.state).is_intact
    run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
    assert not verify(copies.state).is_intact


def test_rolling_back_log_and_head_together_is_detected(copies: Copies) -> None:
    copies.restore(copies.newer)
    roll_back(copies, "audit/log.jsonl")
    roll_back(copies, "audit/head")
    assert "rolled back" in told(verify(copies.state))
    result = run("audit", "verify", "--state", copies.state)
    assert (result.returncode, "rolled back" in result.stderr) == (1, True)
    doctor = run("doctor", "--state", copies.state, "--project", copies.project)
    assert "the audit was rolled back or changed" in doctor.stdout
    up = Up(copies.project, copies.state)
    up.process.terminate()
    assert b"the record was changed" in up.process.communicate(timeout=30)[1]


def test_a_resealed_record_is_detected(copies: Copies) -> None:
    """Every line after a changed one gets a new seal, and the head a new hash: only the signature reveals it."""
    copies.restore(copies.newer)
    lines = (copies.state / "audit" / "log.jsonl").read_bytes().splitlines()
    shutil.rmtree(copies.state / "audit")
    stores = Wiring().open_stores(copies.state)
    forged = Audit(stores.audit)
    for number, line in enumerate(lines):
        record = json.loads(line)
        for name in ("seq", "ts", "prev", "hash", "repair"):
            record.pop(name, None)
        if number == 1:
            record["caller"] = "console:somebody"
        forged.append(record)
    assert forged.verify() == len(lines)
    forged.close()
    stores.close()
    result = verify(copies.state)
    assert result.broken is None
    assert "has signed" in told(result)


def test_a_checkpoint_signed_by_another_key_is_detected(copies: Copies) -> None:
    copies.restore(copies.newer)
    (copies.state / "record.key").write_text("11" * 32)
    run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
    assert "key" in told(verify(copies.state))


def test_a_person_may_accept_what_was_found(copies: Copies) -> None:
    copies.restore(copies.newer)
    roll_back(copies, "handrail.db")
    assert not verify(copies.state).is_intact
    assert run("audit", "accept", "--state", copies.state).returncode == 1, "nobody was seen at a terminal"
    assert not verify(copies.state).is_intact
    config = copies.state / "config.toml"
    config.write_text(f'presence = "never"\n{config.read_text()}')
    assert run("audit", "accept", "--state", copies.state).returncode == 0
    result = verify(copies.state)
    assert result.is_intact, told(result)
    assert "a person accepted the state" in told(result)


@pytest.mark.parametrize("kind", ["folder", "git"])
def test_with_a_witness_rolling_back_everything_together_is_detected(copies: Copies, tmp_path: Path, kind: str) -> None:
    copies.restore(copies.older)
    place = tmp_path / "witness"
    place.mkdir()
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    with (copies.state / "config.toml").open("a") as config:
        config.write(f'\naudit_witness = "{"git:" if kind == "git" else ""}{place}"\n')
    run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
    before = tmp_path / "before"
    shutil.copytree(copies.state, before)
    run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
    result = verify(copies.state)
    assert result.is_intact, told(result)
    copies.restore(before)
    assert "has 1 checkpoints that are not here" in told(verify(copies.state))
    config_text = (copies.state / "config.toml").read_text()
    shutil.rmtree(copies.state)
    copies.state.mkdir(0o700)
    (copies.state / "config.toml").write_text(config_text)
    run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
    assert "not here" in told(verify(copies.state))


def working_with_witness(copies: Copies, setting: str) -> Callable[[], None]:
    """The state of the first day, with a witness from now on. Returns what makes one more checkpoint."""
    copies.restore(copies.older)
    with (copies.state / "config.toml").open("a") as config:
        config.write(f"\naudit_witness = {json.dumps(setting)}\n")

    def work() -> None:
        run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)

    work()
    return work


@pytest.mark.parametrize("how", ["in the working tree", "with a commit", "with a reset"])
def test_a_git_witness_can_not_be_rolled_back_with_everything_else(copies: Copies, tmp_path: Path, how: str) -> None:
    place, before = tmp_path / "witness", tmp_path / "before"
    git = ["git", "-C", str(place), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    work = working_with_witness(copies, f"git:{place}")
    shutil.copytree(copies.state, before)
    work()
    assert verify(copies.state).is_intact, told(verify(copies.state))
    copies.restore(before)
    undo = ["reset", "-q", "--hard", "HEAD~1"] if how == "with a reset" else ["checkout", "-q", "HEAD~1", "--", "."]
    subprocess.run([*git, *undo], check=True)
    if how == "with a commit":
        subprocess.run([*git, "commit", "-q", "-m", "Nothing to see here", "-a"], check=True)
    assert "has 1 checkpoints that are not here" in told(verify(copies.state))
    work()
    assert "has 1 checkpoints that are not here" in told(verify(copies.state)), "also after more work"


def test_a_line_that_a_full_disk_has_cut_at_the_witness_is_no_attack(copies: Copies, tmp_path: Path) -> None:
    work = working_with_witness(copies, str(tmp_path))
    work()
    (file,) = tmp_path.glob("*.jsonl")
    os.truncate(file, file.stat().st_size - 40)
    assert verify(copies.state).is_intact, told(verify(copies.state))
    work()
    result = verify(copies.state)
    assert result.is_intact, told(result)
    assert "hasn't received" not in told(result), "it was sent again, on a line of its own"


def test_a_rollback_to_the_time_before_the_witness_is_detected_by_who_names_it(copies: Copies, tmp_path: Path) -> None:
    """The `config.toml` of that time names no witness."""
    working_with_witness(copies, str(tmp_path))
    verified = run("audit", "verify", "--state", copies.state)
    assert f"The witness {tmp_path} knows no other checkpoints." in verified.stdout
    copies.restore(copies.older)
    verified = run("audit", "verify", "--state", copies.state)
    assert "witness" not in verified.stdout + verified.stderr
    verified = run("audit", "verify", "--witness", str(tmp_path), "--state", copies.state)
    assert (verified.returncode, "checkpoints that are not here" in verified.stderr) == (1, True)


class WitnessOnTheWeb(BaseHTTPRequestHandler):
    lines: ClassVar[dict[str, list[bytes]]] = {}

    def do_POST(self) -> None:
        self.lines.setdefault(self.path, []).append(self.rfile.read(int(self.headers["content-length"])))
        self._answer(201, b"")

    def do_GET(self) -> None:
        found = self.lines.get(self.path)
        self._answer(404 if found is None else 200, b"".join(line + b"\n" for line in found or ()))

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_witness_on_the_web_detects_a_rollback_and_gets_what_it_missed(copies: Copies, tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), WitnessOnTheWeb)
    port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    work = working_with_witness(copies, f"http://127.0.0.1:{port}/witness")
    before = tmp_path / "before"
    shutil.copytree(copies.state, before)
    work()
    result = verify(copies.state)
    assert result.is_intact, told(result)
    server.shutdown()
    server.server_close()
    work()
    assert "can't be asked" in told(verify(copies.state))
    server = ThreadingHTTPServer(("127.0.0.1", port), WitnessOnTheWeb)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        assert "hasn't received 1 checkpoint yet" in told(verify(copies.state))
        work()
        assert "hasn't received" not in told(verify(copies.state))
        copies.restore(before)
        assert "has 3 checkpoints that are not here" in told(verify(copies.state))
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("attack", ["changed", "missing"])
def test_changed_or_removed_evidence_is_detected(copies: Copies, attack: str) -> None:
    copies.restore(copies.newer)
    file = next((copies.project / ".handrail" / "artifacts").rglob("diff.patch"))
    kept = file.read_bytes()
    if attack == "changed":
        file.write_bytes(kept + b"more\n")
    else:
        file.unlink()
    assert f"diff.patch {'was changed' if attack == 'changed' else 'is missing'}" in told(verify(copies.state))
    file.write_bytes(kept)
    assert verify(copies.state).is_intact


@pytest.mark.trial("record")
def test_losing_signed_data_is_detected_even_if_it_looks_like_a_power_cut(copies: Copies) -> None:
    """The log's time says that the machine has started since: its end is cut, or evidence is attacked."""
    by = chance()
    evidence = [file for file in (copies.project / ".handrail/artifacts").rglob("*.*") if file.name != ".gitignore"]
    for _ in range(tries(10, 400)):
        count()
        copies.restore(copies.newer)
        log, file = copies.state / "audit/log.jsonl", by.choice(evidence)
        kept, lines = file.read_bytes(), log.read_bytes().splitlines(keepends=True)
        kind, at = by.choice(["end", "torn", "flip", "cut", "other", "missing"]), by.randrange(len(kept))
        if kind == "end":
            log.write_bytes(b"".join(lines[: by.randrange(len(lines))]))
        elif kind == "torn":
            log.write_bytes(b"".join(lines)[: -by.randrange(1, len(lines[-1]))])
        elif kind == "flip":
            file.write_bytes(kept[:at] + bytes([kept[at] ^ (1 << by.randrange(8))]) + kept[at + 1 :])
        elif kind == "cut":
            file.write_bytes(kept[:at])
        elif kind == "other":
            file.write_bytes(by.choice([each.read_bytes() for each in evidence if each.read_bytes() != kept]))
        else:
            file.unlink()
        os.utime(log, (1.0, 1.0))
        try:
            assert not verify(copies.state).is_intact, (kind, at, file.name)
        finally:
            file.write_bytes(kept)
    copies.restore(copies.newer)
    assert verify(copies.state).is_intact


def test_pruned_evidence_is_reported_as_pruned(copies: Copies) -> None:
    copies.restore(copies.newer)
    aside = copies.project.parent / "aside"
    shutil.copytree(copies.project / ".handrail" / "artifacts", aside)
    (day,) = (copies.project / ".handrail" / "artifacts" / "workspace").iterdir()
    shutil.rmtree(day)
    assert not verify(copies.state).is_intact
    stores = Wiring().open_stores(copies.state)
    audit = Audit(stores.audit)
    days = [f"artifacts/workspace/{day.name}"]
    audit.append({"event": "pruned", "project": str(copies.project), "days": days})
    audit.close()
    result = verify(copies.state)
    assert result.is_intact, told(result)
    shutil.rmtree(copies.project / ".handrail" / "artifacts")
    shutil.move(aside, copies.project / ".handrail" / "artifacts")


def test_a_crash_between_the_steps_of_a_checkpoint_is_no_fault(copies: Copies, monkeypatch: pytest.MonkeyPatch) -> None:
    for step in range(3):
        copies.restore(copies.newer)
        stores = Wiring().open_stores(copies.state)
        audit = Audit(stores.audit)
        audit.append({"event": "more"})
        record = stores.record()
        left = [step]

        def dies(*_: object, left: list[int] = left, **__: object) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt

        real = type(record.places[0]).write

        def write(self: object, known: object, real: Callable[..., None] = real) -> None:
            dies()
            real(self, known)

        with monkeypatch.context() as patch:
            patch.setattr(type(record.places[0]), "write", write)
            with suppress(KeyboardInterrupt):
                CheckpointMaker(stores.audit, lambda record=record: record).checkpoint()  # type: ignore[misc]
        audit.close()
        stores.close()
        result = verify(copies.state)
        assert result.is_intact, (step, told(result))
        run("call", "list_files", '{"path": "."}', "--project", copies.project, "--state", copies.state)
        result = verify(copies.state)
        assert result.is_intact, (step, told(result))


ROWS = {
    "an owner changed": "UPDATE task_owner SET identity = 'mallory' WHERE task = 'task-1'",
    "an owner added": "INSERT INTO task_owner (task, identity, agent, at) VALUES ('task-1', 'mallory', 'agent', 1)",
    "an owner put at the end again": (
        "INSERT INTO task_owner SELECT 99, task, identity, agent, at, seal FROM task_owner LIMIT 1"
    ),
    "an owner removed": "DELETE FROM task_owner WHERE task = 'task-2'",
    "the first owner removed": "DELETE FROM task_owner WHERE task = 'task-1'",
    "a question made handrail's": "INSERT INTO origin (request_id, by, is_own) VALUES ('r', 'handrail', 1)",
    "a question's words swapped": "UPDATE origin SET shown = 'other'",
    "a question's poster removed": "DELETE FROM origin WHERE number = (SELECT max(number) FROM origin)",
    "a used answer removed, which then counts again": "DELETE FROM claimed WHERE key = 'request-2'",
    "the first used answer removed": "DELETE FROM claimed WHERE key = 'request-1'",
}


@pytest.mark.parametrize("attack", ROWS)
def test_owners_posters_and_used_answers_can_not_be_changed_in_the_database(copies: Copies, attack: str) -> None:
    copies.restore(copies.newer)
    with closing(sqlite3.connect(copies.state / "handrail.db")) as rows:
        assert rows.execute(ROWS[attack]).rowcount
        rows.commit()
    assert not verify(copies.state).is_intact


def test_a_forged_row_has_no_effect(copies: Copies) -> None:
    copies.restore(copies.newer)
    with closing(sqlite3.connect(copies.state / "handrail.db")) as rows:
        rows.execute("INSERT INTO origin (request_id, by, is_own, seal) VALUES ('fake', 'handrail', 1, 'a')")
        rows.execute("UPDATE task_owner SET identity = 'mallory' WHERE task = 'task-1'")
        rows.commit()
    stores, posted = Wiring().open_stores(copies.state), prompt_store(copies.state)
    try:
        assert posted.origins.of(["fake"]) == {}
        with pytest.raises(Damaged, match="changed outside handrail"):
            asyncio.run(stores.task_owners.claim("task-1", Owner("mallory", "agent")))
        owner = asyncio.run(stores.task_owners.claim("task-2", Owner("mallory", "agent")))
        assert owner.identity == "i2"
    finally:
        posted.answerers.close()
        stores.close()


def test_a_row_changed_in_the_database_is_detected(copies: Copies) -> None:
    copies.restore(copies.newer)
    with sqlite3.connect(copies.state / "handrail.db") as rows:
        rows.execute("UPDATE newest_checkpoint SET line = replace(line, '\"count\":', '\"count\":1')")
    assert "the checkpoint in handrail.db was changed" in told(verify(copies.state))
