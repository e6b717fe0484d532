from pathlib import Path

import pytest

from tests.faces.cli.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A project with one file, and a state directory that doesn't exist yet."""
    project = tmp_path / "project"
    project.mkdir()
    machine = Machine(project, tmp_path / "state")
    machine.put("a.txt", "one\ntwo\n")
    return machine
