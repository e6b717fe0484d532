"""batchMaxLines: how many lines a call may change at once. A dry run says that a write would be refused."""

from handrail.features.workspace.workspace import Workspace
from handrail.ports.errors import Declined


def check_batch(workspace: Workspace, what: str, changed: int, path: str | None = None) -> None:
    limit = workspace.policy().limits.batch_max_lines
    if changed > limit:
        raise Declined(
            f"{changed} lines of {what} would change; the policy allows {limit} at once (batchMaxLines).",
            hint="Split the change into smaller writes.",
            **({} if path is None else {"path": path}),
            changedLines=changed,
            batchMaxLines=limit,
        )


def batch_notes(workspace: Workspace, changed: int) -> tuple[str, ...]:
    """What a caller should know of a dry run whose write would be refused."""
    limit = workspace.policy().limits.batch_max_lines
    if changed <= limit:
        return ()
    said = f"{changed} lines would change; the policy allows {limit} at once (batchMaxLines), so this write would be"
    return (f"{said} refused. Split it into smaller ones.",)
