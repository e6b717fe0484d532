"""Files that run later are known by their names, in any case; ordinary ones are not."""

import pytest

from handrail.kernel.auto_run_files import auto_run_reason, link_auto_run_reason


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
        ".lefthook-local.toml",
        ".eslintrc.cjs",
        "prettier.config.mts",
        ".github/hooks/copilot.json",
        ".forgejo/workflows/ci.yml",
        ".yarn/releases/yarn-4.cjs",
        "shop.code-workspace",
        "venv/lib/python3.11/site-packages/x.pth",
        ".zshenv",
        ".devcontainer.json",
        "app/build.gradle.kts",
        "src/Directory.Build.props",
        "rust-toolchain.toml",
        ".config/mise/config.toml",
        ".Rprofile",
        "tailwind.config.ts",
    ],
)
def test_files_that_run_later_are_known(path: str) -> None:
    assert auto_run_reason(path) is not None


@pytest.mark.parametrize("path", ["README.md", "Makefile", "CLAUDE.md", "src/package.jsonc", "workflows/a.yml", "."])
def test_other_files_are_not(path: str) -> None:
    assert auto_run_reason(path) is None


@pytest.mark.parametrize("path", [".vscode", ".github", ".github/workflows", "web/.husky", "package.json"])
def test_a_link_that_may_lead_to_a_folder_of_auto_run_files_is_recognized(path: str) -> None:
    assert link_auto_run_reason(path) is not None


def test_other_links_are_not() -> None:
    assert link_auto_run_reason("docs/latest") is None
