"""The workspace's way of changing a file, for other surfaces."""

from handrail.features.workspace.change import Change, commit, look, preview_of
from handrail.features.workspace.workspace import Workspace
from handrail.kernel.call import Call
from handrail.kernel.tool import Preview


class WorkspaceChanges:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def planned(self, path: str, content: bytes, summary: str) -> Preview:
        name, before = look(self._workspace, path)
        return preview_of(self._workspace, Change(name, before, content), summary)

    def commit(self, call: Call, preview: Preview) -> None:
        change: Change = preview.state
        commit(self._workspace, call, change)
