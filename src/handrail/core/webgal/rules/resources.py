"""Files, scenes and animations that a scene names and the game does not have."""

import re
from typing import TYPE_CHECKING

from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.listing import Standing
from handrail.core.webgal.nearness import nearest
from handrail.core.webgal.references import Reference
from handrail.core.webgal.rules.line import Findings

if TYPE_CHECKING:
    from handrail.core.webgal.project import Surroundings
    from handrail.core.webgal.scene import Scene

# What Terre's editor writes until somebody picks a file.
_PLACEHOLDER = re.compile(r"选择.{0,6}(?:文件|图片|立绘|背景|音乐|音频|视频|语音)")


def check(scene: "Scene", around: "Surroundings") -> Findings:
    absent: set[str] = set()
    for reference in scene.references:
        if reference.what in ("file", "scene"):
            found = _file(reference, around, absent)
            if found is not None:
                yield found
        elif reference.what == "animation":
            yield from _animation(reference, around)


def _file(reference: Reference, around: "Surroundings", absent: set[str]) -> Finding | None:
    listing, folder, name = around.listing, reference.folder, reference.name
    standing, path = listing.find(folder, name)
    if standing in (Standing.THERE, Standing.UNKNOWN):
        return None
    shown = f"{around.folder}{folder}/{name}"
    if standing is Standing.OTHER_CASE:
        real = path.removeprefix(f"{folder}/")
        return _about(reference, "WG203", real, is_safe=True, near=real)
    if _PLACEHOLDER.fullmatch(name):
        return _about(reference, "WG207", None, name=name)
    if not listing.has_files_in(folder) and not name.startswith("../") and folder != "scene":
        if folder in absent:
            return None
        absent.add(folder)
        return _about(reference, "WG202", None, path=f"{around.folder}{folder}/", folder=folder)
    near = listing.near(folder, name)
    code = "WG205" if reference.what == "scene" else "WG201"
    return _about(reference, code, near[0] if near else None, path=shown, near=", ".join(near))


def _animation(reference: Reference, around: "Surroundings") -> Findings:
    known = around.animations
    if known is None or reference.name in known:
        return
    near = nearest(reference.name, known)
    yield _about(reference, "WG206", near[0] if near else None, name=reference.name, near=", ".join(near))


def _about(reference: Reference, code: str, fix: str | None, *, is_safe: bool = False, **values: str) -> Finding:
    edit = Edit(reference.start, reference.end, fix, is_safe) if fix is not None else None
    return Finding(code, reference.line, reference.start, reference.end, values, edit)
