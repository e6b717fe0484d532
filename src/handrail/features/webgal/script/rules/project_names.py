"""Rules about names that must exist in the game: files, labels, variables and speakers."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from handrail.features.webgal.script.commands import SAY
from handrail.features.webgal.script.config_file import FILES, read_config
from handrail.features.webgal.script.findings import Edit, Finding
from handrail.features.webgal.script.line import Findings, Reference
from handrail.features.webgal.script.listing import FileStatus, GameAssets, Listing
from handrail.features.webgal.script.parser import FOLDERS, is_placeholder
from handrail.features.webgal.script.rules.heads import guess, is_number, is_surely_no_name
from handrail.features.webgal.script.scene import Scene
from handrail.features.webgal.script.similar_names import (
    MOST_GUESSES,
    Names,
    distance,
    nearest,
    normalize,
    plausible_correction,
)

_STAGE = ("fig-left", "fig-center", "fig-right", "bg-main", "stage-main")
_SIDE = re.compile(r"fig-(?:left|right)\d+")
"""Positions of newer engines: fig-left13."""
_COMMA = re.compile("[,，、]")
_OFTEN = 5
_SHORT_LABEL = 4
_LONG_NAME = 4


@dataclass(frozen=True)
class ProjectNames:
    """`spoken` counts the lines of each speaker; `known` has all variables that are set or are settings."""

    spoken: Mapping[str, int]
    known: frozenset[str]
    figures: frozenset[str] = frozenset()

    @cached_property
    def regulars(self) -> dict[str, str]:
        """Frequent speakers, by the form in which names are compared."""
        return {name: normalize(name) for name, lines in self.spoken.items() if lines >= _OFTEN}

    @cached_property
    def names(self) -> Names:
        return Names(self.known)

    def cache_key(self) -> object:
        """Equal if rules can't tell the names apart: they distinguish one, several and many lines."""
        spoken = {name: (count > 1) + (count >= _OFTEN) for name, count in self.spoken.items()}
        return spoken, self.known, self.figures


def check_files(scene: Scene, assets: GameAssets) -> Findings:
    absent: set[str] = set()
    find = assets.listing.find
    for reference in scene.references:
        if reference.kind == "file" or reference.kind == "scene":
            status, path = find(reference.folder, reference.name)
            if status is not FileStatus.EXISTS and status is not FileStatus.UNKNOWN:
                yield from _file(reference, status, path, assets, absent)
        elif reference.kind == "animation":
            yield from _animation(reference, assets)


def _file(reference: Reference, status: FileStatus, path: str, assets: GameAssets, absent: set[str]) -> Findings:
    listing, folder, name = assets.listing, reference.folder, reference.name
    if status is FileStatus.OTHER_CASE:
        real = path.removeprefix(f"{folder}/")
        yield _finding(reference, "WG203", real, is_safe=True, near=real)
    elif status is FileStatus.OTHER_FORM:
        yield _finding(reference, "WG210", path.removeprefix(f"{folder}/"), is_safe=True)
    elif is_placeholder(name):
        yield _finding(reference, "WG207", name=name)
    elif not listing.has_files_in(folder) and not name.startswith("../") and folder != "scene":
        if folder not in absent:
            absent.add(folder)
            yield _finding(reference, "WG202", path=f"{assets.folder}{folder}/", folder=folder)
    else:
        code = "WG205" if reference.kind == "scene" else "WG201"
        yield _unknown(reference, code, listing.near(folder, name), path=f"{assets.folder}{folder}/{name}")


def _animation(reference: Reference, assets: GameAssets) -> Findings:
    known = assets.animations
    if known is None or reference.name in known:
        return
    if is_placeholder(reference.name):
        yield _finding(reference, "WG207", name=reference.name)
    else:
        yield _unknown(reference, "WG206", nearest(reference.name, known), name=reference.name)


def _finding(
    reference: Reference, code: str, fix: str | None = None, *, is_safe: bool = False, **values: str
) -> Finding:
    edit = Edit(reference.start, reference.end, fix, is_safe) if fix is not None else None
    return Finding(code, reference.line, reference.start, reference.end, values, edit)


def _unknown(reference: Reference, code: str, near: list[str], **values: str) -> Finding:
    # Scenes are numbered: chapter3.txt and chapter.txt are not misspellings of each other.
    likely = [name for name in near if code != "WG205" or _digits(name) == _digits(reference.name)]
    # A comma may be meant to separate options, and a fix would lose the next one.
    fix = None if _COMMA.search(reference.name) else plausible_correction(reference.name, likely)
    return _finding(reference, code, fix, is_safe=False, near=", ".join(near), **values)


def _digits(name: str) -> list[str]:
    return [char for char in name if char.isdigit()]


def check_labels(scene: Scene, listing: Listing) -> Findings:
    jumps = [reference for reference in scene.references if reference.kind == "label"]
    wanted = {jump.name for jump in jumps}
    for name, lines in scene.labels.items():
        for line in lines[1:]:
            start = max(scene.lines[line - 1].find(name), 0)
            values = {"name": name, "other": str(lines[0])}
            yield Finding("WG401", line, start, start + len(name), values, is_grave=name in wanted)
    unknown = [jump for jump in jumps if jump.name not in scene.labels]
    for number, jump in enumerate(unknown):
        if is_placeholder(jump.name):  # without a dot, an option's target is read as a label
            yield _finding(jump, "WG207", name=jump.name)
            continue
        if jump.by == "choose" and listing.find("scene", f"{jump.name}.txt")[0] is FileStatus.EXISTS:
            yield _finding(jump, "WG204", f"{jump.name}.txt", name=jump.name, near=f"{jump.name}.txt")
            continue
        # Labels are few: a similar one is worth suggesting even for short names, unless all letters differ.
        length = len(normalize(jump.name))
        limit = min(1, length - 1) if length < _SHORT_LABEL else None
        near = nearest(jump.name, scene.labels, limit) if number < MOST_GUESSES else []
        yield _unknown(jump, "WG204", near, name=jump.name)


def check_variables(scene: Scene, project: ProjectNames, set_by_scenes: Collection[str]) -> Findings:
    """In a game that sets no variables, braces are probably just text."""
    if not set_by_scenes:
        return
    for reference in scene.references:
        if reference.kind == "variable" and reference.name not in project.known:
            yield _unknown(reference, "WG403", project.names.nearest_cached(reference.name), name=reference.name)


def check_targets(scene: Scene, project: ProjectNames) -> Findings:
    """An id that is only known at run time may be any."""
    if not scene.has_targets or any("{" in name for name in project.figures):
        return
    for reference in scene.references:
        if reference.kind == "target" and not _is_target(reference.name, project.figures):
            near = nearest(reference.name, (*_STAGE, *sorted(project.figures)))
            yield _unknown(reference, "WG211", near, name=reference.name)


def _is_target(name: str, figures: Collection[str]) -> bool:
    return name in figures or name in _STAGE or "{" in name or _SIDE.fullmatch(name) is not None


def check_speakers(scene: Scene, project: ProjectNames, characters: Collection[str]) -> Findings:
    spoken = project.spoken
    commands = set()
    for name, line in scene.suspects:
        if name in characters or (spoken[name] > 1 and (is_number(name) or not is_surely_no_name(name))):
            continue
        commands.add(name)
        speaker = _speaker(scene, line, name)
        if is_number(name):
            colon = Edit(speaker.start, speaker.start, ":", is_safe=False)
            yield Finding("WG306", line, speaker.start, speaker.end, {"name": name}, colon)
        else:
            near = guess(name) or []
            yield _finding(speaker, "WG105", near[0] if near else None, name=name, near=", ".join(near))
    strangers = [name for name in scene.speakers if spoken[name] == 1 and name not in commands]
    for name in strangers[:MOST_GUESSES]:
        if name in characters or (other := _regular_meant(name, project.regulars)) is None:
            continue
        for line in scene.speaker_lines(name):
            yield _finding(_speaker(scene, line, name), "WG315", other, name=name, near=other)


def _speaker(scene: Scene, line: int, name: str) -> Reference:
    return Reference("speaker", name, line, max(scene.lines[line - 1].find(name), 0), SAY)


def _regular_meant(name: str, regulars: Mapping[str, str]) -> str | None:
    """Returns a frequent speaker with nearly the same name. In short names, one letter makes another person."""
    plain = normalize(name)
    for other, against in regulars.items():
        if other == name or abs(len(other) - len(name)) > _LONG_NAME:
            continue
        if against == plain or (len(plain) >= _LONG_NAME and _is_slip(plain, against)):
            return other
    return None


def _is_slip(one: str, other: str) -> bool:
    """A digit also makes another person: guard1 and guard2."""
    if distance(one, other, 1) > 1:
        return False
    return not any(char.isdigit() for char in set(one) ^ set(other))


def referenced_files(scene: Scene, listing: Listing) -> frozenset[str]:
    """Returns the paths below the game's folder that a scene's files lead to."""
    find = listing.find
    return frozenset([find(each.folder, each.name)[1] for each in scene.references if each.kind == "file"])


def unused(assets: GameAssets, uses: Collection[str], dynamic: Collection[str]) -> Iterator[str]:
    """Skips folders in which some names are only known at run time."""
    used = {*uses, *assets.parts}
    for setting in read_config(assets.config or ""):
        if setting.key in FILES:
            used.update(assets.listing.find(FILES[setting.key], name)[1] for name in setting.values)
    for path in assets.listing.paths:
        folder, name = path.partition("/")[0], posixpath.basename(path)
        if folder not in FOLDERS or folder in dynamic:
            continue
        if path not in used and not name.startswith(".") and name not in assets.mentions:
            yield path
