"""Runs the web's own tests as `npm run` does."""

import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NPM = [str(ROOT / "scripts" / "npm"), "--prefix", str(ROOT / "web"), "run", "--silent"]


def run(script: str, package: str, *words: str) -> None:
    command = [*NPM, script, "--workspace", package, "--", *words]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert result.returncode == 0, result.stdout


def specs(package: str, ending: str) -> list[str]:
    return sorted(file.name.removesuffix(ending) for file in (ROOT / "web" / package / "e2e").glob(f"*{ending}"))


def of_a_trial(trial: str, names: Sequence[str], in_suite: Collection[str]) -> list[Any]:
    """For `parametrize`: all tests in the campaign, with more tries each; some of them in the suite."""
    return [pytest.param(name, marks=pytest.mark.trial(trial, is_long=name not in in_suite)) for name in names]
