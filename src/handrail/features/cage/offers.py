"""What the cage offers to other features: its runs with folders and records, and whether a client can be confined."""

from handrail.features.cage.clients import client_of
from handrail.features.cage.levels import best_level
from handrail.features.cage.session import CageFolder as CageFolder
from handrail.features.cage.session import CageSession as CageSession
from handrail.features.cage.session import Level
from handrail.features.cage.session import find_cage as find_cage
from handrail.features.cage.session import list_cages as list_cages
from handrail.features.cage.session import new_cage as new_cage


def cage_level(client: str) -> Level | None:
    """How well this machine can confine a client; None for a client that the cage has no settings for."""
    return best_level().level if client_of(client, "") is not None else None
