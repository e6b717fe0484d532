"""What a scene's text says about its preview: where there is something to see, and which lines want which files."""

import posixpath
from collections.abc import Iterable
from urllib.parse import unquote

from handrail.features.webgal.script.findings import kind_of
from handrail.features.webgal.script.parser import COMMENT, is_address, read_scene, split_lines
from handrail.features.webgal.script.scene import Scene

_SHOWN = frozenset({"say", "intro", "choose", "getUserInput", "showVars", "video"})
RESOURCES = ("background/", "figure/", "bgm/", "vocal/", "video/", "scene/", "tex/")


def first_shown_line(text: str) -> int:
    """The first line at which a player sees something; in a scene without any, its last statement."""
    last = 1
    for number, sentence in enumerate(read_scene(text), start=1):
        if sentence.command in _SHOWN:
            return number
        last = last if sentence.command == COMMENT else number
    return last


def fetched_ahead(text: str) -> frozenset[str]:
    """The files that an engine asks for as soon as it has read the scene, relative to the game's folder."""
    assets = (asset for sentence in read_scene(text) for asset in sentence.assets)
    return frozenset(_asked("", address.removeprefix("./game/")) for address, _ in assets if not is_address(address))


def lines_wanting(text: str, missing: Iterable[str]) -> dict[str, list[int]]:
    """For each of the missing files that the scene names, its lines."""
    sought, found = set(missing), dict[str, list[int]]()
    scene = Scene(text)
    scene.check()
    for reference in scene.references:
        path = _asked(reference.folder, reference.name)
        if path in sought and reference.line not in (lines := found.setdefault(path, [])):
            lines.append(reference.line)
    return found


def line_naming(text: str, address: str) -> int | None:
    """The first line that names an address on the web."""
    for number, line in enumerate(split_lines(text), start=1):
        if address in line or unquote(address) in line:
            return number
    return None


def line_to_blame(text: str, last: int) -> int:
    """For what goes wrong after some lines were run: the last of them with a mistake in it, or the very last."""
    scene = Scene(text)
    scene.check()
    faulty = [each.line for each in scene.findings if each.line <= last and kind_of(each) == "syntax"]
    return max(faulty, default=last)


def _asked(folder: str, name: str) -> str:
    """As a browser asks for it."""
    plain = unquote(name.partition("?")[0].partition("#")[0])
    return posixpath.normpath(posixpath.join(folder, plain))
