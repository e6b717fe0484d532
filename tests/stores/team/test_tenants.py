"""Tenants in one database: PostgreSQL itself separates them, whatever a server's connection requests."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handrail.kernel.audit import Audit
from handrail.kernel.chain_check import BrokenChain
from handrail.ports.errors import Conflict, Declined, InputOutput, InvalidParams, NotFound
from handrail.ports.team import Limits
from handrail.stores.team import setup
from handrail.stores.team.database import TeamDatabase
from handrail.stores.team.journal import TeamJournal
from handrail.stores.team.members import TeamMembers
from handrail.stores.team.schema import STEPS, TABLES
from tests.team_engines import Postgres, new_tenant, pg_program
from tests.waiting import PATIENCE


@contextmanager
def database(url: str) -> Iterator[TeamDatabase]:
    team_database = TeamDatabase(url)
    yield team_database
    team_database.close()


@pytest.fixture
def tenants(postgres: Postgres) -> tuple[str, str]:
    return postgres.tenant(), postgres.tenant()


def run(*words: object) -> None:
    result = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr


def filled(url: str) -> None:
    """Adds a row to each table that a raw connection could read."""
    with database(url) as team_database:
        Audit(TeamJournal(team_database, "audit")).append({"secret": "of this tenant"}, durable=True)
        TeamMembers(team_database).add("ada", "administrator", Limits(), owner="", by="tests")


def test_a_raw_connection_of_another_tenant_sees_and_changes_nothing(
    postgres: Postgres, tenants: tuple[str, str]
) -> None:
    mine, theirs = tenants
    filled(theirs)
    for table in TABLES:
        assert postgres.sql(f"SELECT count(*) FROM handrail.{table}", mine) == "0", table
    assert postgres.sql("UPDATE handrail.member SET role = 'viewer' RETURNING 1", mine) == ""
    assert postgres.sql("DELETE FROM handrail.session RETURNING 1", mine) == ""
    assert postgres.sql("SELECT count(*) FROM handrail.member", theirs) == "1"


@pytest.mark.parametrize(
    "trick",
    [
        "SET row_security = off; SELECT * FROM handrail.member",
        "SET ROLE owner; SELECT * FROM handrail.member",
        "SET SESSION AUTHORIZATION owner; SELECT * FROM handrail.member",
        "INSERT INTO handrail.tenant_role SELECT session_user, tenant FROM handrail.tenant_role",
        "UPDATE handrail.tenant_role SET tenant = 'other'",
        "ALTER TABLE handrail.member DISABLE ROW LEVEL SECURITY",
        "CREATE OR REPLACE FUNCTION handrail.current_tenant() RETURNS text LANGUAGE sql AS 'SELECT ''other'''",
        "INSERT INTO handrail.claimed (tenant, key) VALUES ('other', 'x')",
        "TRUNCATE handrail.member",
    ],
)
def test_no_trick_leads_out_of_a_tenant(postgres: Postgres, trick: str) -> None:
    mine = postgres.tenant()
    with pytest.raises(AssertionError, match=r"permission denied|row-level security|must be owner|would be affected"):
        postgres.sql(trick, mine)


@pytest.mark.parametrize(
    "change",
    ["UPDATE handrail.journal_line SET line = 'x'", "DELETE FROM handrail.vote", "DELETE FROM handrail.claimed"],
)
def test_a_server_cannot_change_append_only_rows(postgres: Postgres, change: str) -> None:
    mine = postgres.tenant()
    filled(mine)
    with pytest.raises(AssertionError, match="permission denied"):
        postgres.sql(change, mine)
    assert postgres.sql("DELETE FROM handrail.journal_line WHERE journal = 'audit' RETURNING 1", mine) == ""
    with database(mine) as team_database:
        assert Audit(TeamJournal(team_database, "audit")).verify() == 1


def test_a_line_that_the_owner_of_the_database_changes_is_found(postgres: Postgres) -> None:
    mine = postgres.tenant()
    tenant = setup.look(mine).tenant
    with database(mine) as team_database:
        audit = Audit(TeamJournal(team_database, "audit"))
        for number in range(5):
            audit.append({"number": number})
        change = "convert_to(replace(convert_from(line, 'UTF8'), '\"number\":2', '\"number\":7'), 'UTF8')"
        postgres.sql(f"UPDATE handrail.journal_line SET line = {change} WHERE tenant = '{tenant}'", postgres.team)
        with pytest.raises(BrokenChain, match="3"):
            audit.verify()


def test_the_same_name_is_two_members_in_two_tenants(tenants: tuple[str, str]) -> None:
    tokens = []
    for url in tenants:
        with database(url) as team_database:
            tokens.append(TeamMembers(team_database).add("ada", "viewer", Limits(), owner="", by="tests")[1])
    for url, (own, other) in zip(tenants, [tokens, reversed(tokens)], strict=True):
        with database(url) as team_database:
            members = TeamMembers(team_database)
            members.load()
            assert members.with_token(own) is not None
            assert members.with_token(other) is None


def test_no_server_starts_with_a_role_that_row_level_security_does_not_hold(postgres: Postgres) -> None:
    with pytest.raises(Declined, match="superuser"):
        setup.check(postgres.team)
    with pytest.raises(Declined, match="version 0"):
        setup.check(postgres.new_database())


def test_concurrent_setups_of_a_database_run_once_and_all_succeed(postgres: Postgres) -> None:
    owner, batches = postgres.new_database(), list[tuple[int, int]]()
    threads = [threading.Thread(target=lambda: batches.append(setup.migrate(owner))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    now = len(STEPS)
    assert sorted(batches) == [(0, now), (now, now), (now, now), (now, now)]
    assert setup.migrate(owner) == (now, now)


def test_a_repeated_setup_keeps_the_password_of_running_servers(postgres: Postgres) -> None:
    def password() -> str:
        return postgres.sql("SELECT rolpassword FROM pg_authid WHERE rolname = 'handrail_kept'")

    assert setup.add_tenant(postgres.team, "kept") is not None
    before = password()
    assert setup.add_tenant(postgres.team, "kept") is None
    assert password() == before
    assert setup.add_tenant(postgres.team, "kept", has_new_password=True) is not None
    assert password() != before


def test_an_owner_who_is_no_superuser_sets_up_repeats_backs_up_and_restores(postgres: Postgres, tmp_path: Path) -> None:
    postgres.sql("CREATE ROLE hired LOGIN CREATEROLE")
    place, restored = "managed", "managed_again"
    for name in (place, restored):
        postgres.sql(f"CREATE DATABASE {name} OWNER hired")
    owner, dump = postgres.url(place, "hired"), tmp_path / "team.dump"
    setup.migrate(owner)
    servers = new_tenant(owner, "managed")
    assert setup.add_tenant(owner, "managed", has_new_password=True) is not None
    filled(servers)
    with pytest.raises(InputOutput) as refused:
        setup.add_tenant(servers, "managed")
    assert "owner" in (refused.value.hint or "")
    run(pg_program("pg_dump"), "--format=custom", f"--file={dump}", owner)
    postgres.sql(f"DROP DATABASE {place}")
    postgres.sql("DROP ROLE handrail_managed")

    again = postgres.url(restored, "hired")
    run(pg_program("pg_restore"), "--exit-on-error", "--no-owner", "--no-acl", f"--dbname={again}", dump)
    setup.migrate(again)
    servers = new_tenant(again, "managed")
    assert setup.check(servers) == "managed"
    with database(servers) as team_database:
        assert Audit(TeamJournal(team_database, "audit")).verify() == 1
    assert postgres.sql("SELECT count(*) FROM handrail.member", servers) == "1"


@pytest.mark.parametrize("name", ["", "Shop", "a-b", "x" * 41, 'x"; DROP TABLE member'])
def test_a_tenant_has_a_plain_name(postgres: Postgres, name: str) -> None:
    with pytest.raises(InvalidParams):
        setup.add_tenant(postgres.team, name)


def test_members_are_added_once_and_revoked_once(postgres: Postgres) -> None:
    with database(postgres.tenant()) as team_database:
        members = TeamMembers(team_database)
        ada, token = members.add("ada", "approver", Limits(tools=("run_*",)), owner="", by="tests")
        with pytest.raises(Conflict):
            members.add("ada", "viewer", Limits(), owner="", by="tests")
        with pytest.raises(NotFound):
            members.add("agent", "agent", Limits(), owner="nobody", by="tests")
        with pytest.raises(InvalidParams):
            members.add("bo", "viewer", Limits(tools=("x",)), owner="", by="tests")
        members.load()
        assert members.with_token(token) == ada
        assert members.revoke("ada") == ada
        with pytest.raises(NotFound):
            members.revoke("ada")
        members.load()
        assert members.with_token(token) is None
        again, _ = members.add("ada", "viewer", Limits(), owner="", by="tests")
        assert again.id != ada.id


def test_a_person_who_signs_in_under_another_name_stays_the_same_member(postgres: Postgres) -> None:
    """Who may not approve a request is recorded by name."""
    with database(postgres.tenant()) as team_database:
        members = TeamMembers(team_database)
        ada = members.admit("https://id.example.com 17", "ada", "viewer")
        renamed = members.admit("https://id.example.com 17", "lovelace", "approver")
        assert (renamed.id, renamed.name, renamed.role) == (ada.id, "ada", "approver")
        with pytest.raises(Conflict):
            members.admit("https://id.example.com 18", "ada", "viewer")


def test_a_missing_database_is_reported_without_its_password() -> None:
    with pytest.raises(InputOutput) as away:
        setup.look("postgresql://handrail_shop:hunter2@127.0.0.1:1/team")
    assert "127.0.0.1:1" in away.value.message
    assert "hunter2" not in away.value.message
