"""A run in a narrow cage: the project's state saved, its copy made, the agent ready to start."""

from pathlib import Path

from handrail.features.cage.launch import Caged, Streams
from handrail.features.cage.narrow.copy import copy_project
from handrail.features.cage.narrow.launch import NarrowSpec, start_narrow
from handrail.features.cage.narrow.settings import FOLDER
from handrail.features.cage.preparation import OWN_FOLDERS, Prepared


def start(prepared: Prepared, streams: Streams) -> tuple[Caged, str | None]:
    """Also a sentence where something couldn't be copied. InputOutput."""
    from handrail.features.review.offers import save_base

    save_base(
        prepared.project, Path(prepared.folder.base)
    )  # first: an edit in between is in the copy, and nobody's change
    trouble = copy_project(prepared.project, Path(prepared.folder.copy), OWN_FOLDERS)
    return start_narrow(narrow_spec(prepared), streams), trouble


def narrow_spec(prepared: Prepared) -> NarrowSpec:
    return NarrowSpec(
        prepared.spec,
        written=[prepared.folder.temporary],
        read=[f"{prepared.folder.path}/{FOLDER}"],
        hooks=f"{prepared.hooks}/local.sock",
    )
