"""Which paths are allowed: contract 3 §0.3 and the rulings, for every tool that takes one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wire.clients import Client, Json, Outcome
from tests.wire.stage import SCENE, START, put, put_policy

CALLS: dict[str, tuple[str, Json]] = {
    "list": ("list_files", {}),
    "list below": ("list_files", {"globs": ["**/*"]}),
    "read": ("read_file", {}),
    "dry run": ("write_to_file", {"content": "x", "dryRun": True}),
    "write": ("write_to_file", {"content": "x", "dryRun": False}),
    "replace": ("replace_in_file", {"find": "e", "replace": "x"}),
    "search": ("search_files", {"regex": "."}),
}


def outcomes(client: Client, path: str) -> Iterator[tuple[str, Outcome]]:
    for name, (tool, params) in CALLS.items():
        yield name, client.call(tool, {"path": path, **params})


def codes(client: Client, path: str) -> dict[str, str | None]:
    return {name: outcome.code for name, outcome in outcomes(client, path)}


def all_of(code: str) -> dict[str, str]:
    return dict.fromkeys(CALLS, code)


@pytest.fixture
def outside(project: Path) -> Iterator[Path]:
    """A folder next to the project whose name starts like the project's; tools may neither see nor touch it."""
    outside = project.with_name(project.name + "-evil")
    put(outside, "secret.txt", "secret")
    yield outside
    assert [path.name for path in outside.iterdir()] == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == "secret"
    (outside / "secret.txt").unlink()
    outside.rmdir()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/etc/passwd",
        "//etc/passwd",
        "~",
        "~/secret",
        "~root/secret",
        "..",
        "../secret",
        "../project-evil/secret.txt",
        "game/..",
        "game/../notes.md",
        "game/../../project-evil/secret.txt",
        "./../secret",
        "nowhere/../notes.md",
        "\\",
        "..\\secret",
        "game\\scene",
        "C:\\Windows",
        "C:/Windows",
        "\\\\server\\share",
        "%2e%2e/secret",
        "%2E%2e/secret",
        ".%2e/secret",
        "game/%2e%2e/%2e%2e/secret",
        "..%2fsecret",
        "game%2fscene",
        "game%2Fscene",
        "game%5cscene",
        "%252e%252e/secret",
        "%25252e%25252e/secret",
        "game%252fscene",
    ],
)
def test_a_path_that_leaves_or_might_leave_the_project_is_denied(client: Client, outside: Path, path: str) -> None:
    assert codes(client, path) == all_of("E_DENY_PATH")


@pytest.mark.parametrize(
    "path",
    [
        ".git",
        ".git/config",
        ".GIT/config",
        ".Git",
        "game/.git/config",
        "node_modules",
        "node_modules/a/b.js",
        "Node_Modules/a.js",
        "game/node_modules/a.js",
        ".env",
        ".ENV",
        ".env/production",
        ".handrail",
        ".handrail/policy.json",
        ".Handrail/policy.json",
        "game/.handrail/policy.json",
        ".handrail/artifacts/workspace",
        ".webgal_agent",
        ".webgal_agent/idem.json",
        ".WebGAL_Agent/snapshots",
        "allowlist.json",
        "game/AllowList.json",
        "./.git/config",
        ".git/",
        ".git//config",
    ],
)
def test_closed_folders_are_closed_to_every_tool_in_any_case(client: Client, project: Path, path: str) -> None:
    for name in (".git/config", "node_modules/a.js", ".env/production"):
        put(project, name, "secret e")
    assert codes(client, path) == all_of("E_DENY_PATH")
    assert (project / ".git/config").read_text() == "secret e"


@pytest.mark.parametrize(
    "path",
    [
        ".git./config",
        ".git /config",
        ".git. . /config",
        ".git:stream/config",
        ".git::$INDEX_ALLOCATION/config",
        ".g\u200cit/config",
        "\ufeff.git/config",
        "．git/config",
        ".ｇｉｔ/config",
        "%2egit/config",
        ".%67it/config",
        "%252egit/config",
        "node_module\u017f/a.js",
        ".handrail./policy.json",
        ".hand\u00adrail/policy.json",
        ".webgal_agent /idem.json",
    ],
)
def test_names_that_some_file_systems_treat_as_a_closed_folder_are_closed(client: Client, path: str) -> None:
    assert codes(client, path) == all_of("E_DENY_PATH")


@pytest.mark.parametrize(
    "path", [".gitignore", ".github/x.txt", ".environment", "node_modules2/x", "git", "..a/b", "a..b"]
)
def test_names_that_only_resemble_a_closed_one_are_allowed(client: Client, project: Path, path: str) -> None:
    client.write(path, "hello\n")
    assert client.ok("read_file", path=path)["content"] == "hello\n"


def test_a_policy_can_close_more_folders_and_paths(client: Client, project: Path) -> None:
    put_policy(project, forbiddenDirs=["Build", "game/scene/"])
    put(project, "build/x.txt", "")
    assert codes(client, "build/x.txt") == all_of("E_DENY_PATH")
    assert codes(client, "sub/BUILD") == all_of("E_DENY_PATH")
    assert codes(client, START) == all_of("E_DENY_PATH")
    assert codes(client, ".git/config") == all_of("E_DENY_PATH"), "the defaults stay closed"
    assert client.ok("list_files", path="game")["entries"] == ["config.txt"]
    assert client.code("read_file", path="other/game/scene/x") == "E_NOT_FOUND", "a path is closed from the root on"


@pytest.mark.parametrize(
    "path",
    [
        "a\0b",
        "game/scene/start.txt\0.png",
        "x" * 256,
        f"game/{'x' * 256}/y",
        "中" * 86,
        "a/" * 2048 + "b",
    ],
)
def test_a_path_that_no_file_system_takes_is_a_bad_argument(client: Client, path: str) -> None:
    assert codes(client, path) == all_of("E_BAD_ARGS")


def test_the_longest_possible_names_are_accepted(client: Client) -> None:
    for path in ("x" * 255, "中" * 85, "/".join(["x" * 255] * 16)):
        assert client.code("read_file", path=path) == "E_NOT_FOUND"


@pytest.mark.parametrize("escape", [b'"\\ud800"', b'"a\\udfffb"'])
def test_a_lone_surrogate_is_a_bad_argument(client: Client, escape: bytes) -> None:
    assert client.raw_call("read_file", b'{"path":%s}' % escape).code == "E_BAD_ARGS"


def test_an_empty_path_is_a_bad_argument_if_the_schema_forbids_it(client: Client) -> None:
    for tool, params in CALLS.values():
        if tool in ("list_files", "read_file", "write_to_file"):
            assert client.call(tool, {"path": "", **params}).code == "E_BAD_ARGS"


@pytest.mark.parametrize("target", ["outside", "inside", "nowhere", "itself"])
def test_a_link_is_never_passed_wherever_it_leads(client: Client, project: Path, outside: Path, target: str) -> None:
    leads_to = {"outside": outside, "inside": Path("game"), "nowhere": Path("nowhere"), "itself": Path("link")}
    (project / "link").symlink_to(leads_to[target])
    (project / "file").symlink_to(outside / "secret.txt" if target == "outside" else Path(START))
    for path in ("link", "link/secret.txt", "link/new/file.txt", "link/scene/start.txt", "file", "file/x"):
        assert codes(client, path) == all_of("E_DENY_PATH"), path
    assert (project / START).read_text() == SCENE


def test_a_denied_path_is_named_with_a_hint(client: Client) -> None:
    error = client.error("read_file", path="../secret")
    assert error["details"]["path"] == "../secret"
    assert "relative" in error["hint"]
    assert "get_runtime_info" in client.error("read_file", path=".git/config")["hint"]
