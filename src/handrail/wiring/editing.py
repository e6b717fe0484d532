"""`handrail webgal lsp`: projects in an editor. What it needs is loaded by it alone."""

from __future__ import annotations

import os
from pathlib import Path


async def serve_editor(project: Path | None, state_dir: Path | None) -> int:
    """Until the client goes; the exit status that it asks for. `project` is absolute."""
    from handrail.features.webgal.lsp.server import EditorServer
    from handrail.features.webgal.lsp.stdio import serve
    from handrail.features.webgal.script.findings import language_of
    from handrail.wiring.editor_ground import LocalProjectReader

    language = language_of(os.environ.get("HANDRAIL_LANG", ""))
    only = str(project) if project is not None else None
    return await serve(EditorServer(lambda folder: LocalProjectReader(folder, state_dir), language, only))
