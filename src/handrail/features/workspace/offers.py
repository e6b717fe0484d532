"""How other features change files of the project: shown first, then committed exactly as shown."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from handrail.features.workspace.change import Change as Change
from handrail.features.workspace.change import FolderChange as FolderChange
from handrail.features.workspace.change import LinkChange as LinkChange
from handrail.features.workspace.change import Step as Step
from handrail.features.workspace.line_diff import Hunk as Hunk
from handrail.features.workspace.line_diff import hunks as hunks
from handrail.features.workspace.snapshots import is_text as is_text
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview


class Changes(Protocol):
    def preview(self, path: str, content: bytes, summary: str) -> Preview:
        """Returns what a person is shown, bound to the file's present content.

        Raises Declined or NotClean if the policy refuses the change.
        """
        ...

    def commit(self, call: Call, preview: Preview) -> None:
        """Writes what was shown and keeps a snapshot. Raises Conflict if the file has changed since."""
        ...

    def hash_of(self, path: str) -> str:
        """Returns the hash of the file's content, as in an approval's `baseHash`. Blocks; raises Failure."""
        ...

    def preview_all(self, steps: Sequence[Step], summary: str, left_out: Iterable[str] = ()) -> Preview:
        """Previews several changes, with a step for each missing folder. `left_out` lists what isn't included."""
        ...

    def commit_all(self, call: Call, preview: Preview) -> int:
        """Makes all changes or none, and returns how many steps there were."""
        ...

    def can_undo(self, path: str) -> bool:
        """Returns whether changes to this file can be undone: it is in the project and not closed."""
        ...

    def snapshot_before(self, call: Call, changes: Sequence[Change]) -> None:
        """Lets `handrail undo` undo changes that an AI client is about to make itself."""
        ...
