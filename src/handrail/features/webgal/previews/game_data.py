"""The game's data for the console's page: problems, files and where they are used."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.webgal.script.anatomy import ColouredParts, coloured_parts
from handrail.features.webgal.script.config_file import FILES, read_config
from handrail.features.webgal.script.findings import Finding, Language, fixed_line, kind_of, message
from handrail.features.webgal.script.graph import ENTRY
from handrail.features.webgal.script.listing import FileStatus
from handrail.features.webgal.script.media import Kind
from handrail.features.webgal.script.media import kind_of as media_kind
from handrail.features.webgal.script.parser import FOLDERS, split_lines
from handrail.features.webgal.script.project import CONFIG, SCENES, Project
from handrail.ports.files import Stamp

_FOLDERS = (*FOLDERS, "animation")
_TABLE = "animation/animationTable.json"


class Problem(msgspec.Struct, frozen=True, rename="camel"):
    """`start` and `end` are characters of the line.

    A `fix_hint` with `is_guess` is never applied together with others.
    """

    path: str
    line: int
    code: str
    kind: Literal["syntax", "resource", "style"]
    message: str
    start: int
    end: int
    fix_hint: str | UnsetType = UNSET
    is_guess: bool | UnsetType = UNSET


class SceneEntry(msgspec.Struct, frozen=True, rename="camel"):
    path: str
    name: str
    lines: int
    is_reachable: bool


class Overview(msgspec.Struct, frozen=True):
    folder: str
    title: str
    stamp: str
    entry: str | None
    config: str | None
    lines: int
    scenes: list[SceneEntry]
    problems: list[Problem]


class Text(msgspec.Struct, frozen=True):
    path: str
    stamp: str
    text: str
    parts: list[ColouredParts]


class Use(msgspec.Struct, frozen=True):
    path: str
    line: int


class Resource(msgspec.Struct, frozen=True, rename="camel"):
    """`version` changes with the file; `is_unused` means that nothing uses it."""

    path: str
    folder: str
    name: str
    kind: Kind
    size: int
    version: str
    uses: list[Use]
    is_unused: bool


class Missing(msgspec.Struct, frozen=True):
    path: str
    uses: list[Use]


class Resources(msgspec.Struct, frozen=True):
    resources: list[Resource]
    missing: list[Missing]


def overview(project: Project, unreadable: list[str], stamp: str, language: Language) -> Overview:
    prefix, reachable = project.assets.folder, project.graph().reachable()
    names = sorted([*project.scenes, *(path.removeprefix(f"{prefix}{SCENES}/") for path in unreadable)])
    lines = {name: len(scene.lines) for name, scene in project.scenes.items()}
    titles = [each.values for each in read_config(project.assets.config or "") if each.key == "Game_name"]
    return Overview(
        folder=prefix.rstrip("/") or ".",
        title=titles[0][0] if titles and titles[0] else "",
        stamp=stamp,
        entry=f"{prefix}{SCENES}/{ENTRY}" if ENTRY in project.scenes else None,
        config=f"{prefix}{CONFIG}" if project.assets.config is not None else None,
        lines=sum(lines.values()),
        scenes=[SceneEntry(f"{prefix}{SCENES}/{name}", name, lines.get(name, 0), name in reachable) for name in names],
        problems=[*_problems(project, unreadable, language)],
    )


def _problems(project: Project, unreadable: list[str], language: Language) -> Iterator[Problem]:
    for path in unreadable:
        yield _problem(path, Finding("WG125", 1), [], language)
    for name, findings in sorted(project.everything().items()):
        lines = split_lines(project.text_of(name))
        for finding in findings:
            yield _problem(project.assets.folder + name, finding, lines, language)


def _problem(path: str, finding: Finding, lines: list[str], language: Language) -> Problem:
    fixed = fixed_line(finding, lines)
    return Problem(
        path,
        finding.line,
        finding.code,
        kind_of(finding),
        message(finding, language).removesuffix(f" [{finding.code}]"),
        finding.start,
        finding.end,
        UNSET if fixed is None else fixed,
        True if finding.edit is not None and not finding.edit.is_safe else UNSET,
    )


def source(path: str, text: str, stamp: str, *, is_config: bool) -> Text:
    lines = split_lines(text)
    return Text(path, stamp, "\n".join(lines), [coloured_parts(line, is_setting=is_config) for line in lines])


def resources(project: Project, stamps: Mapping[str, Stamp]) -> Resources:
    assets, prefix = project.assets, project.assets.folder
    uses, missing = _uses(project)
    unused = {path for path, findings in project.overall().items() if any(each.code == "WG404" for each in findings)}
    existing_paths = frozenset(assets.listing.paths)
    items = [
        Resource(
            prefix + path,
            folder,
            path.partition("/")[2],
            media_kind(path, existing_paths, assets.models),
            stamps[path].size,
            f"{stamps[path].changed_ns:x}{stamps[path].inode:x}",
            uses.get(path, []),
            path in unused,
        )
        for path in assets.listing.paths
        if (folder := path.partition("/")[0]) in _FOLDERS
        and path in stamps
        and path != _TABLE
        and path not in assets.parts
        and not posixpath.basename(path).startswith(".")
    ]
    return Resources(items, [Missing(prefix + path, findings) for path, findings in sorted(missing.items())])


def _uses(project: Project) -> tuple[dict[str, list[Use]], dict[str, list[Use]]]:
    """Returns where existing files are used, and where missing ones are."""
    existing: dict[str, list[Use]] = {}
    missing: dict[str, list[Use]] = {}
    listing, prefix = project.assets.listing, f"{project.assets.folder}{SCENES}/"
    for name, scene in sorted(project.scenes.items()):
        for reference in scene.references:
            use = Use(prefix + name, reference.line)
            if reference.kind == "animation":
                existing.setdefault(f"animation/{reference.name}.json", []).append(use)
            if reference.kind not in ("file", "scene"):
                continue
            status, path = listing.find(reference.folder, reference.name)
            if status is not FileStatus.UNKNOWN:
                uses = missing if status is FileStatus.MISSING else existing
                uses.setdefault(path, []).append(use)
    for setting in read_config(project.assets.config or ""):
        for value in setting.values if setting.key in FILES else ():
            status, path = listing.find(FILES[setting.key], value)
            if status is not FileStatus.UNKNOWN:
                uses = missing if status is FileStatus.MISSING else existing
                uses.setdefault(path, []).append(Use(project.assets.folder + CONFIG, setting.line))
    return existing, missing
