"""Relates a preview to the scene's text: files to preload, and the lines that caused errors."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from handrail.features.browser.offers import PageProblem
from handrail.features.webgal.preview_ports import Destination, Position, ShownScene
from handrail.features.webgal.script.conditions import interpolated
from handrail.features.webgal.script.findings import kind_of
from handrail.features.webgal.script.graph import ENTRY
from handrail.features.webgal.script.media import IMAGES
from handrail.features.webgal.script.parser import is_address, read_scene, split_lines
from handrail.features.webgal.script.scene import Scene

_EFFECT, _EFFECTS = "pixi", "tex/"
RESOURCES = ("background/", "figure/", "bgm/", "vocal/", "video/", "scene/", "tex/")


def fetched_ahead(text: str) -> frozenset[str]:
    """Returns the files that an engine preloads once it has read the scene, relative to the game's folder."""
    assets = (asset for sentence in read_scene(text) for asset in sentence.assets)
    return frozenset(
        _requested_path("", address.removeprefix("./game/")) for address, _ in assets if not is_address(address)
    )


def lines_using(text: str, missing: Iterable[str]) -> dict[str, list[int]]:
    """Returns the lines that name each of the missing files."""
    missing_paths, lines_by_path = set(missing), dict[str, list[int]]()
    scene = Scene(text)
    scene.check()
    for reference in scene.references:
        path = _requested_path(reference.folder, reference.name)
        if path in missing_paths and reference.line not in (lines := lines_by_path.setdefault(path, [])):
            lines.append(reference.line)
    for path in missing_paths:
        if path.startswith(_EFFECTS) and (lines := _effect_lines(text, path)):
            lines_by_path[path] = lines
    return lines_by_path


def _effect_lines(text: str, path: str) -> list[int]:
    """Returns the lines with the effects that draw this picture: `snow` and `heavySnow` draw tex/snow.png."""
    stem = posixpath.splitext(posixpath.basename(path))[0].lower()
    effects = (
        (number, each.content.lower())
        for number, each in enumerate(read_scene(text), start=1)
        if each.command == _EFFECT
    )
    return [number for number, name in effects if name and (stem in name or name in stem)]


def scenes_named(text: str) -> list[str]:
    """Returns the scenes that a scene leads to, relative to the folder of scenes."""
    scene = Scene(text)
    scene.check()
    names = (_requested_path(each.folder, each.name) for each in scene.references if each.kind == "scene")
    return list(dict.fromkeys(name.removeprefix("scene/") for name in names))


def line_naming(text: str, address: str) -> int | None:
    """Returns the first line that contains a web address."""
    for number, line in enumerate(split_lines(text), start=1):
        if address in line or unquote(address) in line:
            return number
    return None


def likely_line(text: str, last: int) -> int:
    """Returns the likely cause of an error after some lines ran: the last one with a mistake, or the last."""
    scene = Scene(text)
    scene.check()
    faulty = [each.line for each in scene.findings if each.line <= last and kind_of(each) == "syntax"]
    return max(faulty, default=last)


def _requested_path(folder: str, name: str) -> str:
    """Returns the path that a browser requests."""
    plain = unquote(name.partition("?")[0].partition("#")[0])
    return posixpath.normpath(posixpath.join(folder, plain))


_MOST_LINES = 5
# Messages that appear in every game, because a jump cuts off sounds and transitions. What names a file that is reported
# is left out, too.
_HARMLESS = (
    *("The play() request was interrupted", "AbortError", "status code 404"),
    "Cannot read properties of undefined (reading 'x')",  # an engine places what has no transform
)
_ABOUT_SOUNDS = ("NotSupportedError",)


@dataclass(frozen=True, slots=True)
class PreviewLog:
    lines: list[str]
    first_error_line: int | None


def preview_log(
    showing: ShownScene, destination: Destination, text: str, game: str, scenes: Iterable[tuple[str, str]] = ()
) -> PreviewLog:
    """Lists problems in the order of the scene's lines; messages without a line come last.

    `scenes` are the names and texts of scenes that this one leads to: an engine also preloads their files.
    """
    numbered: list[tuple[int, str]] = []
    others: list[str] = []
    new = {*showing.newly_missing, *showing.newly_broken}
    problems = {path: f"can't be {_shown_or_played(path)}: the browser can't decode it." for path in showing.broken}
    problems |= dict.fromkeys(showing.missing, "is not there.")
    lines_by_path, elsewhere = lines_using(text, problems), None
    variables = showing.position.stage.get("GameVar")
    set_variables = variables if isinstance(variables, dict) else {}
    for path, problem in problems.items():
        if (names := interpolated(path)) and all(name in set_variables for name in names):
            continue  # preloaded by its name in the script; then the engine requested it with the variables' values
        message = f"{path if game == '.' else f'{game}/{path}'} {problem}"
        if path in lines_by_path:
            used_on = sorted(lines_by_path[path])
            numbered.append((used_on[0], f"{_lines_text(used_on)}: {message}"))
        elif path in new and path.startswith(RESOURCES) and not path.endswith("/"):
            elsewhere = _uses_in_other_scenes(scenes, new) if elsewhere is None else elsewhere
            others.append(f"{elsewhere[path]}: {message}" if path in elsewhere else message)
    harmless = (*_HARMLESS, *(_ABOUT_SOUNDS if problems else ()), *(f"game/{path}" for path in problems))
    for trouble in showing.troubles:
        if any(mark in trouble.message for mark in harmless):
            continue
        line = _line_of_trouble(trouble, text)
        if line is not None:
            numbered.append((line, f"{_lines_text([line])}: {trouble.message}"))
        else:
            others.append(trouble.message)
    numbered.sort()
    lines = [
        _position_text(showing.position, destination),
        *dict.fromkeys(line for _, line in numbered),
        *dict.fromkeys(others),
    ]
    return PreviewLog(lines, numbered[0][0] if numbered else None)


def _shown_or_played(path: str) -> str:
    return "shown" if posixpath.splitext(path)[1].lower() in IMAGES else "played"


def _uses_in_other_scenes(scenes: Iterable[tuple[str, str]], paths: Iterable[str]) -> dict[str, str]:
    """For each file that another scene uses, returns that scene and its lines."""
    uses = dict[str, str]()
    for name, text in scenes:
        for path, lines in lines_using(text, paths).items():
            uses.setdefault(path, f"{name}, {_lines_text(sorted(lines))}")
    return uses


def _line_of_trouble(trouble: PageProblem, text: str) -> int | None:
    if trouble.url is not None:
        return line_naming(text, trouble.url)
    return None if trouble.line is None else likely_line(text, trouble.line)


def _position_text(position: Position, destination: Destination) -> str:
    if position.has_left:
        is_title = position.line == 0 and position.scene in ("", ENTRY)
        where = "the title" if is_title else f"{position.scene}, line {max(position.line, 1)}"
        return f"{destination.scene} has been run and has led to {where}."
    if position.is_waiting:
        return (
            f"{destination.scene} stays at line {position.line} and does not come to line {destination.line} by itself."
        )
    return f"{destination.scene} is shown at line {position.line}."


def _lines_text(lines: list[int]) -> str:
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"line {', '.join(map(str, lines[:_MOST_LINES]))}{more}"
