"""A team's database is dumped, lost and restored: the backup's content is there, and missing records are reported."""

import re
import subprocess
from pathlib import Path

import pytest

from handrail.stores.team import setup
from tests.features.team.servers import Agent, Person, Team, edit, prompt_about
from tests.team_engines import Postgres, pg_program
from tests.waiting import PATIENCE, until


def run(*words: object) -> None:
    result = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr


def is_all_signed(report: str) -> bool:
    """The server's signatures are also in the bucket; `audit verify` signs nothing."""
    records, signed = re.findall(r"^(\d+) (?:records|of them are signed)", report, re.MULTILINE)
    return bool(records == signed)


@pytest.mark.trial("team backup", is_long=True)
@pytest.mark.timeout(300)
def test_a_restored_team_continues_and_reports_records_missing_from_the_backup(
    team: Team, postgres: Postgres, tmp_path: Path
) -> None:
    (server,) = team.start()
    bo, agent = team.token("bo", "approver"), Agent(team.token("claude", "agent"))
    person = Person(server.url, bo)
    pending_call = edit(team, agent, "before.txt")
    assert person.answer(prompt_about(person, "before.txt")).status_code == 200
    assert pending_call.wait()["isError"] is False

    dump = tmp_path / "team.dump"
    run(pg_program("pg_dump"), "--format=custom", f"--file={dump}", postgres.team)
    assert agent.call(server.url, "read_file", path="README.md")["isError"] is False
    verify = ("audit", "verify", "--public-key", team.public_key, "--blobs", team.blobs)
    until(lambda: is_all_signed(team.handrail(*verify, "--database", team.database).stdout), "the server to sign it")
    server.stop()

    restored = postgres.new_database()
    run(pg_program("pg_restore"), "--exit-on-error", "--no-owner", "--no-acl", f"--dbname={restored}", dump)
    tenant = setup.check(team.database)
    assert setup.add_tenant(restored, tenant) is None, "the role and its password still exist"
    team.database = team.database.rpartition("/")[0] + "/" + restored.rpartition("/")[2]
    lacking = team.handrail(*verify, "--database", team.database, status=1)
    assert "checkpoints that are not here" in lacking.stderr, "the bucket has one of more than the backup"
    (again,) = team.start()
    person = Person(again.url, bo)
    pending_call = edit(team, agent, "after.txt", server=1)
    assert person.answer(prompt_about(person, "after.txt")).status_code == 200
    assert pending_call.wait()["isError"] is False
    team.handrail("audit", "verify", "--public-key", team.public_key, "--database", team.database)
