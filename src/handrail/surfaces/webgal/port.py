"""The port that the WebGAL tools share."""

from dataclasses import dataclass

from handrail.contract.changes import Changes
from handrail.core.webgal.catalogue import Language
from handrail.surfaces.webgal.games import Games


@dataclass(frozen=True, slots=True)
class WebGal:
    games: Games
    changes: Changes
    language: Language
