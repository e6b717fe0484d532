"""Files that no scene, no setting and no style sheet names."""

import posixpath
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from handrail.core.webgal.config_file import read_config
from handrail.core.webgal.files import FOLDERS
from handrail.core.webgal.listing import Listing
from handrail.core.webgal.settings_file import FILES

if TYPE_CHECKING:
    from handrail.core.webgal.project import Surroundings
    from handrail.core.webgal.scene import Scene


def named_by(scene: "Scene", listing: Listing) -> frozenset[str]:
    """The paths below the game's folder that a scene's files lead to."""
    return frozenset(
        listing.find(reference.folder, reference.name)[1] for reference in scene.references if reference.what == "file"
    )


def unused(around: "Surroundings", uses: Collection[str], dynamic: Collection[str]) -> Iterator[str]:
    """Nothing of a folder in which a name is known only while the game runs."""
    settings = read_config(around.config) if around.config is not None else []
    used = {*uses, *around.parts}
    for setting in settings:
        if setting.key in FILES:
            used.update(around.listing.find(FILES[setting.key], name)[1] for name in setting.values)
    for path in around.listing.paths:
        folder, name = posixpath.split(path)
        if folder.partition("/")[0] not in FOLDERS or folder.partition("/")[0] in dynamic:
            continue
        if path not in used and not name.startswith(".") and name not in around.mentions:
            yield path
