"""What an agent must know about a game before it writes: characters, resources, and how scripts are written."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from handrail.features.webgal.prompt_texts import texts_in
from handrail.ports.errors import NotFound
from handrail.ports.language import Language, preferred_language
from handrail.ports.paths import parse_path

if TYPE_CHECKING:
    from handrail.features.webgal.script.findings import Finding
    from handrail.features.webgal.script.project import Project
    from handrail.features.webgal.tools.list_project_resources import Result

_FOLDER = "scene/"
_SUFFIX = ".txt"


def scene_path(project: "Project", name: str) -> str:
    """Returns the path of a scene, whether it exists or not."""
    return f"{project.assets.folder}{_FOLDER}{scene_name(project, name)}"


def scene_name(project: "Project", text: str) -> str:
    """Returns the scene's name in the game, with its extension. Raises OutsideRoot or InvalidParams."""
    name = "/".join(parse_path(text)).removeprefix(f"{project.assets.folder}{_FOLDER}")
    return name if name.endswith(_SUFFIX) else f"{name}{_SUFFIX}"


def existing_scene(project: "Project", text: str) -> str:
    """Returns the name of an existing scene. Raises NotFound."""
    name = scene_name(project, text)
    if name not in project.scenes:
        near = get_close_matches(name, project.scenes, n=3) or sorted(project.scenes)[:5]
        hint = f"There are {', '.join(near)}." if near else "The game has no scenes yet."
        raise NotFound(f"There is no scene {name}.", hint=hint, path=scene_path(project, text))
    return name


def scene_findings(project: "Project", names: Iterable[str]) -> "Iterator[tuple[str, Finding, str, str | None]]":
    """Yields the scene, the finding, its message and the fixed line."""
    from handrail.features.webgal.script.findings import fixed_line, message
    from handrail.features.webgal.script.parser import split_lines

    for name in names:
        lines = split_lines(project.scenes[name].text)
        for finding in project.findings(name):
            yield name, finding, message(finding, LANGUAGE), fixed_line(finding, lines)


_MOST_NAMES = 80
_MOST_FINDINGS = 100

LANGUAGE: Language = preferred_language(os.environ) or "en"
TEXTS = texts_in(LANGUAGE)
"""Prompts are in English unless a language is requested."""


def format_text(name: str, /, **values: object) -> str:
    return TEXTS[name].format(**values)


def describe_game(project: "Project", listed: "Result") -> str:
    """Describes the game in a few lines. Names are written exactly as in scripts."""
    folder = project.assets.folder
    variables = sorted({name for scene in project.scenes.values() for name in scene.sets})
    return "\n".join(
        [
            TEXTS["facts"],
            _line(TEXTS["characters"], _characters(project)),
            _line(format_text("backgrounds", folder=folder), listed.backgrounds),
            _line(format_text("figures", folder=folder), listed.figures),
            _line(format_text("bgm", folder=folder), listed.bgm),
            _line(format_text("vocals", folder=folder), listed.vocals),
            _line(format_text("scenes", folder=folder), listed.scenes),
            _line(TEXTS["variables"], variables),
            TEXTS["only these"],
        ]
    )


def describe_problems(
    project: "Project", names: Sequence[str], findings: "Iterable[tuple[str, Finding, str, str | None]]"
) -> str:
    """`findings` has the scene, the finding, its message and the fixed line."""
    lines, count, current = [], 0, None
    for name, finding, message, fixed in findings:
        count += 1
        if count > _MOST_FINDINGS:
            continue
        if name != current:
            lines.append(f"### {project.assets.folder}scene/{name}")
            current = name
        lines.append(format_text("at line", line=finding.line, message=message))
        if fixed is not None:
            lines.append(format_text("better", text=fixed))
    if count > _MOST_FINDINGS:
        lines.append(format_text("more problems", count=count - _MOST_FINDINGS))
    if not count:
        lines.append(format_text("no problems", count=len(names)))
    return "\n".join([TEXTS["results"], *lines])


def numbered_steps(*each: str) -> str:
    return "\n".join([TEXTS["steps"], *(f"{number}. {text}" for number, text in enumerate(each, 1))])


def _characters(project: "Project") -> list[str]:
    line_counts: Counter[str] = Counter()
    for scene in project.scenes.values():
        line_counts.update(scene.speakers)
    names_by_frequency = [*sorted(project.assets.characters), *(name for name, _ in line_counts.most_common())]
    mistyped = {name for scene in project.scenes.values() for name, _ in scene.suspects if line_counts[name] == 1}
    names = [name for name in dict.fromkeys(names_by_frequency) if name.strip() and name not in mistyped]
    return [
        format_text("lines spoken", name=name, count=line_counts[name]) if line_counts[name] else name for name in names
    ]


def _line(title: str, names: Sequence[str]) -> str:
    text = TEXTS["comma"].join(names[:_MOST_NAMES]) or TEXTS["none"]
    rest = format_text("in all", count=len(names)) if len(names) > _MOST_NAMES else ""
    return f"- {title}{TEXTS['colon']}{text}{rest}"
