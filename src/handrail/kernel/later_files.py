"""Files whose content runs as code later, without anyone starting it on purpose: a question about one says so."""

from collections.abc import Iterable
from itertools import pairwise

from handrail.ports.paths import folded

_REASONS = {
    "npm": "its scripts run on npm commands",
    "direnv": "direnv runs it when the folder is entered",
    "agentPrograms": "agents start the programs it names",
    "ci": "the CI server runs it",
    "hook": "git runs it as a hook",
    "editorCommands": "editors run its commands",
    "yarn": "Yarn loads the programs it names",
    "pnpm": "pnpm runs it on install",
    "npmSettings": "npm takes programs and servers from it",
    "gitModules": "git fetches from where it says",
    "gitAttributes": "git runs filters and merge programs where it says",
    "pytest": "pytest runs it, in editors too",
    "pythonStart": "Python runs it at its start",
    "cargoBuild": "cargo runs it on every build, in editors too",
    "editorsRun": "editors run it",
    "mise": "mise runs its hooks when the folder is entered",
    "editorRuns": "the editor runs it",
    "debuggerRuns": "the debugger runs it",
    "shellStart": "the shell runs it at its start",
    "editorTasks": "the editor runs tasks and settings in it",
    "editorConfigurations": "the editor runs configurations in it",
    "agentSettings": "agent settings: hooks and permissions",
    "cargoPrograms": "cargo runs the programs it names",
}
_BY_NAME = {
    "package.json": _REASONS["npm"],
    ".envrc": _REASONS["direnv"],
    ".mcp.json": _REASONS["agentPrograms"],
    ".gitlab-ci.yml": _REASONS["ci"],
    ".travis.yml": _REASONS["ci"],
    "azure-pipelines.yml": _REASONS["ci"],
    "bitbucket-pipelines.yml": _REASONS["ci"],
    "jenkinsfile": _REASONS["ci"],
    ".pre-commit-config.yaml": _REASONS["hook"],
    "lefthook.yml": _REASONS["hook"],
    "devcontainer.json": _REASONS["editorCommands"],
    ".yarnrc.yml": _REASONS["yarn"],
    ".pnpmfile.cjs": _REASONS["pnpm"],
    ".npmrc": _REASONS["npmSettings"],
    ".gitmodules": _REASONS["gitModules"],
    ".gitattributes": _REASONS["gitAttributes"],
    "conftest.py": _REASONS["pytest"],
    "sitecustomize.py": _REASONS["pythonStart"],
    "usercustomize.py": _REASONS["pythonStart"],
    "build.rs": _REASONS["cargoBuild"],
    "eslint.config.js": _REASONS["editorsRun"],
    "eslint.config.mjs": _REASONS["editorsRun"],
    ".eslintrc.js": _REASONS["editorsRun"],
    ".prettierrc.js": _REASONS["editorsRun"],
    "mise.toml": _REASONS["mise"],
    ".mise.toml": _REASONS["mise"],
    ".exrc": _REASONS["editorRuns"],
    ".nvimrc": _REASONS["editorRuns"],
    ".nvim.lua": _REASONS["editorRuns"],
    ".dir-locals.el": _REASONS["editorRuns"],
    ".gdbinit": _REASONS["debuggerRuns"],
    ".lldbinit": _REASONS["debuggerRuns"],
    "opencode.json": _REASONS["agentPrograms"],
    ".bashrc": _REASONS["shellStart"],
    ".bash_profile": _REASONS["shellStart"],
    ".profile": _REASONS["shellStart"],
    ".zshrc": _REASONS["shellStart"],
}
_BY_FOLDER = {
    ".githooks": _REASONS["hook"],
    ".husky": _REASONS["hook"],
    ".circleci": _REASONS["ci"],
    ".vscode": _REASONS["editorTasks"],
    ".idea": _REASONS["editorConfigurations"],
    ".devcontainer": _REASONS["editorCommands"],
    ".claude": _REASONS["agentSettings"],
    ".cursor": _REASONS["agentSettings"],
    ".codex": _REASONS["agentSettings"],
    ".gemini": _REASONS["agentSettings"],
    ".opencode": _REASONS["agentSettings"],
    ".zed": _REASONS["editorTasks"],
    ".cargo": _REASONS["cargoPrograms"],
    ".windsurf": _REASONS["agentSettings"],
}
_BY_FOLDERS = {
    (".github", "workflows"): _REASONS["ci"],
    (".github", "actions"): _REASONS["ci"],
    (".git", "hooks"): _REASONS["hook"],
}


def reasons() -> dict[str, str]:
    """Every reason that there is, by its code."""
    return dict(_REASONS)


def later_files(paths: Iterable[str | None]) -> list[tuple[str, str]]:
    """Those that are code which runs later, each with the reason."""
    named = dict.fromkeys(path for path in paths if path is not None)
    return [(path, why) for path in named if (why := runs_later(path)) is not None]


def runs_later(path: str) -> str | None:
    """Why the file is code that runs later; None where it isn't known as such."""
    names = [folded(part) for part in path.split("/") if part not in ("", ".")]
    if not names:
        return None
    pairs = (_BY_FOLDERS.get(pair) for pair in pairwise(names[:-1]))
    folders = (_BY_FOLDER.get(name) for name in names[:-1])
    return _BY_NAME.get(names[-1]) or next(filter(None, (*pairs, *folders)), None)
