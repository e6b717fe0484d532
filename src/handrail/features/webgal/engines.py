"""Finds the engine that shows a game: the project's own if it can be controlled, otherwise handrail's."""

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
"""Older engines never connect to the preview."""
_PAGE = "index.html"
_MAX_PAGE = 4 << 20
_MAX_SCRIPT = 32 << 20
_SCRIPT = re.compile(rb'<script[^>]*\ssrc="(?:\./|/)?([^"?#:]+\.js)"')


def find_engine(open_folder: OpenFolder, files: Folder, game: str) -> tuple[Folder, str]:
    """Returns the folder with the engine's page, and the path in it. Raises NotShown if there is none."""
    own = engine_folder(files, game)
    if own is None or _uncontrollable_engine(files, own) is not None:
        return _bundled_engine(open_folder), "."
    return files, own


def older_engine(files: Folder, game: str) -> Engine | None:
    """Returns the game's own engine if it is too old to be controlled, so that handrail's shows the game."""
    own = engine_folder(files, game)
    return None if own is None else _uncontrollable_engine(files, own)


def older_engine_note(engine: Engine) -> str:
    return (
        f"The game's own engine ({engine.version}) is older than 4.5 and has no preview support, so handrail's is used."
    )


def _uncontrollable_engine(files: Folder, folder: str) -> Engine | None:
    engine = engine_in(files, folder)
    return engine if engine is not None and engine.number < CONTROLLED_SINCE else None


def describe_engine(open_folder: OpenFolder, project: Path) -> str:
    """Returns which engine shows this project's game, for people. Raises NotShown if there is none."""
    from handrail.features.webgal.previews.scene_finder import find_game

    files = open_folder(os.path.abspath(project))
    with closing(files):
        game = find_game(files) or "."
        engine, folder = find_engine(open_folder, files, game)
        if engine is files:
            return f"{_version(files, folder)}, of the project's own"
        older = older_engine(files, game)
    with closing(engine):
        note = f". {older_engine_note(older)}" if older else ""
        return f"{_version(engine, folder)}, with handrail{note}"


def engine_folder(files: Folder, game: str) -> str | None:
    """Returns the folder with the project's own engine: the one above the game's, if its page is WebGAL's."""
    if game == ".":
        return None
    above = posixpath.dirname(game) or "."
    try:
        page = files.read(_join(above, _PAGE), _MAX_PAGE)
    except Failure:
        return None
    return above if b"webgal" in page.lower() else None


def engine_in(files: Folder, folder: str) -> Engine | None:
    """Returns the engine whose page is in this folder; None if its scripts don't contain a version."""
    try:
        scripts = [name.decode() for name in _SCRIPT.findall(files.read(_join(folder, _PAGE), _MAX_PAGE))]
    except (Failure, UnicodeDecodeError):
        return None
    return next((engine for script in scripts if (engine := _engine(files, _join(folder, script)))), None)


_engines: dict[tuple[str, str, Stamp], Engine | None] = {}


def _engine(files: Folder, script: str) -> Engine | None:
    """Scripts are large, so each is read only once until it changes."""
    try:
        stamp = files.stamp(script)
        if stamp is None:
            return None
        key = (files.location, script, stamp)
        if key not in _engines:
            _engines[key] = read_engine(files.read(script, _MAX_SCRIPT))
        return _engines[key]
    except Failure:
        return None


def _bundled_engine(open_folder: OpenFolder) -> Folder:
    if not (ENGINE_FOLDER / _PAGE).is_file():
        raise NotShown(
            "The WebGAL engine is not installed, and the project doesn't include one.",
            hint="Run `make setup`; a wheel includes it. Or put a built engine beside the game's folder.",
        )
    return open_folder(str(ENGINE_FOLDER))


def _version(files: Folder, folder: str) -> str:
    engine = engine_in(files, folder)
    return "of an unknown version" if engine is None else engine.version


def _join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
