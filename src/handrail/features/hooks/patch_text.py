"""Parses Codex' patch format, `*** Begin Patch` to `*** End Patch`, into file changes."""

import re

from handrail.features.hooks.native import Edit, FileChange
from handrail.ports.errors import InvalidParams

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")


def parse_patch(text: str) -> tuple[FileChange, ...]:
    """InvalidParams if it isn't a patch: there would be nothing to show to a person."""
    begin = text.find("*** Begin Patch")
    if begin < 0:
        raise InvalidParams("The patch doesn't begin with *** Begin Patch.")
    changes, lines = list[FileChange](), text[begin:].split("\n")[1:]
    index = 0
    while index < len(lines) and not lines[index].startswith("*** End Patch"):
        header = _FILE.fullmatch(lines[index].rstrip("\r"))
        if header is None:
            raise InvalidParams(f"The patch has a line that isn't understood: {lines[index][:100]!r}.")
        body, index = list[str](), index + 1
        move = _MOVE.fullmatch(lines[index]) if index < len(lines) else None
        index += move is not None
        while index < len(lines) and not lines[index].startswith(
            ("*** Add", "*** Update", "*** Delete", "*** End Patch")
        ):
            body.append(lines[index])
            index += 1
        changes.append(_change(header[1], header[2].strip(), body, move[1].strip() if move else None))
    if not changes:
        raise InvalidParams("The patch changes no file.")
    return tuple(changes)


def _change(kind: str, path: str, body: list[str], moved_to: str | None) -> FileChange:
    if kind == "Delete":
        return FileChange(path, is_removed=True)
    if kind == "Add":
        return FileChange(path, content="".join(f"{line[1:]}\n" for line in body if line.startswith("+")))
    edits, old, new = list[Edit](), list[str](), list[str]()
    for line in [*body, "@@"]:
        if line.startswith(("@@", "*** End of File")):
            if old or new:
                edits.append(Edit("\n".join(old), "\n".join(new)))
            old, new = [], []
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            old.append(line[1:])
            new.append(line[1:])
    return FileChange(path, edits=tuple(edits), patch="\n".join(body), moved_to=moved_to)
