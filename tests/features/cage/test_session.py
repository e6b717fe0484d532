"""A run's folder in the state directory."""

from pathlib import Path

import pytest

from handrail.features.cage.session import find_cage, list_cages, new_cage
from handrail.ports.errors import NotFound


def test_a_run_is_listed_until_and_after_its_end(tmp_path: Path) -> None:
    folder, session = new_cage(tmp_path, "/home/ann/shop", "claude", ["claude", "-p", "hi"], "full")
    assert [each for _, each in list_cages(tmp_path, "/home/ann/shop")] == [session]
    assert list_cages(tmp_path, "/home/ann/other") == []
    with folder.lock():
        assert folder.is_running
    assert not folder.is_running
    end = folder.end(3)
    assert (end.exit_code, find_cage(tmp_path, session.id).read()) == (3, end)


def test_runs_that_start_within_a_second_are_listed_in_their_order(tmp_path: Path) -> None:
    begun = [new_cage(tmp_path, "/p", "", ["true"], "full")[1].id for _ in range(10)]
    assert [session.id for _, session in list_cages(tmp_path)] == begun


@pytest.mark.parametrize("name", ["..", "20260101-000000-abcdef", "20260101-000000-abcdef/.."])
def test_an_unknown_or_malformed_id_is_not_found(tmp_path: Path, name: str) -> None:
    new_cage(tmp_path, "/p", "", ["true"], "full")
    with pytest.raises(NotFound):
        find_cage(tmp_path, name)


def test_only_the_owner_can_access_the_folder(tmp_path: Path) -> None:
    folder, _ = new_cage(tmp_path, "/p", "", ["true"], "full")
    assert {path.stat().st_mode & 0o777 for path in (folder.path, folder.upper, folder.work)} == {0o700}
