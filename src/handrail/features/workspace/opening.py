"""Opens the workspace of a project: what its tools share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from handrail.features.workspace.backends.ripgrep import program as ripgrep_program
from handrail.features.workspace.change import Change, Step, content_hash, preview_of, read_current
from handrail.features.workspace.commit import commit, commit_all, settle, snapshot_before
from handrail.features.workspace.dry_runs import DryRuns
from handrail.features.workspace.idempotency import IdempotencyKeys
from handrail.features.workspace.plans import add_parent_folders
from handrail.features.workspace.snapshots import Snapshots
from handrail.features.workspace.unified_diff import unified
from handrail.features.workspace.unit_preview import preview_unit
from handrail.features.workspace.workspace import AGENT_FOLDER, Workspace
from handrail.kernel.call import Call
from handrail.kernel.checks import Check, CheckContext, attempt, first_line
from handrail.kernel.evidence import utc_now
from handrail.kernel.tool import Preview
from handrail.ports.errors import Conflict, Failure

if TYPE_CHECKING:
    from handrail.kernel.project import Project


class WorkspaceChanges:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def preview(self, path: str, content: bytes, summary: str) -> Preview:
        name, before = read_current(self._workspace, path)
        return preview_of(self._workspace, Change(name, before, content), summary)

    def commit(self, call: Call, preview: Preview) -> None:
        change: Change = preview.state
        commit(self._workspace, call, change)

    def hash_of(self, path: str) -> str:
        return content_hash(read_current(self._workspace, path)[1])

    def preview_all(self, steps: Sequence[Step], summary: str, left_out: Iterable[str] = ()) -> Preview:
        return preview_unit(add_parent_folders(self._workspace, steps), summary, left_out)

    def commit_all(self, call: Call, preview: Preview) -> int:
        return len(commit_all(self._workspace, call, preview.state))

    def can_undo(self, path: str) -> bool:
        try:
            return read_current(self._workspace, path)[0] == path
        except Failure:
            return False

    def snapshot_before(self, call: Call, changes: Sequence[Change]) -> None:
        snapshot_before(self._workspace, call, changes)


def checks(context: CheckContext) -> Iterator[Check]:
    yield _ripgrep()
    yield _diff()


def _ripgrep() -> Check:
    def version() -> str:
        program = ripgrep_program()
        return f"{first_line(program, '--version')} at {program}"

    return attempt("ripgrep", version, "search_files needs it. Reinstall handrail: it includes ripgrep.")


def _diff() -> Check:
    def version() -> str:
        line = first_line("diff", "--version")
        if "GNU" not in line:
            raise OSError(f"not GNU diff: {line}")
        return line

    return attempt(
        "GNU diff", version, "Large diffs are slow without it: install the package diffutils.", required=False
    )


def open_workspace(project: Project) -> Workspace:
    own = project.files.subfolder(AGENT_FOLDER)
    workspace = Workspace(
        files=project.files,
        own=own,
        policy=project.policy.latest,
        snapshots=Snapshots(own, utc_now),
        dry_runs=DryRuns(own, utc_now),
        idempotency=IdempotencyKeys(own, utc_now),
        now=utc_now,
        tools=lambda: [entry.tool for entry in project.registry],
        review=lambda path, content: _review(project, path, content),
    )
    _recover(workspace)
    return workspace


def changes(project: Project) -> WorkspaceChanges:
    """Offers other features a way to change files."""
    return WorkspaceChanges(project.part("workspace"))


def unified_diff(project: Project) -> Callable[[str, bytes | None, bytes | None], str]:
    """Offers the function that makes unified diffs."""
    return unified


def ripgrep(project: Project) -> str:
    """Offers ripgrep's path, for features that look for files by name."""
    return ripgrep_program()


def _review(project: Project, path: str, content: bytes) -> None:
    """Lets the webgal feature check the content if the policy wants that. Raises NotClean."""
    if project.policy.current().limits.lint_on_write:
        project.offer("webgal", "review")(path, content)


def _recover(workspace: Workspace) -> None:
    """Finishes or reverts what a killed process started, before the first call."""
    try:
        settle(workspace)
    except Failure:
        return


def tidy(project: Project) -> None:
    """Removes temporary files and expired dry runs. Takes the lock, so that no running write loses its own."""
    workspace: Workspace = project.part("workspace")
    if workspace.own.mode(".gitignore") is not None:
        with suppress(Conflict), workspace.lock(patience=0):  # if it is busy, the next run does it
            workspace.own.sweep_all(".")
            workspace.dry_runs.remove_expired()
