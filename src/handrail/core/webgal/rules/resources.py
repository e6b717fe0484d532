"""Files, scenes and animations that a scene names and the game does not have."""

from typing import TYPE_CHECKING

from handrail.core.webgal.files import is_placeholder
from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.listing import Standing
from handrail.core.webgal.nearness import meant, nearest
from handrail.core.webgal.references import Reference
from handrail.core.webgal.rules.line import Findings

if TYPE_CHECKING:
    from handrail.core.webgal.project import Surroundings
    from handrail.core.webgal.scene import Scene


def check(scene: "Scene", around: "Surroundings") -> Findings:
    absent: set[str] = set()
    find = around.listing.find
    for reference in scene.references:
        if reference.what == "file" or reference.what == "scene":
            standing, path = find(reference.folder, reference.name)
            if standing is not Standing.THERE and standing is not Standing.UNKNOWN:
                yield from _file(reference, standing, path, around, absent)
        elif reference.what == "animation":
            yield from _animation(reference, around)


def _file(reference: Reference, standing: Standing, path: str, around: "Surroundings", absent: set[str]) -> Findings:
    listing, folder, name = around.listing, reference.folder, reference.name
    if standing is Standing.OTHER_CASE:
        real = path.removeprefix(f"{folder}/")
        yield _about(reference, "WG203", real, is_safe=True, near=real)
    elif is_placeholder(name):
        yield _about(reference, "WG207", None, name=name)
    elif not listing.has_files_in(folder) and not name.startswith("../") and folder != "scene":
        if folder not in absent:
            absent.add(folder)
            yield _about(reference, "WG202", None, path=f"{around.folder}{folder}/", folder=folder)
    else:
        near = listing.near(folder, name)
        code = "WG205" if reference.what == "scene" else "WG201"
        shown = f"{around.folder}{folder}/{name}"
        yield _about(reference, code, meant(name, near), path=shown, near=", ".join(near))


def _animation(reference: Reference, around: "Surroundings") -> Findings:
    known = around.animations
    if known is None or reference.name in known:
        return
    if is_placeholder(reference.name):
        yield _about(reference, "WG207", None, name=reference.name)
        return
    near = nearest(reference.name, known)
    yield _about(reference, "WG206", meant(reference.name, near), name=reference.name, near=", ".join(near))


def _about(reference: Reference, code: str, fix: str | None, *, is_safe: bool = False, **values: str) -> Finding:
    edit = Edit(reference.start, reference.end, fix, is_safe) if fix is not None else None
    return Finding(code, reference.line, reference.start, reference.end, values, edit)
