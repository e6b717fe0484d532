"""Files whose content later runs as code without anyone starting it on purpose; an approval warns about them."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from posixpath import splitext

from handrail.ports.paths import fold_name

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
    "promptRuns": "the language's interactive prompt runs it",
    "shellStart": "the shell runs it at its start",
    "editorTasks": "the editor runs tasks and settings in it",
    "editorConfigurations": "the editor runs configurations in it",
    "agentSettings": "agent settings: hooks and permissions",
    "cargoPrograms": "cargo runs the programs it names",
}
_LEFTHOOK = ("yml", "yaml", "json", "toml")
_SCRIPTS = ("js", "cjs", "mjs", "ts", "cts", "mts")
_BY_NAME = {
    "package.json": _REASONS["npm"],
    ".envrc": _REASONS["direnv"],
    ".mcp.json": _REASONS["agentPrograms"],
    ".gitlab-ci.yml": _REASONS["ci"],
    ".drone.yml": _REASONS["ci"],
    ".woodpecker.yml": _REASONS["ci"],
    ".cirrus.yml": _REASONS["ci"],
    "appveyor.yml": _REASONS["ci"],
    "cloudbuild.yaml": _REASONS["ci"],
    ".travis.yml": _REASONS["ci"],
    "azure-pipelines.yml": _REASONS["ci"],
    "bitbucket-pipelines.yml": _REASONS["ci"],
    "jenkinsfile": _REASONS["ci"],
    ".pre-commit-config.yaml": _REASONS["hook"],
    **dict.fromkeys(
        (f"{dot}lefthook{local}.{kind}" for dot in ("", ".") for local in ("", "-local") for kind in _LEFTHOOK),
        _REASONS["hook"],
    ),
    "devcontainer.json": _REASONS["editorCommands"],
    ".devcontainer.json": _REASONS["editorCommands"],
    ".yarnrc.yml": _REASONS["yarn"],
    ".pnpmfile.cjs": _REASONS["pnpm"],
    ".yarnrc": _REASONS["yarn"],
    ".pnp.cjs": _REASONS["yarn"],
    ".pnp.loader.mjs": _REASONS["yarn"],
    ".pnpmfile.mjs": _REASONS["pnpm"],
    ".npmrc": _REASONS["npmSettings"],
    ".gitmodules": _REASONS["gitModules"],
    ".gitattributes": _REASONS["gitAttributes"],
    "conftest.py": _REASONS["pytest"],
    "sitecustomize.py": _REASONS["pythonStart"],
    "usercustomize.py": _REASONS["pythonStart"],
    "build.rs": _REASONS["cargoBuild"],
    **dict.fromkeys(
        (
            f"{tool}.{kind}"
            for kind in _SCRIPTS
            for tool in (
                "eslint.config",
                ".eslintrc",
                "prettier.config",
                ".prettierrc",
                "stylelint.config",
                ".stylelintrc",
                "svelte.config",
                "tailwind.config",
            )
        ),
        _REASONS["editorsRun"],
    ),
    **dict.fromkeys(
        (
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "gemfile",
            "mix.exs",
            "package.swift",
        ),
        _REASONS["editorsRun"],
    ),
    "rust-toolchain": _REASONS["cargoPrograms"],
    "rust-toolchain.toml": _REASONS["cargoPrograms"],
    **dict.fromkeys((f"{dot}mise{local}.toml" for dot in ("", ".") for local in ("", ".local")), _REASONS["mise"]),
    ".exrc": _REASONS["editorRuns"],
    ".vimrc": _REASONS["editorRuns"],
    ".lvimrc": _REASONS["editorRuns"],
    ".nvimrc": _REASONS["editorRuns"],
    ".nvim.lua": _REASONS["editorRuns"],
    ".dir-locals.el": _REASONS["editorRuns"],
    ".gdbinit": _REASONS["debuggerRuns"],
    ".lldbinit": _REASONS["debuggerRuns"],
    **dict.fromkeys((".ghci", ".iex.exs", ".irbrc", ".pdbrc", ".pryrc", ".rprofile"), _REASONS["promptRuns"]),
    "opencode.json": _REASONS["agentPrograms"],
    **dict.fromkeys(
        (".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin"),
        _REASONS["shellStart"],
    ),
}
_BY_FOLDER = {
    ".githooks": _REASONS["hook"],
    ".husky": _REASONS["hook"],
    ".circleci": _REASONS["ci"],
    ".buildkite": _REASONS["ci"],
    ".woodpecker": _REASONS["ci"],
    ".yarn": _REASONS["yarn"],
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
    ".qwen": _REASONS["agentSettings"],
    ".kiro": _REASONS["agentSettings"],
    ".roo": _REASONS["agentSettings"],
    ".continue": _REASONS["agentSettings"],
    ".fleet": _REASONS["editorTasks"],
    ".mise": _REASONS["mise"],
}
_BY_FOLDERS = {
    **{
        (forge, name): _REASONS["ci"]
        for forge in (".github", ".gitea", ".forgejo")
        for name in ("workflows", "actions")
    },
    (".github", "hooks"): _REASONS["agentSettings"],
    (".git", "hooks"): _REASONS["hook"],
    (".config", "mise"): _REASONS["mise"],
}
_BY_ENDING = {
    ".code-workspace": _REASONS["editorTasks"],
    **dict.fromkeys((".csproj", ".fsproj", ".vbproj", ".props", ".targets"), _REASONS["editorsRun"]),
    ".pth": _REASONS["pythonStart"],
}


def reasons() -> dict[str, str]:
    """All reasons by their codes."""
    return dict(_REASONS)


def auto_run_files(paths: Iterable[str | None]) -> list[tuple[str, str]]:
    """Those that run automatically, each with the reason."""
    unique = dict.fromkeys(path for path in paths if path is not None)
    return [(path, why) for path in unique if (why := auto_run_reason(path)) is not None]


def auto_run_reason(path: str) -> str | None:
    """What runs the file automatically; None if nothing is known to."""
    folder, _, name = path.rpartition("/")
    while name in ("", ".") and folder:
        folder, _, name = folder.rpartition("/")
    name = fold_name(name)
    return _BY_NAME.get(name) or _BY_ENDING.get(splitext(name)[1]) or _in_folder(folder)


@lru_cache(maxsize=1024)
def _in_folder(folder: str) -> str | None:
    names = [fold_name(part) for part in folder.split("/") if part not in ("", ".")]
    pairs = (_BY_FOLDERS.get(pair) for pair in pairwise(names))
    return next(filter(None, (*pairs, *map(_BY_FOLDER.get, names))), None)


def link_auto_run_reason(path: str) -> str | None:
    """The same for a link, which may point to a whole folder of such files."""
    inside = ("x", *dict.fromkeys(f"{name}/x" for _, name in _BY_FOLDERS))
    return auto_run_reason(path) or next(filter(None, (auto_run_reason(f"{path}/{each}") for each in inside)), None)
