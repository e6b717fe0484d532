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
