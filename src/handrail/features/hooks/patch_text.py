"""Codex' patch format, `*** Begin Patch` to `*** End Patch`, as changes of files."""

import re

from handrail.features.hooks.native import Edit, FileChange
from handrail.ports.errors import InvalidParams

_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE = re.compile(r"\*\*\* Move to: (.+)")


def read_patch(text: str) -> tuple[FileChange, ...]:
    """InvalidParams where it isn't one: then there is nothing that a person could be shown."""
    begin = text.find("*** Begin Patch")
    if begin < 0:
        raise InvalidParams("The patch doesn't begin with *** Begin Patch.")
    changes, lines = list[FileChange](), text[begin:].split("\n")[1:]
    at = 0
    while at < len(lines) and not lines[at].startswith("*** End Patch"):
        found = _FILE.fullmatch(lines[at].rstrip("\r"))
        if found is None:
            raise InvalidParams(f"The patch has a line that isn't understood: {lines[at][:100]!r}.")
        body, at = list[str](), at + 1
        moved = _MOVE.fullmatch(lines[at]) if at < len(lines) else None
        at += moved is not None
        while at < len(lines) and not lines[at].startswith(("*** Add", "*** Update", "*** Delete", "*** End Patch")):
            body.append(lines[at])
            at += 1
        changes.append(_change(found[1], found[2].strip(), body, moved[1].strip() if moved else None))
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
