"""What other features know about the cage: its runs with their folders and records, and whom it can confine."""

from handrail.features.cage.clients import client_of
from handrail.features.cage.level import Level
from handrail.features.cage.levels import best_level
from handrail.features.cage.session import CageFolder as CageFolder
from handrail.features.cage.session import CageSession as CageSession
from handrail.features.cage.session import find_cage as find_cage
from handrail.features.cage.session import list_cages as list_cages
from handrail.features.cage.session import new_cage as new_cage


def cage_level(client: str) -> Level | None:
    """How well this machine can confine a client; None for one whose settings inside aren't known."""
    return best_level().level if client_of(client, "") is not None else None
