"""Files that run later are known by their names, in any case; ordinary ones are not."""

import pytest

from handrail.kernel.later_files import runs_later


@pytest.mark.parametrize(
    "path",
    [
        "package.json",
        "web/Package.json",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        ".envrc",
        ".mcp.json",
        ".vscode/tasks.json",
        ".claude/settings.json",
        ".cursor/mcp.json",
        ".codex/config.toml",
        ".husky/pre-commit",
    ],
)
def test_files_that_run_later_are_known(path: str) -> None:
    assert runs_later(path) is not None


@pytest.mark.parametrize("path", ["README.md", "Makefile", "CLAUDE.md", "src/package.jsonc", "workflows/a.yml", "."])
def test_other_files_are_not(path: str) -> None:
    assert runs_later(path) is None
