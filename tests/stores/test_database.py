"""The state's database: one SQLite file that many processes share."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from handrail.ports.errors import Conflict, Damaged, InputOutput
from handrail.stores.local.database import Database
from handrail.stores.local.migration import NewerState
from handrail.stores.local.state_tables import STEPS, state_database
from tests.stores.processes import finish, release_together, start


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "handrail.db"


def _version(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_it_is_created_at_first_use_and_only_for_its_owner(path: Path) -> None:
    database = state_database(path)
    assert not path.exists()
    with database.writing(is_durable=True) as rows:
        assert rows.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
    assert _version(path) == len(STEPS)
    database.close()


def test_a_second_connection_of_a_process_keeps_the_first_ones_locks(path: Path) -> None:
    """Without the locks another process would take the file over and delete the log: this one would miss all
    changes.
    """
    first, second = state_database(path), state_database(path)
    with first.writing(is_durable=True) as rows:
        rows.execute("CREATE TABLE person (name TEXT)")
    with second.reading() as rows:
        assert rows.execute("SELECT name FROM person").fetchall() == []
    held = f"POSIX  ADVISORY  READ {os.getpid()} "
    inode = f":{path.stat().st_ino} "
    assert any(held in lock and inode in lock for lock in Path("/proc/locks").read_text().splitlines())
    second.close()
    first.close()


def test_an_older_database_is_migrated_step_by_step_and_keeps_its_rows(path: Path) -> None:
    def make(rows: sqlite3.Connection) -> None:
        rows.execute("CREATE TABLE person (name TEXT)")

    def widen(rows: sqlite3.Connection) -> None:
        rows.execute("ALTER TABLE person ADD COLUMN age INTEGER")

    first = Database(path, steps=[make])
    with first.writing(is_durable=True) as rows:
        rows.execute("INSERT INTO person VALUES ('Ada')")
    first.close()
    second = Database(path, steps=[make, widen])
    with second.reading() as rows:
        assert rows.execute("SELECT name, age FROM person").fetchall() == [("Ada", None)]
    second.close()
    assert _version(path) == 2


def test_a_step_that_fails_leaves_everything_as_it_was(path: Path) -> None:
    def fail(rows: sqlite3.Connection) -> None:
        rows.execute("CREATE TABLE half (name TEXT)")
        rows.execute("nonsense")

    with pytest.raises(InputOutput), Database(path, steps=[fail]).reading():
        pass
    with sqlite3.connect(path) as rows:
        assert rows.execute("SELECT name FROM sqlite_master").fetchall() == []
    assert _version(path) == 0


def test_a_newer_database_is_not_changed(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as rows:
        rows.execute("PRAGMA user_version = 99")
    with pytest.raises(NewerState) as stop, state_database(path).reading():
        pass
    assert "newer handrail" in (stop.value.hint or "")
    assert _version(path) == 99


def test_a_file_that_is_no_database_is_damaged_and_stays(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all " * 100)
    with pytest.raises(Damaged), state_database(path).reading():
        pass
    assert path.read_bytes() == b"no database at all " * 100


def test_an_exception_rolls_the_transaction_back(path: Path) -> None:
    def make(rows: sqlite3.Connection) -> None:
        rows.execute("CREATE TABLE t (n)")

    database = Database(path, steps=[make])
    with pytest.raises(KeyboardInterrupt), database.writing(is_durable=True) as rows:
        rows.execute("INSERT INTO t VALUES (1)")
        raise KeyboardInterrupt
    with database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM t").fetchone() == (0,)
    database.close()


def test_a_writer_that_never_ends_is_not_waited_for_without_end(path: Path) -> None:
    first, second = state_database(path), state_database(path, patience=0.0)
    with second.reading():
        pass
    with first.writing(is_durable=True), pytest.raises(Conflict), second.writing(is_durable=True):
        pass
    first.close()
    second.close()


_OPENER = """
import sys
from pathlib import Path
from handrail.stores.local.state_tables import state_database
print("ready", flush=True)
sys.stdin.readline()
with state_database(Path(sys.argv[1])).writing(is_durable=True) as rows:
    rows.execute("INSERT INTO token VALUES (?, 'c', 'm', 'p', 0, NULL)", (sys.argv[2],))
"""


@pytest.mark.trial("files", is_long=True)
def test_many_processes_may_open_a_new_one_at_once(path: Path) -> None:
    openers = [start(_OPENER, path, name) for name in range(8)]
    release_together(openers)
    for opener in openers:
        finish(opener)
    with sqlite3.connect(path) as rows:
        assert rows.execute("SELECT count(*) FROM token").fetchone() == (8,)


def test_a_forked_process_has_its_own_connection(path: Path) -> None:
    database = state_database(path, patience=0.0)
    insert = "INSERT INTO token VALUES (?, 'c', 'm', 'p', 0, NULL)"

    def fork_and_insert(name: str) -> int:
        child = os.fork()
        if child == 0:
            try:
                with database.writing(is_durable=True) as rows:
                    rows.execute(insert, (name,))
            except Conflict:
                os._exit(7)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)

    with database.writing(is_durable=True) as rows:
        rows.execute(insert, ("parent",))
        assert fork_and_insert("child, while the parent writes") == 7
    assert fork_and_insert("child, afterwards") == 0
    with database.writing(is_durable=True) as rows:
        rows.execute(insert, ("parent again",))
        assert rows.execute("SELECT count(*) FROM token").fetchone() == (3,)
    database.close()
