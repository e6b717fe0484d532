"""Finds the engine that shows a game: the project's own if it can be controlled, otherwise the one in handrail."""

from __future__ import annotations

import os
import posixpath
import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.webgal.script.engine import Engine, read_engine
from handrail.ports.errors import Failure, NotShown

if TYPE_CHECKING:
    from handrail.ports.files import Folder, Stamp
    from handrail.ports.machine import OpenFolder

ENGINE_FOLDER = Path(__file__).parents[2] / "engine"
CONTROLLED_SINCE = (4, 5)
"""Pages of older engines never connect to the preview."""
_PAGE = "index.html"
_LARGEST_PAGE = 4 << 20
_LARGEST_SCRIPT = 32 << 20
_SCRIPT = re.compile(rb'<script[^>]*\ssrc="(?:\./|/)?([^"?#:]+\.js)"')


def find_engine(open_folder: OpenFolder, files: Folder, game: str) -> tuple[Folder, str]:
    """The folder with the engine's page, and the path in it. NotShown if there is none."""
    beside = engine_folder(files, game)
    if beside is None or _uncontrolled(files, beside) is not None:
        return _ours(open_folder), "."
    return files, beside


def engine_note(files: Folder, game: str) -> str | None:
    """Why another engine than the game's own shows it; None if its own does, or it has none."""
    beside = engine_folder(files, game)
    version = None if beside is None else _uncontrolled(files, beside)
    if version is None:
        return None
    return f"The game's own engine, {version}, is older than 4.5 and doesn't follow a preview: shown with handrail's."


def _uncontrolled(files: Folder, folder: str) -> str | None:
    """The version of an engine that is too old to be controlled."""
    engine = engine_in(files, folder)
    return engine.version if engine is not None and engine.number < CONTROLLED_SINCE else None


def describe_engine(open_folder: OpenFolder, project: Path) -> str:
    """Which engine shows this project's game, for people. NotShown if there is none."""
    from handrail.features.webgal.previews.scene_finder import find_game

    files = open_folder(os.path.abspath(project))
    with closing(files):
        game = find_game(files) or "."
        engine, folder = find_engine(open_folder, files, game)
        if engine is files:
            return f"{_version(files, folder)}, of the project's own"
        note = engine_note(files, game)
    with closing(engine):
        return f"{_version(engine, folder)}, with handrail{f'. {note}' if note else ''}"


def engine_folder(files: Folder, game: str) -> str | None:
    """The folder with the project's own engine: the one above the game's, if its page is WebGAL's."""
    if game == ".":
        return None
    above = posixpath.dirname(game) or "."
    try:
        page = files.read(_in(above, _PAGE), _LARGEST_PAGE)
    except Failure:
        return None
    return above if b"webgal" in page.lower() else None


def engine_in(files: Folder, folder: str) -> Engine | None:
    """The engine whose page is in this folder; None if its scripts don't name its version."""
    try:
        scripts = [found.decode() for found in _SCRIPT.findall(files.read(_in(folder, _PAGE), _LARGEST_PAGE))]
    except (Failure, UnicodeDecodeError):
        return None
    return next((engine for script in scripts if (engine := _engine(files, _in(folder, script)))), None)


_engines: dict[tuple[str, str, Stamp], Engine | None] = {}


def _engine(files: Folder, script: str) -> Engine | None:
    """Scripts are large: each is read once, until it changes."""
    try:
        stamp = files.stamp(script)
        if stamp is None:
            return None
        key = (files.location, script, stamp)
        if key not in _engines:
            _engines[key] = read_engine(files.read(script, _LARGEST_SCRIPT))
        return _engines[key]
    except Failure:
        return None


def _ours(open_folder: OpenFolder) -> Folder:
    if not (ENGINE_FOLDER / _PAGE).is_file():
        raise NotShown(
            "The WebGAL engine is not installed, and the project brings none.",
            hint="Run `make setup`; a wheel brings it along. Or put a built engine beside the game's folder.",
        )
    return open_folder(str(ENGINE_FOLDER))


def _version(files: Folder, folder: str) -> str:
    engine = engine_in(files, folder)
    return "of an unknown version" if engine is None else engine.version


def _in(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
