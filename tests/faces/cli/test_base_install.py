"""handrail without its extras, in an environment with only the base's dependencies."""

import json
import os
import re
import subprocess
import sys
import tomllib
import urllib.request
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from handrail.features import built_in
from tests.waiting import PATIENCE

EXTRAS = [each for feature in built_in() for each in (feature.extra, *feature.further_extras) if each is not None]
EXTRA_OF = {
    command.name: feature.extra.name
    for feature in built_in()
    if feature.extra is not None and feature.extra.modules
    for command in feature.commands
}
ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCE = Path(sys.modules["handrail"].__path__[0]).parent
EXTRAS_ONLY = {
    "anthropic", "openai", "pydantic_ai", "textual", "pygls", "lsprotocol", "mss", "Xlib", "zlib_ng", "google/genai",
}  # fmt: skip


def needed(names: list[str]) -> set[str]:
    """Returns the distributions of these requirements and of everything that they require."""
    matches: set[str] = set()
    waiting = [Requirement(name) for name in names]
    while waiting:
        expected = waiting.pop()
        try:
            its = distribution(expected.name)
        except PackageNotFoundError:
            continue  # for another platform or Python
        if its.metadata["Name"] in matches and not expected.extras:
            continue
        matches.add(its.metadata["Name"])
        for line in its.requires or ():
            further = Requirement(line)
            wants = expected.extras or {""}
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in wants):
                waiting.append(further)
    return matches


class Base:
    """A virtual environment of links to the packages that are installed here."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "venv", with_pip=False)
        self._bin = folder / "venv" / "bin"
        self.packages = next((folder / "venv" / "lib").glob("*/site-packages"))
        for name in needed(PROJECT["dependencies"]):
            its = distribution(name)
            for file in its.files or ():
                is_program = file.parts[-2:-1] == ("bin",) and file.parts[0] == ".."
                link = self._bin / file.name if is_program else self.packages / file.parts[0]
                if (is_program or file.parts[0] != "..") and not link.exists():
                    link.symlink_to(Path(str(its.locate_file(file if is_program else file.parts[0]))).resolve())
        (self.packages / "handrail.pth").write_text(f"{SOURCE}\n")
        self._project = folder / "project"
        self._project.mkdir()
        (self._project / "a.txt").write_text("hello\n")
        self._environ = {
            "PATH": f"{self._bin}:{os.environ['PATH']}",
            "HOME": str(folder),
            "HANDRAIL_STATE": str(folder / "state"),
            "HANDRAIL_WARM_SERVER": "false",
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self._bin / "python", "-m", "handrail", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, cwd=self._project, env=self._environ,
        )  # fmt: skip

    def run(self, *words: str, stdin: str = "") -> tuple[int, str, str]:
        with self.start(*words) as child:
            out, err = child.communicate(stdin, timeout=60)
            return child.returncode, out, err


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    return Base(tmp_path_factory.mktemp("base"))


def test_the_base_has_no_package_of_an_extra(base: Base) -> None:
    assert not [name for name in EXTRAS_ONLY if (base.packages / name).exists()]


def test_the_extras_are_those_of_the_package() -> None:
    declared = {name: [Requirement(one) for one in its] for name, its in PROJECT["optional-dependencies"].items()}
    (everything,) = declared.pop("all")
    assert everything.extras == set(declared) == {extra.name for extra in EXTRAS}
    assert {name for name, its in declared.items() if not its} == {extra.name for extra in EXTRAS if not extra.modules}


def test_help_leaves_out_what_is_not_installed(base: Base) -> None:
    status, out, err = base.run("--help")
    matches = re.findall(r"^  (\S+)  +\S", out.partition("Commands:")[2], re.MULTILINE)
    assert (status, err) == (0, "")
    assert {"up", "mcp", "call", "prompts", "doctor"} <= set(matches)
    assert not {"desktop", "desktop-host", "model", "webgal"} & set(matches)


@pytest.mark.parametrize("command", sorted(EXTRA_OF))
def test_a_command_that_is_not_installed_says_how_to_install_it(base: Base, command: str) -> None:
    status, out, err = base.run(command)
    assert (status, out) == (2, "")
    assert f"pip install 'handrail[{EXTRA_OF[command]}]'" in err


@pytest.mark.trial("commands", is_long=True)
def test_doctor_names_each_missing_extra_and_its_command(base: Base) -> None:
    status, out, _ = base.run("doctor", "--json")
    data = {check["name"]: check for check in json.loads(out)["checks"]}
    assert status == 0
    for extra in ("desktop", "webgal", "agent", "tui"):
        assert (data[extra]["ok"], data[extra]["detail"]) == (False, "not installed")
        assert f"pip install 'handrail[{extra}]'" in data[extra]["fix"]


def test_tools_of_missing_extras_are_neither_listed_nor_called(base: Base) -> None:
    status, out, _ = base.run("tools", "--json")
    names = {tool["name"] for tool in json.loads(out)["tools"]}
    assert status == 0
    assert {"read_file", "write_to_file", "prompt_choices", "browser_click", "apps_call"} <= names
    assert not {name for name in names if name.startswith("desktop_")} | (names & {"check_game", "preview_scene"})

    status, out, _ = base.run("call", "desktop_observe", "{}")
    assert status == 1
    assert "pip install 'handrail[desktop]'" in out
    assert base.run("call", "read_file", '{"path": "a.txt"}')[0] == 0


@pytest.mark.trial("commands", is_long=True)
def test_mcp_lists_and_calls_what_is_installed(base: Base) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    reading = {"name": "read_file", "arguments": {"path": "a.txt"}}
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": reading},
    ]
    status, out, _ = base.run("mcp", stdin="".join(f"{json.dumps(one)}\n" for one in requests))
    answers = {one["id"]: one["result"] for one in map(json.loads, out.splitlines())}
    names = {tool["name"] for tool in answers[2]["tools"]}
    assert status == 0
    assert "read_file" in names
    assert not {name for name in names if name.startswith("desktop_")} | (names & {"check_game"})
    assert answers[3]["structuredContent"]["content"] == "hello\n"


def test_the_server_starts_and_is_healthy(base: Base) -> None:
    with base.start("up", "--port", "0", "--no-open") as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = re.search(r"http://[\d.:]+", line)
            assert address is not None, line
            with urllib.request.urlopen(f"{address[0]}/health", timeout=PATIENCE) as answer:
                assert answer.status == 200
        finally:
            server.terminate()
            _, err = server.communicate(timeout=30)
        assert "Traceback" not in err
