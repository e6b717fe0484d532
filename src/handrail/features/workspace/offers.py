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
    def planned(self, path: str, content: bytes, summary: str) -> Preview:
        """What a person is shown, bound to the file's present content. Declined or NotClean if the policy refuses."""
        ...

    def commit(self, call: Call, preview: Preview) -> None:
        """Writes what was shown and keeps a snapshot. Conflict if the file has changed since."""
        ...

    def hash_of(self, path: str) -> str:
        """The file's present content as an approval's `baseHash` and `afterHash` name it. Blocks; Failure."""
        ...

    def planned_unit(self, steps: Sequence[Step], summary: str, refused: Iterable[str] = ()) -> Preview:
        """Several changes that a person has chosen, with a step for each missing folder; `refused` says what isn't."""
        ...

    def commit_unit(self, call: Call, preview: Preview) -> int:
        """Does all of them, or none and raises. How many steps that were."""
        ...

    def can_keep(self, path: str) -> bool:
        """Whether a change of this file can be undone: it is in the project, and nothing closed."""
        ...

    def keep_before(self, call: Call, changes: Sequence[Change]) -> None:
        """For changes that an AI client is about to make itself: `handrail undo` undoes them."""
        ...
