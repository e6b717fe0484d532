"""What connecting a client writes so that its own tools ask handrail, in the client's own files."""

from collections.abc import Sequence
from pathlib import Path

from handrail.features.clients.client import Edit, Home
from handrail.features.clients.known_clients import claude_folder, codex_folder
from handrail.features.hooks.offers import hook_settings


def hook_edits(client: str, home: Home, command: str, state: Path) -> Sequence[Edit]:
    """Nothing for a client without hooks."""
    settings = hook_settings(client, [command], str(state))
    if settings is None:
        return []
    file = _place(home, settings.file)
    if settings.text is not None:
        return [Edit(file, (), settings.text, is_executable=settings.is_executable)]
    beside = [Edit(file, (name,), value) for name, value in settings.top.items()]
    entries = settings.entries.items()
    return [*beside, *(Edit(file, (*settings.keys, event), item, is_item=True) for event, item in entries)]


def _place(home: Home, file: str) -> Path:
    """`file` is relative to the user's folder; some clients, and the desktop's standard, let it be elsewhere."""
    folder, _, rest = file.partition("/")
    moved = {".claude": claude_folder(home), ".codex": codex_folder(home), ".config": home.config}
    return moved[folder] / rest if folder in moved else home.folder / file
