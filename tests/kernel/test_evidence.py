"""Evidence: one folder a call, hashes of what is in it, and the oldest days go first when there is too much."""

import hashlib
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from handrail.kernel.evidence import Evidence
from handrail.kernel.pruning import Limits, prune
from handrail.ports.errors import InputOutput, OutsideRoot
from handrail.stores.local.files.folder import LocalFolder

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
LONG = timedelta(days=3650)
MUCH = 10**12


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[LocalFolder]:
    folder = LocalFolder.open(str(tmp_path))
    yield folder.subfolder(".handrail")
    folder.close()


@pytest.fixture
def evidence(folder: LocalFolder) -> Evidence:
    return Evidence(folder)


@pytest.fixture
def artifacts(tmp_path: Path) -> Path:
    return tmp_path / ".handrail/artifacts"


def keep(evidence: Evidence, days_ago: int, size: int = 10, surface: str = "workspace") -> str:
    at = NOW - timedelta(days=days_ago)
    exhibit = evidence.open(surface, f"exec_{days_ago}", at)
    exhibit.add("diff.patch", "x" * size)
    return f"artifacts/{surface}/{at:%Y-%m-%d}"


def test_a_call_has_a_folder_by_surface_day_and_execution(evidence: Evidence, artifacts: Path) -> None:
    exhibit = evidence.open("workspace", "exec_1", NOW)
    assert not artifacts.exists(), "nothing is made before there is something to keep"
    exhibit.add("request.json", {"text": "线\u2028", "number": 1})
    exhibit.add("diff.patch", "-a\n+é\n")
    assert exhibit.path == "artifacts/workspace/2026-03-31/exec_1"
    kept = artifacts / "workspace/2026-03-31/exec_1"
    assert json.loads((kept / "request.json").read_bytes()) == {"text": "线\u2028", "number": 1}
    assert (kept / "diff.patch").read_bytes() == "-a\n+é\n".encode()
    assert exhibit.hashes == {name: hashlib.sha256((kept / name).read_bytes()).hexdigest() for name in os.listdir(kept)}


def test_artifacts_are_kept_out_of_git_and_a_persons_own_list_stays(evidence: Evidence, artifacts: Path) -> None:
    keep(evidence, 0)
    ignored = artifacts.parent / ".gitignore"
    assert ignored.read_text() == "artifacts/\n"
    ignored.write_text("artifacts/\nmine\n")
    keep(Evidence(vars(evidence)["_folder"]), 0)
    assert ignored.read_text() == "artifacts/\nmine\n"


@pytest.mark.parametrize("blocked", ["", "artifacts", "artifacts/workspace", "artifacts/workspace/2026-03-31"])
def test_a_file_in_the_way_is_an_error_of_the_disk(
    evidence: Evidence, folder: LocalFolder, tmp_path: Path, blocked: str
) -> None:
    obstacle = tmp_path / ".handrail" / blocked
    obstacle.parent.mkdir(parents=True, exist_ok=True)
    obstacle.write_text("in the way")
    with pytest.raises(InputOutput):
        keep(evidence, 0)


def test_evidence_never_follows_links(evidence: Evidence, artifacts: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    artifacts.parent.mkdir()
    artifacts.symlink_to(outside)
    with pytest.raises(OutsideRoot):
        keep(evidence, 0)
    assert list(outside.iterdir()) == []


def test_days_beyond_the_greatest_age_go(evidence: Evidence, artifacts: Path) -> None:
    paths = {days: keep(evidence, days) for days in (0, 1, 29, 30, 31, 400)}
    assert sorted(evidence.prune(Limits(timedelta(days=30), MUCH), NOW)) == sorted([paths[31], paths[400]])
    assert sorted(os.listdir(artifacts / "workspace")) == sorted(paths[days][-10:] for days in (0, 1, 29, 30))


def test_the_oldest_days_go_until_the_rest_is_small_enough(evidence: Evidence, artifacts: Path) -> None:
    paths = [keep(evidence, days, size=100) for days in range(6)]
    assert evidence.prune(Limits(LONG, 350), NOW) == paths[3:]
    assert sorted(os.listdir(artifacts / "workspace")) == sorted(path[-10:] for path in paths[:3])
    assert evidence.prune(Limits(LONG, 350), NOW) == []


def test_todays_stays_however_much_it_is(evidence: Evidence, artifacts: Path) -> None:
    today, yesterday = keep(evidence, 0, size=1000), keep(evidence, 1, size=1)
    assert evidence.prune(Limits(timedelta(0), 0), NOW) == [yesterday]
    assert os.listdir(artifacts / "workspace") == [today[-10:]]


def test_the_size_limit_counts_all_surfaces_together(evidence: Evidence) -> None:
    young = [keep(evidence, 1, 100, surface) for surface in ("browser", "workspace")]
    old = [keep(evidence, 2, 100, surface) for surface in ("browser", "workspace")]
    assert evidence.prune(Limits(LONG, 250), NOW) == [old[1], old[0]]
    assert sorted(evidence.prune(Limits(LONG, 0), NOW)) == young


def test_where_nothing_was_kept_nothing_goes(evidence: Evidence, artifacts: Path) -> None:
    assert evidence.prune(Limits(timedelta(0), 0), NOW) == []
    assert not artifacts.exists()


def test_a_link_among_the_days_is_left_alone_and_nothing_behind_one_goes(
    evidence: Evidence, artifacts: Path, tmp_path: Path
) -> None:
    old = keep(evidence, 100)
    outside = tmp_path / "outside"
    (outside / "2020-01-01").mkdir(parents=True)
    (outside / "2020-01-01/keep.txt").write_text("keep")
    (artifacts / "workspace/2020-01-01").symlink_to(outside / "2020-01-01")
    (artifacts / "linked").symlink_to(outside)
    (artifacts / old.removeprefix("artifacts/") / "link").symlink_to(outside)
    assert evidence.prune(Limits(timedelta(days=1), MUCH), NOW) == [old]
    assert (outside / "2020-01-01/keep.txt").read_text() == "keep"


def test_in_a_persons_own_folder_only_days_of_the_one_that_is_meant_go(tmp_path: Path) -> None:
    for path in ("artifacts/desktop/2020-01-01/x", "artifacts/desktop/notes/x", "artifacts/release/2020-01-01/x"):
        (tmp_path / path).mkdir(parents=True)
    limits = Limits(timedelta(days=1), MUCH)
    assert prune(LocalFolder.open(str(tmp_path)), ["artifacts/desktop"], limits, NOW) == [
        "artifacts/desktop/2020-01-01"
    ]
    assert sorted(os.listdir(tmp_path / "artifacts")) == ["desktop", "release"]
    assert os.listdir(tmp_path / "artifacts/release") == ["2020-01-01"]
    assert os.listdir(tmp_path / "artifacts/desktop") == ["notes"]
