"""How other features change a file of the project: shown first, committed exactly as shown."""

from typing import Protocol

from handrail.kernel.call import Call
from handrail.kernel.tool import Preview


class Changes(Protocol):
    def planned(self, path: str, content: bytes, summary: str) -> Preview:
        """What a person is shown, bound to the file's present content. Declined or NotClean if the policy refuses."""
        ...

    def commit(self, call: Call, preview: Preview) -> None:
        """Writes what was shown and keeps a snapshot. Conflict if the file has changed since."""
        ...
