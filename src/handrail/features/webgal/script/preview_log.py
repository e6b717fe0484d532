"""What a scene's text says about its preview: the first visible line, and the lines that caused errors."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from handrail.features.browser.offers import PageProblem
from handrail.features.webgal.preview_ports import Destination, Position, ShownScene
from handrail.features.webgal.script.findings import kind_of
from handrail.features.webgal.script.parser import is_address, read_scene, split_lines
from handrail.features.webgal.script.scene import Scene

RESOURCES = ("background/", "figure/", "bgm/", "vocal/", "video/", "scene/", "tex/")


def fetched_ahead(text: str) -> frozenset[str]:
    """The files that an engine preloads once it has read the scene, relative to the game's folder."""
    assets = (asset for sentence in read_scene(text) for asset in sentence.assets)
    return frozenset(_asked("", address.removeprefix("./game/")) for address, _ in assets if not is_address(address))


def lines_wanting(text: str, missing: Iterable[str]) -> dict[str, list[int]]:
    """For each missing file that the scene names, its lines."""
    sought, found = set(missing), dict[str, list[int]]()
    scene = Scene(text)
    scene.check()
    for reference in scene.references:
        path = _asked(reference.folder, reference.name)
        if path in sought and reference.line not in (lines := found.setdefault(path, [])):
            lines.append(reference.line)
    return found


def scenes_named(text: str) -> list[str]:
    """The scenes that a scene leads to, as its lines name them, relative to the folder of scenes."""
    scene = Scene(text)
    scene.check()
    names = (_asked(each.folder, each.name) for each in scene.references if each.kind == "scene")
    return list(dict.fromkeys(name.removeprefix("scene/") for name in names))


def line_naming(text: str, address: str) -> int | None:
    """The first line that names a web address."""
    for number, line in enumerate(split_lines(text), start=1):
        if address in line or unquote(address) in line:
            return number
    return None


def line_to_blame(text: str, last: int) -> int:
    """For an error after some lines were run: the last of them with a mistake, or the very last."""
    scene = Scene(text)
    scene.check()
    faulty = [each.line for each in scene.findings if each.line <= last and kind_of(each) == "syntax"]
    return max(faulty, default=last)


def _asked(folder: str, name: str) -> str:
    """As a browser requests it."""
    plain = unquote(name.partition("?")[0].partition("#")[0])
    return posixpath.normpath(posixpath.join(folder, plain))


_MOST_LINES = 5
# What an engine says in every game: sounds that a jump cuts off. And what is missing, once more.
_HARMLESS = ("The play() request was interrupted", "AbortError", "status code 404")
_ABOUT_SOUNDS = ("NotSupportedError",)


@dataclass(frozen=True, slots=True)
class PreviewLog:
    lines: list[str]
    first_error_line: int | None


def preview_log(
    showing: ShownScene, destination: Destination, text: str, game: str, scenes: Iterable[tuple[str, str]] = ()
) -> PreviewLog:
    """In the order of the scene's lines; messages without a line come last.

    `scenes` are the names and texts of those that this one leads to: an engine fetches what these need as well.
    """
    numbered: list[tuple[int, str]] = []
    others: list[str] = []
    new = {*showing.newly_missing, *showing.newly_broken}
    said = dict.fromkeys(showing.broken, "can't be shown: it is not a picture that a browser can decode.")
    said |= dict.fromkeys(showing.missing, "is not there.")
    wanting, elsewhere = lines_wanting(text, said), None
    for path, what in said.items():
        message = f"{path if game == '.' else f'{game}/{path}'} {what}"
        if path in wanting:
            wanted_by = sorted(wanting[path])
            numbered.append((wanted_by[0], f"{_shown_lines(wanted_by)}: {message}"))
        elif path in new and path.startswith(RESOURCES) and not path.endswith("/"):
            elsewhere = _wanted_elsewhere(scenes, new) if elsewhere is None else elsewhere
            others.append(f"{elsewhere[path]}: {message}" if path in elsewhere else message)
    harmless = _HARMLESS + (_ABOUT_SOUNDS if showing.missing else ())
    for trouble in showing.troubles:
        if any(mark in trouble.message for mark in harmless):
            continue
        line = _line_of_trouble(trouble, text)
        if line is not None:
            numbered.append((line, f"{_shown_lines([line])}: {trouble.message}"))
        else:
            others.append(trouble.message)
    numbered.sort()
    lines = [
        _shown_place(showing.position, destination),
        *dict.fromkeys(line for _, line in numbered),
        *dict.fromkeys(others),
    ]
    return PreviewLog(lines, numbered[0][0] if numbered else None)


def _wanted_elsewhere(scenes: Iterable[tuple[str, str]], paths: Iterable[str]) -> dict[str, str]:
    """For each of the files that another scene names, that scene and its lines."""
    found = dict[str, str]()
    for name, text in scenes:
        for path, lines in lines_wanting(text, paths).items():
            found.setdefault(path, f"{name}, {_shown_lines(sorted(lines))}")
    return found


def _line_of_trouble(trouble: PageProblem, text: str) -> int | None:
    if trouble.url is not None:
        return line_naming(text, trouble.url)
    return None if trouble.line is None else line_to_blame(text, trouble.line)


def _shown_place(position: Position, destination: Destination) -> str:
    if position.has_left:
        where = f"{position.scene}, line {position.line}" if position.scene and position.line else "the title"
        return f"{destination.scene} has been run and has led to {where}."
    if position.is_waiting:
        return (
            f"{destination.scene} stays at line {position.line} and does not come to line {destination.line} by itself."
        )
    return f"{destination.scene} is shown at line {position.line}."


def _shown_lines(lines: list[int]) -> str:
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"line {', '.join(map(str, lines[:_MOST_LINES]))}{more}"
