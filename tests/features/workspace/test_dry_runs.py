"""Dry runs that no write ever used."""

from datetime import timedelta
from pathlib import Path

from handrail.features.workspace.dry_runs import DryRuns
from handrail.features.workspace.opening import tidy
from handrail.kernel.approval import PresetAnswer
from handrail.kernel.evidence import utc_now
from handrail.wiring import Wiring


def test_tidying_up_removes_dry_runs_that_no_write_may_use_any_more(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    project = Wiring().open_project(tmp_path / "project", tmp_path / "state", PresetAnswer("allow"))
    workspace = project.part("workspace")
    workspace.hide_from_git()
    for days in (0, 2):
        day = DryRuns(workspace.own, lambda days=days: utc_now() - timedelta(days=days))  # type: ignore[misc]
        day.remember(f"{days}.txt", "overwrite", "hash", "base")
    tidy(project)
    assert len(workspace.own.names("dry_runs")) == 1
    assert workspace.dry_runs.find("0.txt", "overwrite", "hash") is not None
    project.close()
