"""Files whose content runs as code later, without anyone starting it on purpose: a question about one says so."""

from itertools import pairwise

from handrail.ports.paths import folded

_BY_NAME = {
    "package.json": "its scripts run on npm commands",
    ".envrc": "direnv runs it when the folder is entered",
    ".mcp.json": "agents start the programs it names",
    ".gitlab-ci.yml": "the CI server runs it",
    ".travis.yml": "the CI server runs it",
    "azure-pipelines.yml": "the CI server runs it",
    "bitbucket-pipelines.yml": "the CI server runs it",
    "jenkinsfile": "the CI server runs it",
    ".pre-commit-config.yaml": "git runs it as a hook",
    "lefthook.yml": "git runs it as a hook",
    "devcontainer.json": "editors run its commands",
    ".yarnrc.yml": "Yarn loads the programs it names",
    ".pnpmfile.cjs": "pnpm runs it on install",
    ".npmrc": "npm takes programs and servers from it",
    ".gitmodules": "git fetches from where it says",
    ".gitattributes": "git runs filters and merge programs where it says",
    "conftest.py": "pytest runs it, in editors too",
    "sitecustomize.py": "Python runs it at its start",
    "usercustomize.py": "Python runs it at its start",
    "build.rs": "cargo runs it on every build, in editors too",
    "eslint.config.js": "editors run it",
    "eslint.config.mjs": "editors run it",
    ".eslintrc.js": "editors run it",
    ".prettierrc.js": "editors run it",
    "mise.toml": "mise runs its hooks when the folder is entered",
    ".mise.toml": "mise runs its hooks when the folder is entered",
    ".exrc": "the editor runs it",
    ".nvimrc": "the editor runs it",
    ".nvim.lua": "the editor runs it",
    ".dir-locals.el": "the editor runs it",
    ".gdbinit": "the debugger runs it",
    ".lldbinit": "the debugger runs it",
    "opencode.json": "agents start the programs it names",
    ".bashrc": "the shell runs it at its start",
    ".bash_profile": "the shell runs it at its start",
    ".profile": "the shell runs it at its start",
    ".zshrc": "the shell runs it at its start",
}
_BY_FOLDER = {
    ".githooks": "git runs it as a hook",
    ".husky": "git runs it as a hook",
    ".circleci": "the CI server runs it",
    ".vscode": "the editor runs tasks and settings in it",
    ".idea": "the editor runs configurations in it",
    ".devcontainer": "editors run its commands",
    ".claude": "agent settings: hooks and permissions",
    ".cursor": "agent settings: hooks and permissions",
    ".codex": "agent settings: hooks and permissions",
    ".gemini": "agent settings: hooks and permissions",
    ".opencode": "agent settings: hooks and permissions",
    ".zed": "the editor runs tasks and settings in it",
    ".cargo": "cargo runs the programs it names",
    ".windsurf": "agent settings: hooks and permissions",
}
_BY_FOLDERS = {
    (".github", "workflows"): "the CI server runs it",
    (".github", "actions"): "the CI server runs it",
    (".git", "hooks"): "git runs it as a hook",
}


def runs_later(path: str) -> str | None:
    """Why the file is code that runs later; None where it isn't known as such."""
    names = [folded(part) for part in path.split("/") if part not in ("", ".")]
    if not names:
        return None
    pairs = (_BY_FOLDERS.get(pair) for pair in pairwise(names[:-1]))
    folders = (_BY_FOLDER.get(name) for name in names[:-1])
    return _BY_NAME.get(names[-1]) or next(filter(None, (*pairs, *folders)), None)
