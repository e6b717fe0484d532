"""Finds the engine that shows a game: the project's own if it has one, otherwise the one in handrail."""

from __future__ import annotations

import os
import re
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.ports.errors import Failure, NotShown

if TYPE_CHECKING:
    from handrail.ports.files import Folder
    from handrail.ports.machine import OpenFolder

ENGINE_FOLDER = Path(__file__).parents[2] / "engine"
_PAGE = "index.html"
_LARGEST_PAGE = 4 << 20
_LARGEST_SCRIPT = 32 << 20
_SCRIPT = re.compile(rb'<script[^>]*\ssrc="\./([^"?#]+\.js)"')
# As engines hold their own number once they are built: `a="4.5.18",b={version:a,`.
_VERSION = re.compile(rb'="([0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.-]{0,20})",[\w$]+=\{version:')


def find_engine(open_folder: OpenFolder, files: Folder, game: str) -> tuple[Folder, str]:
    """The folder with the engine's page, and the path in it. NotShown if there is none."""
    beside = _beside(files, game)
    return (_ours(open_folder), ".") if beside is None else (files, beside)


def describe_engine(open_folder: OpenFolder, project: Path) -> str:
    """Which engine shows this project's game, for people. NotShown if there is none."""
    from handrail.features.webgal.previews.place import game_of

    files = open_folder(os.path.abspath(project))
    with closing(files):
        beside = _beside(files, game_of(files) or ".")
        if beside is not None:
            return f"{_version(files, beside)}, of the project's own"
    engine = _ours(open_folder)
    with closing(engine):
        return f"{_version(engine, '.')}, with handrail"


def _beside(files: Folder, game: str) -> str | None:
    """The path of the project's own engine."""
    above = game.rpartition("/")[0] or "."
    try:
        page = files.read(_in(above, _PAGE), _LARGEST_PAGE)
    except Failure:
        return None
    return above if game != "." and b"webgal" in page.lower() else None


def _ours(open_folder: OpenFolder) -> Folder:
    if not (ENGINE_FOLDER / _PAGE).is_file():
        raise NotShown(
            "The WebGAL engine is not installed, and the project brings none.",
            hint="Run `make setup`; a wheel brings it along. Or put a built engine beside the game's folder.",
        )
    return open_folder(str(ENGINE_FOLDER))


def _version(engine: Folder, folder: str) -> str:
    with suppress(Failure, UnicodeDecodeError):
        for script in _SCRIPT.findall(engine.read(_in(folder, _PAGE), _LARGEST_PAGE)):
            found = _VERSION.search(engine.read(_in(folder, script.decode()), _LARGEST_SCRIPT))
            if found is not None:
                return str(found[1].decode())
    return "of an unknown version"


def _in(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
