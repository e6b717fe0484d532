"""What other features know about runs in the cage: their folders and records."""

from handrail.features.cage.session import CageFolder as CageFolder
from handrail.features.cage.session import CageSession as CageSession
from handrail.features.cage.session import find_cage as find_cage
from handrail.features.cage.session import list_cages as list_cages
from handrail.features.cage.session import new_cage as new_cage
