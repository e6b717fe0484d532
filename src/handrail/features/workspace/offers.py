"""The port through which other surfaces change a file of the project: shown first, committed exactly as shown."""

from typing import Protocol

from handrail.kernel.call import Call
from handrail.kernel.tool import Preview


class Changes(Protocol):
    def planned(self, path: str, content: bytes, summary: str) -> Preview:
        """What a person is shown, bound to what the file holds now; Declined or NotClean where the policy says no."""
        ...

    def commit(self, call: Call, preview: Preview) -> None:
        """Writes what was shown and keeps a snapshot; Conflict where the file changed since."""
        ...
