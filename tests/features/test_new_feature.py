"""A feature is one folder: the walkthrough in docs/architecture.md, followed to the letter on a copy of the package."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import msgspec
import pytest

import handrail
from handrail.faces.cli.main import CommandList
from handrail.features import GROUP, fault_of
from handrail.kernel.feature import Command, Feature
from tests.faces.http.running import Running
from tests.persons import without_presence

PACKAGE = Path(handrail.__file__).parent
PAGE = PACKAGE.parents[1] / "docs" / "architecture.md"
_BUILT = ("engine", "console", "extension", "__pycache__")


def walkthrough() -> dict[str, str]:
    """The files of the page's section, by their names."""
    section = PAGE.read_text(encoding="utf-8").split("### Add a feature: clock")[1].split("\n## ")[0]
    return {
        m[1]: m[2] for m in re.finditer(r"^`(\w+\.py)`:\n\n```python\n(.*?)```$", section, re.DOTALL | re.MULTILINE)
    }


def written(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    for name, text in files.items():
        (folder / name).write_text(text)


class Program:
    """handrail as a user starts it, from this source folder."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.project, self.state = folder / "project", folder / "state"
        self.project.mkdir(exist_ok=True)
        self.env = {**os.environ, "PYTHONPATH": str(source), "HANDRAIL_STATE": str(self.state)}

    def run(self, *words: str, status: int = 0, says: str = "") -> str:
        command = [sys.executable, "-m", "handrail", *words]
        result = subprocess.run(
            command, cwd=self.project, env=self.env, capture_output=True, text=True, timeout=120, check=False
        )
        assert result.returncode == status, result.stderr
        assert says in result.stderr
        return result.stdout

    def json(self, *words: str) -> Any:
        return msgspec.json.decode(self.run(*words))


def with_package(folder: Path, files: dict[str, str]) -> Program:
    """handrail beside a package that brings the feature `clock`."""
    files = {name: text.replace("handrail.features.clock", "clock_for_handrail") for name, text in files.items()}
    written(folder / "packages" / "clock_for_handrail", files)
    described = folder / "packages" / "clock_for_handrail-1.2.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: clock-for-handrail\nVersion: 1.2\n")
    (described / "entry_points.txt").write_text("[handrail.features]\nclock = clock_for_handrail.feature:FEATURE\n")
    program = Program(folder / "packages", folder)
    program.env["PYTHONPATH"] += os.pathsep + str(PACKAGE.parent)
    return program


@pytest.fixture
def with_clock(tmp_path: Path) -> Program:
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source / "handrail", ignore=shutil.ignore_patterns(*_BUILT))
    written(source / "handrail" / "features" / "clock", walkthrough())
    return Program(source, tmp_path)


def test_the_walkthrough_has_four_files() -> None:
    assert sorted(walkthrough()) == ["cli.py", "clock_now.py", "feature.py", "routes.py"]


def test_the_walkthrough_follows_our_own_rules(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "handrail" / "features" / "clock"
    written(folder, walkthrough())
    for command in (["check", "--no-cache"], ["format", "--check", "--no-cache"]):
        words = [
            sys.executable,
            "-m",
            "ruff",
            *command,
            "--config",
            str(PAGE.parents[1] / "pyproject.toml"),
            str(folder),
        ]
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout


def test_a_folder_adds_a_tool_a_command_a_setting_and_a_check(with_clock: Program) -> None:
    assert "  clock " in with_clock.run("--help")
    assert "clock_now" in [tool["name"] for tool in with_clock.json("tools", "--json")["tools"]]
    with_clock.state.mkdir(exist_ok=True)
    (with_clock.state / "config.toml").write_text('clock_zone = "Asia/Tokyo"\n')
    assert with_clock.json("call", "clock_now")["time"].endswith("+09:00")
    assert with_clock.json("clock")["time"].endswith("+09:00")
    checks = {check["name"]: check["ok"] for check in with_clock.json("doctor", "--json")["checks"]}
    assert checks["clock"] is True
    assert with_clock.run("audit").count("clock_now") == 2


@pytest.mark.trial("features", is_long=True)
def test_a_folder_adds_a_route(with_clock: Program) -> None:
    command = ["handrail", "up", "--project", str(with_clock.project), "--port", "0", "--no-open"]
    server = Running(with_clock.state, with_clock.project, env=with_clock.env, command=command)
    try:
        assert server.request("GET", "/api/clock").json["data"]["time"]
    finally:
        server.stop()


@pytest.mark.trial("features", is_long=True)
def test_a_feature_of_another_package_is_off_until_a_person_enables_it(tmp_path: Path) -> None:
    program = with_package(tmp_path, walkthrough())

    def checks_of() -> list[tuple[str, str | None]]:
        checks_by_name = program.json("doctor", "--json")["checks"]
        return [(check["detail"], check["fix"]) for check in checks_by_name if check["name"] == "feature clock"]

    assert "clock" not in program.run("--help")
    (only,) = checks_of()
    assert only[0] == "off, from clock-for-handrail 1.2"
    assert "handrail features enable clock" in str(only[1])
    program.run("clock", status=2)
    program.run("features", "enable", "clock", status=1)  # nobody sits at a terminal here
    without_presence(program.state)
    program.run("features", "enable", "clock")
    assert checks_of() == [("on, from clock-for-handrail 1.2", None)]
    assert program.json("clock")["time"]
    program.run("features", "disable", "clock")
    assert "clock" not in program.run("--help")


def test_a_broken_feature_of_another_package_breaks_nothing_else(tmp_path: Path) -> None:
    program = with_package(tmp_path, {"feature.py": "import no_such_module"})
    program.state.mkdir()
    (program.state / "config.toml").write_text('features = ["clock"]\n')
    (check,) = [check for check in program.json("doctor", "--json")["checks"] if check["name"] == "feature clock"]
    assert check["ok"] is False
    assert "ModuleNotFoundError: No module named 'no_such_module'" in check["detail"]
    assert "clock          broken  clock-for-handrail 1.2" in program.run("features")
    program.run("features", "disable", "clock")


@pytest.mark.parametrize(
    ("manifest", "fault"),
    [
        ("handrail.features.policy.feature:FEATURE", "its manifest is called 'policy', not 'clock'"),
        ("handrail.features.policy.feature:Command", "its manifest isn't a Feature"),
    ],
)
def test_a_feature_of_another_package_has_its_own_name(manifest: str, fault: str) -> None:
    assert fault_of(EntryPoint("clock", manifest, GROUP)) == fault


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("clock_now.py", '"""', 'import no_such_module\n"""', "clock_now:TOOLS can't be loaded: No module named"),
        ("clock_now.py", '"""', 'raise SystemExit(3)\n"""', "SystemExit: 3"),
        ("feature.py", '"""', 'raise SystemExit(3)\n"""', "SystemExit: 3"),
        ("routes.py", "def mount", "def other", "routes:mount can't be loaded"),
        ("clock_now.py", 'Tool("clock_now"', 'Tool("list_files"', "two tools are named list_files"),
        ("feature.py", 'Command("clock"', 'Command("audit"', "there is another command 'audit'"),
        ("feature.py", "", "", None),
    ],
    ids=["no module", "exit in a module", "exit in the manifest", "no routes", "our tool", "our command", "whole"],
)
def test_a_feature_of_another_package_is_used_only_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str, fault: str | None
) -> None:
    files = walkthrough()
    with_package(tmp_path, files | {name: files[name].replace(old, new, 1)})
    monkeypatch.syspath_prepend(tmp_path / "packages")
    for module in [module for module in sys.modules if module.startswith("clock_for_handrail")]:
        monkeypatch.delitem(sys.modules, module)
    reason = fault_of(EntryPoint("clock", "clock_for_handrail.feature:FEATURE", GROUP))
    assert reason == fault if fault is None else fault in str(reason)


def test_an_enabled_feature_that_can_not_be_loaded_stops_nothing(tmp_path: Path) -> None:
    files = walkthrough()
    program = with_package(tmp_path, files | {"clock_now.py": "raise SystemExit(3)\n" + files["clock_now.py"]})
    program.state.mkdir()
    (program.state / "config.toml").write_text('features = ["clock"]\n')
    assert program.json("call", "list_files", '{"path": "."}') == {"entries": []}
    program.run("features", "disable", "clock")
    without_presence(program.state)
    program.run("features", "enable", "clock", status=1, says="SystemExit: 3")


def test_a_feature_of_another_package_replaces_no_command() -> None:
    other = Feature("clock", "Clock", commands=[Command("up", "clock:up", "Another."), Command("new", "clock:new", "")])
    commands = CommandList([other])
    assert str(getattr(commands.find("up"), "summary", "")) == "Start the server."
    assert commands.find("new") is not None


def test_tools_need_nothing_opened(tmp_path: Path) -> None:
    files = walkthrough()
    manifest = "".join(line for line in files["feature.py"].splitlines(keepends=True) if "opening=" not in line)
    program = with_package(tmp_path, files | {"feature.py": manifest})
    program.state.mkdir()
    (program.state / "config.toml").write_text('features = ["clock"]\n')
    assert program.json("clock")["time"]


def test_settings_that_a_disabled_feature_leaves_are_named(tmp_path: Path) -> None:
    program = with_package(tmp_path, walkthrough())
    program.state.mkdir()
    (program.state / "config.toml").write_text('features = ["clock"]\nclock_zone = "Asia/Tokyo"\n')
    program.run("features", "disable", "clock", says="unknown key `clock_zone`")


def test_a_feature_whose_package_is_gone_can_be_disabled(tmp_path: Path) -> None:
    program = Program(PACKAGE.parent, tmp_path)
    program.state.mkdir()
    (program.state / "config.toml").write_text('features = ["clock"]\n')
    program.run("features", "disable", "clock")
    assert (program.state / "config.toml").read_text() == "features = []\n"
    program.run("features", "disable", "clock", status=1)


def test_a_feature_that_no_package_brings_can_not_be_enabled(tmp_path: Path) -> None:
    assert Program(PACKAGE.parent, tmp_path).run("features", "enable", "nothing", status=1) == ""
