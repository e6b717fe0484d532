"""Other names for labels and characters, everywhere at once. What can't be renamed is refused with a reason."""

from collections.abc import Sequence

import msgspec

from handrail.features.webgal.lsp import usages
from handrail.features.webgal.lsp.definitions import character, character_files
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.usages import Place
from handrail.features.webgal.script.anatomy import Part, Role
from handrail.features.webgal.script.character_file import renamed
from handrail.features.webgal.script.commands import COMMANDS
from handrail.features.webgal.script.findings import Language
from handrail.features.webgal.script.parser import BLANKS
from handrail.ports.errors import Conflict, InvalidParams

_LABELS = (Role.LABEL, Role.JUMP)
_NEVER_IN_LABELS = (":", ";", "|", ".", "{", "\\", " -", "\n", "\r")
_NEVER_IN_NAMES = (":", ";", "\\", " -", "\n", "\r")


class Replacement(msgspec.Struct, frozen=True, gc=False):
    place: Place
    text: str


def check_renameable(part: Part | None, language: Language) -> Part:
    if part is None or part.role not in (*_LABELS, Role.SPEAKER):
        raise InvalidParams(phrase("only names", language))
    return part


def replacements(game: Game, path: str, part: Part, new: str, language: Language) -> list[Replacement]:
    if new == part.text:
        return []
    return (_label if part.role in _LABELS else _character)(game, path, part.text, new, language)


def _label(game: Game, path: str, old: str, new: str, language: Language) -> list[Replacement]:
    if not _is_fit(new, _NEVER_IN_LABELS) or new == "none":
        raise InvalidParams(phrase("bad label", language))
    if usages.labels(game, path, new, Role.LABEL):
        raise Conflict(phrase("taken label", language, name=new))
    return [Replacement(place, new) for place in usages.labels(game, path, old, *_LABELS)]


def _character(game: Game, path: str, old: str, new: str, language: Language) -> list[Replacement]:
    if not _is_fit(new, _NEVER_IN_NAMES) or new in COMMANDS:
        raise InvalidParams(phrase("bad name", language))
    if usages.speakers(game, new) or character(game, new):
        raise Conflict(phrase("taken name", language, name=new))
    found = [Replacement(place, new) for place in usages.speakers(game, old)]
    for file in character_files(game):
        places = [place for place in character(game, old) if place.path == file]
        edits = renamed("\n".join(game.lines(file)), old, new) if places else []
        if edits is None:
            raise Conflict(phrase("mend characters", language, path=file))
        found += [Replacement(place, text) for place, (_, _, text) in zip(places, edits, strict=True)]
    return found


def _is_fit(name: str, never: Sequence[str]) -> bool:
    return bool(name) and name == name.strip(BLANKS) and not any(mark in name for mark in never)
