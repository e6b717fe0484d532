"""Validates an approval of parts of a change: it must name parts that were shown, and at least one."""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from handrail.kernel.prompts.members import Members
from handrail.ports.approval_card import ChangePart, ChosenPart
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt


def check_parts(members: Members, prompt: FileChangePrompt, response: PromptResponse) -> PromptResponse:
    """The response with the approved parts; notes what doesn't fit the prompt."""
    parts = () if prompt.parts is UNSET else prompt.parts
    for name in ("hunks", "content") if len(parts) != 1 else ():
        if name in members:
            members.note(name, "needs a prompt with one part" if not parts else "is for one file: use `files`")
    if "files" in members and not parts:
        members.note("files", "needs a prompt with parts")
    if len(parts) == 1:
        part = _chosen(members, parts[0])
        response = replace(response, hunks=part.hunks, content=part.content)
    if "files" not in members:
        return response
    by_path = {part.path: part for part in parts}
    rows = list(members.objects("files", 1, max(1, len(parts))))
    chosen = tuple(_named(row, by_path) for row in rows)
    for at, each in enumerate(chosen):
        if each.path in {earlier.path for earlier in chosen[:at]}:
            rows[at].note("path", "is named twice")
    return replace(response, files=chosen)


def _named(members: Members, parts: dict[str, ChangePart]) -> ChosenPart:
    path = members.name("path")
    if path not in parts:
        members.note("path", "isn't one of the files that were shown")
        return ChosenPart(path=path)
    return replace(_chosen(members, parts[path]), path=path)


def _chosen(members: Members, part: ChangePart) -> ChosenPart:
    hunks, content = _hunks(members, part), members.text("content")
    if hunks is not UNSET and content is not UNSET:
        members.note("content", "can't be given together with hunks")
    if content is not UNSET and part.content is UNSET:
        members.note("content", "can't be edited here: take hunks, or deny it")
    return ChosenPart(hunks=hunks, content=content)


def _hunks(members: Members, part: ChangePart) -> tuple[int, ...] | UnsetType:
    hunks = members.whole_numbers("hunks")
    if hunks is UNSET:
        return UNSET
    if not hunks:
        members.note("hunks", "must name at least one; to take none of it, deny it or leave the file out")
    for at, place in enumerate(hunks):
        if not 0 <= place < len(part.hunks):
            members.note(f"hunks.{at}", f"must be from 0 to {len(part.hunks) - 1}")
        elif place in hunks[:at]:
            members.note(f"hunks.{at}", "is named twice")
    return tuple(sorted(hunks))
