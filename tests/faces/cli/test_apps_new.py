"""`handrail apps new`: creates a folder that works at once, and never overwrites another."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handrail.features.apps.cli.apps_new import new_app
from tests.session_bus import ROOT


def new(*words: str) -> Result:
    return CliRunner().invoke(new_app, words)


@pytest.mark.trial("commands", is_long=True)
def test_a_new_app_passes_its_own_test_and_the_gateways_check(tmp_path: Path) -> None:
    import json

    from handrail.features.apps.descriptors.review import review

    folder = tmp_path / "reading-list"
    assert new(str(folder)).exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        "pyproject.toml",
        "reading_list.py",
        "test_reading_list.py",
    ]
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"reading-list": "reading_list:main"}
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path)}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(folder)]
    tested = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=60)
    assert tested.returncode == 0, tested.stdout
    described = subprocess.run(
        [sys.executable, "reading_list.py", "--describe"], cwd=folder, env=env, capture_output=True, timeout=60
    )
    assert json.loads(described.stdout)["app"]["id"] == "com.example.readinglist"
    findings = review(described.stdout, "aai.json")
    assert (findings.problems, findings.advice) == ([], [])
    assert "$" not in "".join(path.read_text() for path in folder.glob("*.*"))


def test_an_empty_folder_is_used_and_any_other_is_not_changed(tmp_path: Path) -> None:
    empty, full, file = tmp_path / "empty", tmp_path / "full", tmp_path / "file"
    empty.mkdir()
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    file.write_text("mine")
    assert new(str(empty), "--id", "org.example.a", "--name", "A b").exit_code == 0
    assert 'App("org.example.a", name="A b"' in (empty / "empty.py").read_text()
    for taken in (full, file, empty):
        before = sorted(tmp_path.rglob("*"))
        refused = new(str(taken))
        assert refused.exit_code == 2
        assert "exists and isn't empty" in refused.output
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "words",
    [("7up",), ("---",), ("a", "--id", "a"), ("a", "--id", "com.7up"), ("a", "--name", 'x"y'), ("a", "--name", "x\ny")],
)
def test_a_wrong_name_is_refused_before_anything_is_written(tmp_path: Path, words: tuple[str, ...]) -> None:
    folder, *options = words
    assert new(str(tmp_path / folder), *options).exit_code == 2
    assert list(tmp_path.iterdir()) == []
