"""The implementation of check_game: which files are checked, what is found, and what is fixed."""

from collections.abc import Iterable

from msgspec import UNSET

from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.scene_finder import find_game, games_below
from handrail.features.webgal.script.findings import Finding, fixed_line, kind_of, message
from handrail.features.webgal.script.parser import split_lines
from handrail.features.webgal.script.project import SCENES, Project
from handrail.features.webgal.tools.check_game import File, Params, Problem, Result
from handrail.kernel.call import Call
from handrail.ports.errors import NotFound
from handrail.ports.paths import parse_path


def check_games(webgal: WebGal, call: Call, params: Params) -> Result:
    files: dict[str, File] = {}
    engines: set[str] = set()
    scenes = lines = 0
    for folder, selected in _selected_files(webgal, params.paths).items():
        project, unreadable = webgal.games.open_game(folder, call.checkpoint)
        prefix = project.assets.folder
        for path in unreadable:
            if selected is None or path in selected:
                problem = Finding("WG125", 1)
                files[path] = File(path, [_problem(webgal, problem, [])])
        for name, findings in project.everything().items():
            path = prefix + name
            if findings and (selected is None or path in selected):
                files[path] = _file(webgal, project, name, findings, with_fix=params.fix)
        scenes_checked = [
            scene for name, scene in project.scenes.items() if selected is None or _path(prefix, name) in selected
        ]
        scenes += len(scenes_checked)
        lines += sum(len(scene.lines) for scene in scenes_checked)
        if (engine := project.assets.engine) is not None:
            engines.add(engine.version)
    return Result([files[path] for path in sorted(files)], scenes, lines, sorted(engines))


def _selected_files(webgal: WebGal, paths: Iterable[str]) -> dict[str, set[str] | None]:
    """Returns the files to check for each game folder; None for all of them."""
    selected: dict[str, set[str] | None] = {}
    for path in paths or (".",):
        name = "/".join(parse_path(path)) or "."
        if name == "." or webgal.games.files.mode(name) is None:
            webgal.games.files.entries(name)  # NotFound where there is neither file nor folder
            for folder in games_below(webgal.games.files, name, webgal.games.may_read):
                selected[folder] = None
            continue
        folder_of_file = find_game(webgal.games.files, name)
        if folder_of_file is None:
            raise NotFound(f"{name} belongs to no WebGAL game.", path=name)
        files = selected.setdefault(folder_of_file, set())
        if files is not None:
            files.add(name)
    return selected


def _file(webgal: WebGal, project: Project, name: str, findings: list[Finding], *, with_fix: bool) -> File:
    text = project.text_of(name)
    lines = split_lines(text)
    after = project.with_safe_fixes(name, text) if with_fix else text
    problems = [_problem(webgal, finding, lines) for finding in findings]
    return File(project.assets.folder + name, problems, after if after != text else UNSET)


def _problem(webgal: WebGal, finding: Finding, lines: list[str]) -> Problem:
    text = lines[finding.line - 1] if finding.line <= len(lines) else ""
    fixed = fixed_line(finding, lines)
    return Problem(
        finding.line,
        finding.code,
        kind_of(finding),
        message(finding, webgal.language),
        finding.start,
        finding.end,
        text,
        fixed if fixed is not None else UNSET,
    )


def _path(prefix: str, scene: str) -> str:
    return f"{prefix}{SCENES}/{scene}"
