"""batchMaxLines: how many lines a call may change at once."""

from handrail.features.workspace.workspace import Workspace
from handrail.ports.errors import Declined


def check_batch(workspace: Workspace, object_name: str, changed: int, path: str | None = None) -> None:
    """Raises Declined if more lines would change than the policy allows."""
    limit = workspace.policy().limits.batch_max_lines
    if changed > limit:
        raise Declined(
            f"{changed} lines of {object_name} would change; the policy allows {limit} at once (batchMaxLines).",
            hint="Split the change into smaller writes.",
            **({} if path is None else {"path": path}),
            changedLines=changed,
            batchMaxLines=limit,
        )


def batch_notes(workspace: Workspace, changed: int) -> tuple[str, ...]:
    """Returns a note for a dry run whose write would be refused."""
    limit = workspace.policy().limits.batch_max_lines
    if changed <= limit:
        return ()
    note = f"{changed} lines would change; the policy allows {limit} at once (batchMaxLines), so this write would be"
    return (f"{note} refused. Split it into smaller ones.",)
