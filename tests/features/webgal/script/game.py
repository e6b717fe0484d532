"""A small game in memory for testing rules."""

from typing import Any

from handrail.features.webgal.script.findings import Finding
from handrail.features.webgal.script.listing import GameAssets, Listing
from handrail.features.webgal.script.project import Project

FILES = (
    "background/bg.png",
    "background/beach.jpg",
    "background/Night.PNG",
    "background/cg/my bg-1.png",
    "figure/a.png",
    "figure/hero.json",
    "figure/hero.skel",
    "bgm/a.mp3",
    "vocal/v1.wav",
    "video/op.mp4",
    "animation/wave.json",
)


def game(*scenes: str, files: tuple[str, ...] = FILES, silenced: tuple[str, ...] = (), **assets: Any) -> Project:
    """Scenes are named start.txt, scene1.txt, scene2.txt …"""
    names = [_name(number) for number in range(len(scenes))]
    listing = Listing.of([*files, *(f"scene/{name}" for name in names)], assets.pop("links", ()))
    project = Project(GameAssets(listing, animations=frozenset({"enter", "shake", "wave"}), **assets), silenced)
    for name, text in zip(names, scenes, strict=True):
        project.update(name, text)
    return project


def _name(number: int) -> str:
    return f"scene{number}.txt" if number else "start.txt"


def findings(script: str, **assets: Any) -> list[Finding]:
    return game(script, **assets).findings("start.txt")


def told(script: str, **assets: Any) -> list[str]:
    """The codes, line by line."""
    return [finding.code for finding in findings(script, **assets)]
